"""X103 initial-default.

What it does:
    Finds top-level columns whose initial default stands for rows of live files that lack them.

Why it matters:
    Some readers show the default and yet lose its rows as soon as a filter names the column; some refuse the table.

Evidence:
    The live files that lack the column, and what readers do.

Example:
    ALTER TABLE orders ADD COLUMN channel string DEFAULT 'till'

Instead:
    Add the column without a default and use coalesce where it is read; or rewrite the old files after the change.

Reference:
    Spec, Default values.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Finding
from projector.projection.plan import Constant
from projector.schema.types import DecimalType


def check(state: TableState) -> Iterator[Finding]:
    """Every such column; at level schema, wherever there can be old rows."""
    for field in state.schema.fields:
        if field.initial_default is None or field.initial_default == {} or not state.may_have_data:
            continue
        evidence = state.evidence_where(field.field_id, lambda _, node: isinstance(node, Constant))
        if state.level >= Level.FOOTERS and not evidence.files:
            continue
        names = ("initial-default", *(("decimal-default",) if isinstance(field.field_type, DecimalType) else ()))
        finding = readers_disagree(
            names,
            state.engines,
            "an initial default that old files need",
            evidence=evidence,
            help="rewrite these files, or drop the default and use coalesce where the column is read",
            path=state.dotted(field.field_id),
            field_id=field.field_id,
        )
        if finding is not None:
            yield finding


RULE = Rule(
    "X103",
    "initial-default",
    "Finds initial defaults that old files need, which some readers get wrong.",
    Level.SCHEMA,
    "Default values",
    on_state=check,
    absorbed_by=("N109",),
)
