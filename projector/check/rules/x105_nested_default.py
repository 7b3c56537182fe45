"""X105 nested-default.

What it does:
    Finds fields inside structs whose initial default stands for structs of live files that lack them.

Why it matters:
    A null struct has to stay null. Some readers make it a struct of defaults, some find it by the default in filters.

Evidence:
    The live files that have the struct without the field, and what readers do.

Example:
    ALTER TABLE orders ADD COLUMN buyer.rank int DEFAULT 0

Instead:
    Leave nested fields without a default and use coalesce where they are read.

Reference:
    Spec, Default values.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import NO_EVIDENCE, Finding
from projector.projection.plan import Constant


def check(state: TableState) -> Iterator[Finding]:
    """Every such field of a struct that some file has."""
    for field_id, field in state.schema.fields_by_id.items():
        parent = state.schema.parents_by_id.get(field_id)
        if parent is None or field.initial_default is None or not state.may_have_data:
            continue
        holders = {id(group) for group, node in state.nodes(parent) if group.column(node) is not None}
        groups = [g for g, node in state.nodes(field_id) if isinstance(node, Constant) and id(g) in holders]
        evidence = state.footers.evidence(groups) if groups else NO_EVIDENCE
        if state.level >= Level.FOOTERS and not evidence.files:
            continue
        finding = readers_disagree(
            "nested-default",
            state.engines,
            "a default inside a struct that old files have without it",
            evidence=evidence,
            help="drop the default and use coalesce where the field is read",
            path=state.dotted(field_id),
            field_id=field_id,
        )
        if finding is not None:
            yield finding


RULE = Rule(
    "X105",
    "nested-default",
    "Finds defaults inside structs that old files need, which some readers get wrong.",
    Level.SCHEMA,
    "Default values",
    on_state=check,
    absorbed_by=("N108",),
)
