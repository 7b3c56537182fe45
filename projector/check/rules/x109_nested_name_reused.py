"""X109 nested-name-reused.

What it does:
    Finds fields inside a list or map that is itself the element of one, and whose name live files have for another
    field, one that was dropped or renamed.

Why it matters:
    A reader in use pairs the fields there by name, and shows the other field's values under this one.

Evidence:
    The live files, and the id that the name has there.

Example:
    ALTER TABLE orders DROP COLUMN items.element.element.price; ALTER TABLE orders ADD COLUMN
    items.element.element.price int

Instead:
    Give new nested fields names that were never used there; or rewrite the old files first.

Reference:
    Spec, Column Projection: by id, at every depth.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.state import TableState
from projector.check.kit.field_paths import in_nested_collections
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Finding
from projector.files.parquet.file_schema import FileStruct
from projector.projection.plan import PlanNode
from projector.schema.types import StructType


def check(state: TableState) -> Iterator[Finding]:
    """Every such field of a struct below a collection of collections."""
    for parent_id, parent in state.schema.fields_by_id.items():
        if not isinstance(parent.field_type, StructType) or not in_nested_collections(state.schema, parent_id):
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


def _ids_by_name(group: LiveGroup, node: PlanNode) -> dict[str, int]:
    """The ids of the children of a struct in some files, by their names there."""
    column = group.column(node)
    if column is None or not isinstance(column.type, FileStruct):
        return {}
    return {child.name: child.field_id for child in column.children if child.field_id is not None}


RULE = Rule(
    "X109",
    "nested-name-reused",
    "Finds names inside nested lists and maps that old files have for another field.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
)
