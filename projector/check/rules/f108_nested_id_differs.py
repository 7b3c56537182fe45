"""F108 nested-id-differs.

What it does:
    Finds list elements, map keys and map values that have in files another field id than in the table, or none.

Why it matters:
    A list has one element, so it can be matched by its place. Readers that look for its id find nothing and give nulls
    or fail.

Evidence:
    The files, and the ids that they have.

Example:
    A catalog gave new ids when the table was created, and a writer kept those of its own schema.

Instead:
    Write these files again with the table's ids.

Reference:
    Spec, Appendix A: Parquet field ids of elements, keys and values.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.state import TableState
from projector.check.kit.file_columns import listed
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.projection.plan import ListOf, MapOf
from projector.schema.types import ListType, MapType, children


def check(state: TableState) -> Iterator[Finding]:
    """Every such element, key or value of a list or map that the files with ids have."""
    for field_id, field in state.schema.fields_by_id.items():
        if not isinstance(field.field_type, ListType | MapType):
            continue
        for place, child in enumerate(children(field.field_type)):
            groups: list[LiveGroup] = []
            ids: list[str] = []
            for group, node in state.nodes(field_id):
                column = group.column(node) if isinstance(node, ListOf | MapOf) else None
                if column is None or not group.schema.has_field_ids:
                    continue
                held = column.children[place].field_id
                if held != child.field_id:
                    groups.append(group)
                    ids.append("no id" if held is None else f"id {held}")
            if groups:
                yield Finding(
                    f"has {listed(ids)} in files instead of {child.field_id}",
                    Direction.READERS_DISAGREE,
                    state.dotted(child.field_id),
                    child.field_id,
                    evidence=state.footers.evidence(groups),
                    help="write these files again with the table's ids",
                )


RULE = Rule(
    "F108",
    "nested-id-differs",
    "Finds elements, keys and values whose id in files is not the table's.",
    Level.FOOTERS,
    "Appendix A",
    on_state=check,
)
