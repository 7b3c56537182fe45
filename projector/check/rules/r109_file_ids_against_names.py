"""R109 file-ids-against-names.

What it does:
    Finds a column of live files that has the id of one field and a name that only another field of that level has had.

Why it matters:
    By the spec the id decides, so the field shows values that were meant for the other. It happens where a catalog
    numbered the fields anew when the table was made, and the writer kept its own ids.

Evidence:
    The live files, and the name that they have the field under.

Example:
    Files with `name` as id 2 and `city` as id 3, in a table whose `city` is 2 and whose `name` is 3

Instead:
    Compare some rows with their source. If they are exchanged, write the files again with the table's ids.

Reference:
    Spec, Column Projection; Writer Requirements.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.kit.used_names import level_of, sanitized
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.schema.types import ListType, MapType


def check(state: TableState) -> Iterator[Finding]:
    """Every field that some file holds under a name which is only another's."""
    owners = {(level, sanitized(name)): ids for (level, name), ids in state.owners.items()}
    for field_id in state.schema.fields_by_id:
        level = level_of(state.schema, field_id)
        if level is not None and isinstance(state.schema.fields_by_id[level].field_type, (ListType, MapType)):
            continue
        wrong: dict[str, list[LiveGroup]] = {}
        for group, node in state.nodes(field_id):
            column = group.column(node)
            if column is None or column.field_id != field_id:
                continue
            had = owners.get((level, sanitized(column.name)), ())
            if had and field_id not in had:
                wrong.setdefault(column.name, []).append(group)
        for name, groups in wrong.items():
            yield Finding(
                f"files have its id, {field_id}, on a column {name!r}, a name that it never had"
                f" and the field with id {owners[level, sanitized(name)][-1]} has",
                Direction.OLD_DATA_AT_RISK,
                state.dotted(field_id),
                field_id,
                evidence=state.footers.evidence(groups),
                help="compare some rows of these files with their source; rewrite them with the table's ids",
                key=name,
            )


RULE = Rule(
    "R109",
    "file-ids-against-names",
    "Finds files whose field ids and names contradict each other.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
)
