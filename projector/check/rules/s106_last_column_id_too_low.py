"""S106 last-column-id-too-low.

What it does:
    Finds metadata whose last-column-id is below the highest id of any of its schemas, nested ids included.

Why it matters:
    The next column that somebody adds gets an id that another has had, and shows that one's values.

Evidence:
    The schemas with ids above it.

Example:
    A writer that counts only top-level columns: two columns and four nested fields, last-column-id 2.

Instead:
    Correct last-column-id in the metadata before anything is added.

Reference:
    Spec, Table Metadata Fields: last-column-id, the highest assigned column id.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """The highest id above last-column-id, if any."""
    last = state.metadata.last_column_id
    above = {s.schema_id: s.highest_field_id for s in state.history.values() if s.highest_field_id > last}
    if above:
        highest = max(above.values())
        yield Finding(
            f"last-column-id is {last}, but schema {max(above, key=lambda i: above[i])} has given id {highest}",
            Direction.METADATA_INVALID,
            help=f"set last-column-id to {highest} at least, before anything is added",
        )


RULE = Rule(
    "S106",
    "last-column-id-too-low",
    "Finds tables whose last-column-id is below an id that was given.",
    Level.SCHEMA,
    "Table Metadata Fields",
    on_state=check,
)
