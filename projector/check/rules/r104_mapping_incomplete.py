"""R104 mapping-incomplete.

What it does:
    Finds a column of the schema that the name mapping has no entry for, at any depth.

Why it matters:
    In files without field ids such a column is null, or its default, though they may well have a column of its name. A
    mapping that lacks its nested part loses every field of a struct and every element's.

Evidence:
    The live files without field ids that have a column of that name, which nothing reads.

Example:
    A mapping written by hand, or one that a catalog cut down to its top level

Instead:
    Add the entry to `schema.name-mapping.default`.

Reference:
    Spec, Column Projection; Name Mapping Serialization.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.files.parquet.file_schema import FileColumn, FileStruct, Place
from projector.projection.plan import Constant, Fail, FailCode, NewStruct, Null, PlanNode, StructOf, children
from projector.schema.types import UnknownType


def check(state: TableState) -> Iterator[Finding]:
    """Every field that is hidden in some file, and the topmost of the others without entry."""
    mapping = state.name_mapping
    if mapping is None:
        return
    hidden: dict[int, list[LiveGroup]] = {}
    idless = False
    for group, plan in state.plans:
        if not group.schema.has_field_ids and group.schema.columns:
            idless = True
            for field_id in _hidden(group, plan.fields, group.schema.columns, ()):
                hidden.setdefault(field_id, []).append(group)
    for field_id, field in state.schema.fields_by_id.items():
        groups = hidden.get(field_id)
        parent = state.schema.parents_by_id.get(field_id)
        if groups:
            fact = f"these files have no field ids, and a column {field.name!r} that nothing reads"
            message, direction = (
                "files have a column of this name, which the name mapping hides",
                Direction.OLD_DATA_UNREADABLE,
            )
            evidence = state.footers.evidence(groups, fact)
            yield _finding(state, field_id, message, direction).filled(evidence=evidence)
        elif field_id not in mapping.fields_by_id and (parent is None or parent in mapping.fields_by_id):
            direction = Direction.NEXT_CHANGE_AT_RISK if idless else Direction.ADVICE
            yield _finding(state, field_id, "the name mapping has no entry for it", direction)


def _finding(state: TableState, field_id: int, message: str, direction: Direction) -> Finding:
    path = state.dotted(field_id)
    return Finding(
        message, direction, path, field_id, help=f"add {path} (id {field_id}) to schema.name-mapping.default"
    )


def _hidden(group: LiveGroup, nodes: Sequence[PlanNode], columns: Sequence[FileColumn], parent: Place) -> Iterator[int]:
    """Ids of the fields that a struct of the files has a column for by name, which no field reads."""
    read = {node.place for node in nodes}
    free = {column.name for i, column in enumerate(columns) if (*parent, i) not in read}
    for node in nodes:
        if _is_missing(node) and node.field.name in free:
            yield node.field.field_id
        yield from _below(group, node)


def _below(group: LiveGroup, node: PlanNode) -> Iterator[int]:
    if isinstance(node, StructOf):
        inside = group.schema.at(node.place).type
        assert isinstance(inside, FileStruct)
        yield from _hidden(group, node.fields, inside.fields, node.place)
    else:
        for child in children(node):
            yield from _below(group, child)


def _is_missing(node: PlanNode) -> bool:
    """Whether the files seem to lack a field, and nothing else gives it a value of theirs."""
    if isinstance(node.field.field_type, UnknownType):
        return False
    lacks = isinstance(node, Fail) and node.code is FailCode.REQUIRED and node.place is None
    return lacks or isinstance(node, (Null, Constant, NewStruct))


RULE = Rule(
    "R104",
    "mapping-incomplete",
    "Finds columns that the name mapping has no entry for.",
    Level.SCHEMA,
    "Column Projection",
    on_state=check,
    absorbed_by=("P103", "R111", "S100"),
)
