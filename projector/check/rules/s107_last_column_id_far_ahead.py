"""S107 last-column-id-far-ahead.

What it does:
    Finds metadata whose last-column-id is more than 1,000 above the highest id of any schema, or from which no
    further id can be given.

Why it matters:
    Legal, but some readers make arrays as long as the highest id, and ids run out at 2147483447: above it they are
    reserved for metadata columns.

Evidence:
    The two numbers.

Example:
    A catalog that numbers columns over all its tables.

Instead:
    Nothing, unless a reader fails or runs out of memory when it opens the table.

Reference:
    Spec, Table Metadata Fields; Reserved Field IDs.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.schema.types import MAX_FIELD_ID

FAR = 1_000


def check(state: TableState) -> Iterator[Finding]:
    """One finding, where the gap is wide or no id is left."""
    highest = max((schema.highest_field_id for schema in state.history.values()), default=0)
    last = state.metadata.last_column_id
    if last >= MAX_FIELD_ID:
        yield Finding(
            f"last-column-id is {last}: no id is left for another column",
            Direction.NEXT_CHANGE_AT_RISK,
            help="make the table anew with lower ids before anything is added",
        )
    elif last - highest > FAR:
        yield Finding(
            f"last-column-id is {last}, the highest id of any schema {highest}",
            Direction.ADVICE,
            help="nothing, unless a reader fails or runs out of memory when it opens the table",
        )


RULE = Rule(
    "S107",
    "last-column-id-far-ahead",
    "Finds tables whose last-column-id is far above the ids of their schemas.",
    Level.SCHEMA,
    "Table Metadata Fields",
    on_state=check,
)
