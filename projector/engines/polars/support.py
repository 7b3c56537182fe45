"""What Polars' own reader cannot do exactly: the reasons for which the Arrow executor reads a file instead.

If the plan of a shape has a reason here, the Arrow executor reads its files and passes the batches to Polars: the
answer is the same, only the reader differs.
"""

from __future__ import annotations

from enum import StrEnum

from projector.engines.common.support import COMPUTED_METADATA, ODD_KINDS, is_three_level
from projector.files.parquet.file_schema import (
    FileColumn,
    FileKind,
    FileLeaf,
    FileList,
    FileMap,
    FileSchema,
    FileStruct,
)
from projector.planning.scan.tasks import FileTask
from projector.projection.plan import (
    Cast,
    ListOf,
    MapOf,
    MetadataColumn,
    NewStruct,
    PartitionValue,
    Plan,
    PlanNode,
    Read,
    StructOf,
    children,
)


class Reason(StrEnum):
    """Why Polars does not read a shape of file, or one file, itself."""

    MAP = "maps: Polars 2 drops all but the last of several entries with the same key"
    RESCALE = "times and timestamps in another unit: Polars does not refuse what cannot be rescaled exactly"
    INT96 = "int96 timestamps: Polars reads them as nanoseconds, which wrap around outside 1677 to 2262"
    ODD_LEAF = "enum, JSON, BSON, interval, geometry and geography annotations, decimals of more than 16 bytes"
    LAYOUT = "lists in another layout than the standard one: two-level, repeated, and sets"
    NAMES = "a file in which several columns of one group have the same name, and columns called `*` or `^...$`"
    REQUIRED_BELOW = "a required field inside a struct or list whose column in the file may be null"
    NESTED_PARTITION = "a partition value inside a struct"
    NO_CHILD = "a struct without a selected child"
    METADATA_BELOW = "a metadata column inside a struct, or one that is not computed from a file"
    DELETED = "the column `_deleted`"
    EQUALITY = "files with equality deletes"
    HINTS = "a file whose Arrow schema gives a column a type that the plan does not expect"
    STORE = "object stores that Polars cannot open, and keys with characters that it might decode"


def plan_reasons(plan: Plan) -> tuple[Reason, ...]:
    """Return why Polars does not read files of a plan; empty if it does."""
    found: set[Reason] = set()
    if not _names_are_unique(plan.file_schema):
        found.add(Reason.NAMES)
    for node in plan.fields:
        _reasons(node, plan.file_schema, found, top=True)
    return tuple(sorted(found))


def task_reasons(task: FileTask) -> tuple[Reason, ...]:
    """Return why Polars does not read one file although it reads its shape."""
    return (Reason.EQUALITY,) if any(delete.content == "equality" for delete in task.deletes) else ()


def _reasons(node: PlanNode, schema: FileSchema, found: set[Reason], top: bool = False) -> None:
    if node.place is not None and is_pattern(schema.at(node.place).name):
        found.add(Reason.NAMES)
    match node:
        case Read(place=place, cast=cast, check_null=check_null):
            leaf = schema.at(place).type
            assert isinstance(leaf, FileLeaf)
            found |= _leaf_reasons(leaf, cast)
            if check_null and not top:
                found.add(Reason.REQUIRED_BELOW)
        case StructOf(fields=fields, check_null=check_null):
            if not fields:
                found.add(Reason.NO_CHILD)
            if check_null and not top:
                found.add(Reason.REQUIRED_BELOW)
        case ListOf(place=place, check_null=check_null):
            if not is_three_level(schema.at(place).type):
                found.add(Reason.LAYOUT)
            if check_null and not top:
                found.add(Reason.REQUIRED_BELOW)
        case MapOf():
            found.add(Reason.MAP)
        case NewStruct(fields=fields):
            if not fields:
                found.add(Reason.NO_CHILD)
        case PartitionValue() if not top:
            found.add(Reason.NESTED_PARTITION)
        case MetadataColumn(field=field) if not top or field.field_id not in COMPUTED_METADATA:
            found.add(Reason.METADATA_BELOW)
    for child in children(node):
        _reasons(child, schema, found)


def _leaf_reasons(leaf: FileLeaf, cast: Cast) -> set[Reason]:
    found = set()
    if cast in (Cast.RESCALE_TIME, Cast.RESCALE_TIMESTAMP):
        found.add(Reason.RESCALE)
    if cast is Cast.INT96_TO_TIMESTAMP:
        found.add(Reason.INT96)
    if leaf.kind in ODD_KINDS or (leaf.kind is FileKind.DECIMAL and _is_wide(leaf)):
        found.add(Reason.ODD_LEAF)
    return found


def is_pattern(name: str) -> bool:
    """Return whether Polars treats a column name as a pattern."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def _is_wide(leaf: FileLeaf) -> bool:
    return leaf.physical == "byte_array" or (leaf.length or 0) > 16


def _names_are_unique(schema: FileSchema) -> bool:
    """Return whether the column names in each group of the file are unique."""

    def unique(columns: tuple[FileColumn, ...]) -> bool:
        if len({c.name for c in columns}) < len(columns):
            return False
        return all(unique(c.children) for c in columns if isinstance(c.type, FileStruct | FileList))

    def below_maps(columns: tuple[FileColumn, ...]) -> bool:
        return all(
            (unique(c.type.value.children) if isinstance(c.type, FileMap) else below_maps(c.children)) for c in columns
        )

    return unique(schema.columns) and below_maps(schema.columns)
