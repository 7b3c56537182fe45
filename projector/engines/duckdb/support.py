"""What DuckDB's own reader cannot do exactly: the reasons for which the Arrow executor reads a file instead.

If the plan of a shape has a reason here, the Arrow executor reads its files and passes the batches to DuckDB: the
answer is the same, only the reader differs. In addition, DuckDB is asked once per shape which types it sees in the
file; if they differ from `seen_type`, DuckDB would misread the file, and the Arrow executor reads it.
"""

from __future__ import annotations

from enum import StrEnum

from projector.engines.common.support import COMPUTED_METADATA, ODD_KINDS, is_three_level
from projector.engines.duckdb.types import struct_type
from projector.files.parquet.file_schema import (
    FileColumn,
    FileKind,
    FileLeaf,
    FileList,
    FileMap,
    FileStruct,
    FileType,
    TimeUnit,
)
from projector.planning.scan.probes import Probe
from projector.planning.scan.request import ScanRequest
from projector.planning.scan.tasks import FileTask
from projector.projection.plan import (
    Cast,
    ListOf,
    MapOf,
    MetadataColumn,
    Plan,
    PlanNode,
    Read,
    StructOf,
    children,
)
from projector.schema.types import DoubleType, FloatType, IcebergType, StructType, TimestamptzNanoType


class Reason(StrEnum):
    """Why DuckDB does not read a shape of file, or one file, itself."""

    RESCALE = (
        "times and timestamps in finer units than requested, or to nanoseconds: DuckDB truncates, or reads infinity"
    )
    INT96 = "int96 timestamps: DuckDB wraps around if its own timestamps cannot hold them"
    ODD_LEAF = "enum, JSON, BSON, interval, geometry, geography and variant columns"
    UTC = "timestamps whose UTC flag is not the requested type's: DuckDB would convert by the session's time zone"
    LAYOUT = "lists in another layout than the standard one: two-level, repeated, and sets"
    NAMES = "a file in which names of one group differ only in case, are empty, or are those of DuckDB's own columns"
    METADATA_BELOW = "a metadata column inside a struct, or one that is not computed from a file"
    DELETED = "the column `_deleted`"
    FLOAT_KEY = "equality deletes that compare floats, where 0.0 is not -0.0, or timestamps in nanoseconds with a zone"
    MANY_KEYS = "equality deletes that would have to be repeated for too many data files"
    UNSEEN = "a file in which DuckDB sees other types than its footer declares"
    STORE = "object stores and paths that DuckDB cannot open"
    TAIL = "shapes beyond the hundred with the most rows: DuckDB plans every shape again for every query"


_OWN_COLUMNS = frozenset({"filename", "file_index", "file_row_number", "rowid", "file_size"})


def plan_reasons(plan: Plan) -> tuple[Reason, ...]:
    """Return why DuckDB does not read files of a plan; empty if it does."""
    found: set[Reason] = set()
    columns = plan.file_schema.columns
    if not _names_are_unique(columns) or any(c.name.lower() in _OWN_COLUMNS for c in columns):
        found.add(Reason.NAMES)
    for node in plan.fields:
        _reasons(node, plan, found, top=True)
    return tuple(sorted(found))


def task_reasons(task: FileTask, request: ScanRequest) -> tuple[Reason, ...]:
    """Return why DuckDB does not read one file although it reads its shape."""
    if not any(delete.equality_ids for delete in task.deletes):
        return ()
    kinds = {p.field_id: probed_type(p) for p in request.probes}
    for delete in task.deletes:
        if any(isinstance(kinds.get(i), FloatType | DoubleType | TimestamptzNanoType) for i in delete.equality_ids):
            return (Reason.FLOAT_KEY,)
    return ()


def probed_type(probe: Probe) -> IcebergType:
    """Return the requested type of the field that a probe reads."""
    kind = probe.column.field_type
    for _ in probe.path:
        assert isinstance(kind, StructType)
        kind = kind.fields[0].field_type
    return kind


def _reasons(node: PlanNode, plan: Plan, found: set[Reason], top: bool = False) -> None:
    match node:
        case Read(place=place, cast=cast):
            leaf = plan.file_schema.at(place).type
            assert isinstance(leaf, FileLeaf)
            found |= _leaf_reasons(leaf, cast, node)
        case StructOf() | MapOf():
            pass
        case ListOf(place=place):
            if not is_three_level(plan.file_schema.at(place).type):
                found.add(Reason.LAYOUT)
        case MetadataColumn(field=field) if not top or field.field_id not in COMPUTED_METADATA:
            found.add(Reason.METADATA_BELOW)
    for child in children(node):
        _reasons(child, plan, found)


def _leaf_reasons(leaf: FileLeaf, cast: Cast, node: Read) -> set[Reason]:
    found = set()
    if leaf.kind in ODD_KINDS or leaf.kind is FileKind.NULL:
        found.add(Reason.ODD_LEAF)
    if cast is Cast.INT96_TO_TIMESTAMP or leaf.kind is FileKind.INT96:
        found.add(Reason.INT96)
    if cast in (Cast.RESCALE_TIME, Cast.RESCALE_TIMESTAMP):
        # DuckDB reads milliseconds as microseconds exactly, or fails.
        kind = type(node.field.field_type).__name__
        if leaf.unit is not TimeUnit.MILLIS or "Nano" in kind:
            found.add(Reason.RESCALE)
    if leaf.kind is FileKind.TIMESTAMP and leaf.utc != ("tz" in type(node.field.field_type).__name__):
        found.add(Reason.UTC)
    return found


def _names_are_unique(columns: tuple[FileColumn, ...]) -> bool:
    """Return whether DuckDB finds every column of a file, at every depth, by its name in the footer."""
    if len({c.name.lower() for c in columns}) < len(columns):
        return False
    for column in columns:
        if not column.name or "\0" in column.name:
            return False
        match column.type:
            case FileStruct() if not _names_are_unique(column.children):
                return False
            case FileList() | FileMap() if not all(_names_are_unique((c,)) for c in column.children):
                return False
    return True


_SEEN = {
    FileKind.BOOLEAN: "BOOLEAN",
    FileKind.FLOAT16: "FLOAT",
    FileKind.FLOAT: "FLOAT",
    FileKind.DOUBLE: "DOUBLE",
    FileKind.DATE: "DATE",
    FileKind.TIME: "TIME",
    FileKind.STRING: "VARCHAR",
    FileKind.BYTES: "BLOB",
    FileKind.FIXED: "BLOB",
    FileKind.UUID: "UUID",
}
_INTEGERS = {8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT"}


def seen_type(file_type: FileType) -> str | None:
    """Return the type that DuckDB must see for a column of a file, as SQL; None for a column that it may misread."""
    match file_type:
        case FileStruct(fields):
            seen = [(c.name, seen_type(c.type)) for c in fields]
            known = [(name, kind) for name, kind in seen if kind is not None]
            return struct_type(known) if known and len(known) == len(seen) else None
        case FileList(element):
            kind = seen_type(element.type)
            return None if kind is None else f"{kind}[]"
        case FileMap(key, value):
            kinds = seen_type(key.type), seen_type(value.type)
            return None if None in kinds else f"MAP({kinds[0]}, {kinds[1]})"
        case FileLeaf(kind=FileKind.INTEGER, bits=bits, signed=signed) if bits in _INTEGERS:
            return ("" if signed else "U") + _INTEGERS[bits]
        case FileLeaf(kind=FileKind.DECIMAL, precision=precision, scale=scale):
            return f"DECIMAL({precision},{scale})" if (precision or 99) <= 38 else None
        case FileLeaf(kind=FileKind.TIMESTAMP, unit=TimeUnit.NANOS, utc=utc):
            return "TIMESTAMPTZ_NS" if utc else "TIMESTAMP_NS"
        case FileLeaf(kind=FileKind.TIMESTAMP, utc=utc):
            return "TIMESTAMPTZ" if utc else "TIMESTAMP"
        case FileLeaf(kind=FileKind.TIME, unit=TimeUnit.NANOS):
            return None
        case FileLeaf(kind=kind):
            return _SEEN.get(kind)
        case _:
            return None
