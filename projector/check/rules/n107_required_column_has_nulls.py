"""N107 required-column-has-nulls.

What it does:
    Finds a required field that some live file lacks without a default, or in which a manifest counts nulls.

Why it matters:
    Readers fail on such a file, give nulls where none may be, or skip it for IS NULL because no null can be there.

Evidence:
    The files that lack the field, and those with nulls by their manifests.

Example:
    A file imported with nulls in a column that the table has as required.

Instead:
    Make the column optional, or rewrite the files.

Reference:
    Spec, Schemas and Data Types; Column Projection.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.nullness import nulls_of
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """Every required field that is certainly null or missing somewhere."""
    for field_id, field in state.schema.fields_by_id.items():
        if not field.required:
            continue
        nulls = nulls_of(state, field_id)
        if nulls.counted:
            yield Finding(
                "required, but null or missing in live files",
                Direction.OLD_DATA_UNREADABLE,
                state.dotted(field_id),
                field_id,
                evidence=nulls.evidence,
                help="make it optional, or rewrite these files",
            )


RULE = Rule(
    "N107",
    "required-column-has-nulls",
    "Finds required columns that are null, or missing, in live files.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
    absorbed_by=("N101", "N102"),
)
