"""F106 writer-left-out-column.

What it does:
    Finds files that lack a column which their own snapshot's schema had.

Why it matters:
    Writers have to write every column. Where one is left out, readers show null or the initial default, whatever the
    writer had; a write default that is set is not what they show.

Evidence:
    The files with ids that lack the column, by the schema that their snapshot records.

Example:
    `channel` is added with a default that is changed later; a job that does not know it goes on writing files.

Instead:
    Restart the writer on the current schema; rewrite the files if the values matter.

Reference:
    Spec, Writing data files: all columns must be written, even if they are redundant with metadata; Default values.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.live_files import Files
from projector.check.evidence.state import TableState
from projector.check.kit.file_columns import among, by_writing_schema, distinct
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.projection.plan import Constant, NewStruct, Null
from projector.schema.types import NestedField, StructType, UnknownType


def check(state: TableState) -> Iterator[Finding]:
    """Every field that some file should have by the schema it was written under; missing required ones are N107's."""
    schemas = {id(g): tuple(by_writing_schema(state, g)) for g in state.footers.groups if g.schema.has_field_ids}
    for field_id, field in state.schema.fields_by_id.items():
        if not _is_stored(field):
            continue
        groups: list[LiveGroup] = []
        missing: list[Files] = []
        default_lost = False
        holders = _with_holder(state, field_id)
        for group, node in state.nodes(field_id):
            if not isinstance(node, Constant | NewStruct | Null) or not (id(group) in schemas and id(group) in holders):
                continue
            for schema, files in schemas[id(group)]:
                written = schema.fields_by_id.get(field_id)
                if written is not None and _is_stored(written):
                    groups.append(group)
                    missing.append(files)
                    default_lost |= written.write_default not in (None, field.initial_default)
        if not missing:
            continue
        yield Finding(
            "not in files that were added when it was in the schema: they read as "
            + ("the initial default, not the write default" if default_lost else "null or the initial default"),
            Direction.OLD_DATA_AT_RISK if default_lost else Direction.ADVICE,
            state.dotted(field_id),
            field_id,
            evidence=state.footers.evidence(distinct(groups), where=among(missing)),
            help="restart the writer on the current schema",
        )


def _is_stored(field: NestedField) -> bool:
    """Whether files hold such a field: nothing is stored for type unknown."""
    match field.field_type:
        case UnknownType():
            return False
        case StructType(fields):
            return any(_is_stored(child) for child in fields)
        case _:
            return True


def _with_holder(state: TableState, field_id: int) -> set[int]:
    """The groups whose files have what a field is in, so that the field itself is what is missing; by identity."""
    parent = state.schema.parents_by_id.get(field_id)
    if parent is None:
        return {id(group) for group in state.footers.groups}
    return {id(group) for group, node in state.nodes(parent) if group.column(node) is not None}


RULE = Rule(
    "F106",
    "writer-left-out-column",
    "Finds files that lack a column which the table had when they were added.",
    Level.FOOTERS,
    "Writing data files",
    on_state=check,
)
