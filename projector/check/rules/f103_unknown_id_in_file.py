"""F103 unknown-id-in-file.

What it does:
    Finds field ids in files that no retained schema has: above last-column-id, or below it.

Why it matters:
    An id above last-column-id is given to the next column that is added, which then shows what the file has under it.
    An id below belongs to a schema that is gone, or to another table.

Evidence:
    The files, and the ids with the names that they have there.

Example:
    A file written with the ids of another table and added without a check.

Instead:
    Write the files again with the table's ids.

Reference:
    Spec, Table Metadata Fields: last-column-id; Writing data files.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.file_columns import dotted, listed, table_ids
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """Two findings at most: ids that will be given again, and ids of schemas that are gone."""
    last = state.metadata.last_column_id
    known = {i for schema in (*state.history.values(), state.schema) for i in schema.fields_by_id}
    strange = [(group, ids) for group in state.footers.groups if (ids := table_ids(group.schema) - known)]
    for above in (True, False):
        groups, names = [], []
        for group, ids in strange:
            here = [(p, c) for p, c in group.schema.walk() if c.field_id in ids and ((c.field_id or 0) > last) is above]
            if here:
                groups.append(group)
                names += [f"{c.field_id} ({dotted(group.schema, p)})" for p, c in here]
        if groups:
            said = f"above last-column-id {last}, which new columns will get" if above else "of no retained schema"
            yield Finding(
                f"field ids in files are {said}: {listed(names)}",
                Direction.NEXT_CHANGE_AT_RISK if above else Direction.ADVICE,
                evidence=state.footers.evidence(groups),
                help="write these files again with the table's ids" if above else None,
                key="above" if above else "below",
            )


RULE = Rule(
    "F103",
    "unknown-id-in-file",
    "Finds field ids in files that no schema of the table has.",
    Level.FOOTERS,
    "Table Metadata Fields",
    on_state=check,
)
