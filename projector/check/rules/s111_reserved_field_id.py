"""S111 reserved-field-id.

What it does:
    Finds a field of a proposed schema whose id is above 2147483447. A table that has one already is not read at
    all.

Why it matters:
    Readers take such a column for a metadata column: the file's path, a row's position, or whether it is deleted.

Evidence:
    The id.

Example:
    A schema in which a client numbered a column 2147483546.

Instead:
    Give the column an id of the table's own, or leave numbering to the commit.

Reference:
    Spec, Reserved Field IDs.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.schema.types import MAX_FIELD_ID


def check(change: Change) -> Iterator[Finding]:
    """Every reserved id in the proposal."""
    wanted = change.proposal.wanted
    for field_id in () if wanted is None else wanted.fields_by_id:
        if field_id > MAX_FIELD_ID:
            yield Finding(
                f"its id {field_id} is reserved for metadata columns",
                Direction.METADATA_INVALID,
                wanted.name_of(field_id) if wanted is not None else None,
                field_id,
                help=f"number new fields from {change.before.metadata.last_column_id + 1}",
            )


RULE = Rule(
    "S111",
    "reserved-field-id",
    "Finds proposed columns with an id that is reserved for metadata columns.",
    Level.SCHEMA,
    "Reserved Field IDs",
    on_change=check,
)
