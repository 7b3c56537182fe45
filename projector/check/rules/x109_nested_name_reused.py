"""X109 nested-name-reused.

What it does:
    Finds fields inside lists and maps whose name live files have for another field, one that was dropped or renamed.

Why it matters:
    A reader that pairs nested fields by name shows the other field's values under this one.

Evidence:
    The live files, and the id that the name has there.

Example:
    ALTER TABLE orders RENAME COLUMN items.element.price TO net; ALTER TABLE orders ADD COLUMN items.element.price int

Instead:
    Give new nested fields names that were never used there; or rewrite the old files first.

Reference:
    Spec, Column Projection: by id, at every depth.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.findings import Finding
from projector.check.footers import ShapeGroup
from projector.check.portability import readers_disagree
from projector.check.rule import Level, Rule
from projector.check.state import TableState
from projector.files.physical import FileStruct
from projector.projection.plan import PlanNode
from projector.schema.types import StructType


def check(state: TableState) -> Iterator[Finding]:
    """Every such field of a struct that is somewhere in a list or map."""
    for parent_id, parent in state.schema.fields_by_id.items():
        if not isinstance(parent.field_type, StructType) or not _in_collection(state, parent_id):
            continue
        names = [(group, _ids_by_name(group, node)) for group, node in state.nodes(parent_id)]
        for field in parent.field_type.fields:
            groups = [group for group, ids in names if ids.get(field.name, field.field_id) != field.field_id]
            if groups:
                finding = readers_disagree(
                    "nested-name-reused",
                    state.engines,
                    f"old files have {field.name} there for another field",
                    evidence=state.footers.evidence(groups),
                    help="take a name that was never used there, or rewrite these files first",
                    path=state.dotted(field.field_id),
                    field_id=field.field_id,
                )
                if finding is not None:
                    yield finding


def _ids_by_name(group: ShapeGroup, node: PlanNode) -> dict[str, int]:
    """The ids of the children of a struct in some files, by their names there."""
    column = group.column(node)
    if column is None or not isinstance(column.type, FileStruct):
        return {}
    return {child.name: child.field_id for child in column.children if child.field_id is not None}


def _in_collection(state: TableState, field_id: int) -> bool:
    above: int | None = field_id
    while above is not None:
        parent = state.schema.parents_by_id.get(above)
        if parent is not None and not isinstance(state.schema.fields_by_id[parent].field_type, StructType):
            return True
        above = parent
    return False


RULE = Rule(
    "X109",
    "nested-name-reused",
    "Finds names inside lists and maps that old files have for another field.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
    absorbed_by=("D106", "R107"),
)
