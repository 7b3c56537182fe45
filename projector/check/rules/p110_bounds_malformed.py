"""P110 bounds-malformed.

What it does:
    Finds bounds in manifests that no value of the column is encoded as: of a length that neither its type nor a legal
    earlier type has, text that is no UTF-8, a decimal beyond the precision.

Why it matters:
    Readers fail in planning, or take the bytes for another number and skip files that hold matching rows.

Evidence:
    The live files, and the bytes of the first.

Example:
    Eight bytes as the bound of an int column

Instead:
    Rewrite the manifests with bounds from the files' footers, or without any.

Reference:
    Spec, Appendix D: binary single values; Schema Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """Every column with such bounds."""
    for field_id, tally in state.files.manifest_facts.malformed.items():
        kind = state.files.metadata.current_schema.fields_by_id[field_id].field_type
        yield Finding(
            f"manifests have bounds of it that are no {kind}",
            Direction.METADATA_INVALID,
            state.dotted(field_id) or f"id {field_id}",
            field_id,
            evidence=tally.evidence(state.files.manifest_facts.bounds_of),
            help="rewrite the manifests with bounds from the footers, or without bounds of this column",
        )


RULE = Rule(
    "P110",
    "bounds-malformed",
    "Finds bounds that are no value of their column.",
    Level.FOOTERS,
    "Appendix D: Single-value serialization",
    on_state=check,
)
