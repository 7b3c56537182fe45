"""R106 mapping-id-not-given.

What it does:
    Finds an entry of the name mapping with an id that the table has not given out yet.

Why it matters:
    The next column that is added gets the id, and with it the values that files without field ids hold under those
    names; or the commit fails, because the id would be mapped twice. Until then nothing reads the names.

Evidence:
    The entry, and last-column-id.

Example:
    A mapping made for another version of the table, with id 7 where last-column-id is 6

Instead:
    Take the entry out, or make it one without an id.

Reference:
    Spec, Name Mapping Serialization: field-id is optional, for columns that the table does not have.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """Every entry with an id above last-column-id."""
    if state.name_mapping is None:
        return
    last = state.metadata.last_column_id
    for path, entry in state.name_mapping.walk():
        if entry.field_id is not None and entry.field_id > last:
            yield Finding(
                f"the name mapping gives it id {entry.field_id}, but last-column-id is {last}",
                Direction.NEXT_CHANGE_AT_RISK,
                ".".join(path),
                entry.field_id,
                help="take the entry out of schema.name-mapping.default, or leave out its field-id",
            )


RULE = Rule(
    "R106",
    "mapping-id-not-given",
    "Finds ids in the name mapping that the table has not given out.",
    Level.SCHEMA,
    "Name Mapping Serialization",
    on_state=check,
)
