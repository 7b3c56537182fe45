"""What a file may hold under a requested primitive: one table, read by resolve(), the executors and the docs.

Imported files are not always by the book, so the table is wider than the spec's promotions, but never by a conversion
that could change a value: what does not fit exactly is refused, by type here or by value when it is read.
"""

from __future__ import annotations

from projector.files.parquet.file_schema import FileKind, FileLeaf, TimeUnit
from projector.projection.plan import Cast
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    GeographyType,
    GeometryType,
    IcebergType,
    IntegerType,
    LongType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

_TEXT_KINDS = (FileKind.STRING, FileKind.JSON)
_BYTE_KINDS = (FileKind.STRING, FileKind.ENUM, FileKind.JSON, FileKind.BSON)


def find_cast(leaf: FileLeaf, requested: IcebergType) -> Cast | None:
    """How a leaf's values become values of the requested type, or None where they must not.

    A leaf of kind `NULL` holds nothing but nulls and is the caller's affair.
    """
    kind = leaf.kind
    match requested:
        case BooleanType():
            return Cast.NONE if kind is FileKind.BOOLEAN else None
        case IntegerType() | LongType():
            return _integer(leaf, 32 if isinstance(requested, IntegerType) else 64)
        case FloatType():
            return {FileKind.FLOAT: Cast.NONE, FileKind.FLOAT16: Cast.WIDEN_FLOAT}.get(kind)
        case DoubleType():
            if kind is FileKind.DOUBLE:
                return Cast.NONE
            return Cast.WIDEN_FLOAT if kind in (FileKind.FLOAT, FileKind.FLOAT16) else None
        case DecimalType(precision, scale):
            if kind is not FileKind.DECIMAL or leaf.scale != scale or (leaf.precision or 0) > precision:
                return None
            return Cast.NONE if leaf.precision == precision else Cast.WIDEN_DECIMAL
        case DateType():
            return Cast.NONE if kind is FileKind.DATE else None
        case TimeType():
            if kind is not FileKind.TIME:
                return None
            return Cast.NONE if leaf.unit is TimeUnit.MICROS else Cast.RESCALE_TIME
        case TimestampType() | TimestamptzType():
            return _timestamp(leaf, TimeUnit.MICROS, isinstance(requested, TimestampType))
        case TimestampNanoType() | TimestamptzNanoType():
            return _timestamp(leaf, TimeUnit.NANOS, isinstance(requested, TimestampNanoType))
        case StringType():
            if kind in _TEXT_KINDS:
                return Cast.NONE
            return Cast.BYTES_TO_STRING if kind in (FileKind.BYTES, FileKind.ENUM) else None
        case BinaryType():
            if kind in (FileKind.BYTES, FileKind.GEOMETRY, FileKind.GEOGRAPHY):  # whose bytes are WKB
                return Cast.NONE
            return Cast.STRING_TO_BYTES if kind in _BYTE_KINDS else None
        case UUIDType():
            if kind is FileKind.UUID:
                return Cast.NONE
            return Cast.BYTES_TO_UUID if kind is FileKind.FIXED and leaf.length == 16 else None
        case FixedType(length):
            return Cast.NONE if kind is FileKind.FIXED and leaf.length == length else None
        case GeometryType() | GeographyType():
            return Cast.NONE if kind in (FileKind.BYTES, FileKind.GEOMETRY, FileKind.GEOGRAPHY) else None
        case _:
            return None


def _integer(leaf: FileLeaf, bits: int) -> Cast | None:
    if leaf.kind is not FileKind.INTEGER or leaf.bits is None:
        return None
    if leaf.signed:
        if leaf.bits > bits:
            return None
        return Cast.NONE if leaf.bits == bits else Cast.WIDEN_INTEGER
    return Cast.WIDEN_INTEGER if leaf.bits < 32 else Cast.CHECKED_INTEGER


def _timestamp(leaf: FileLeaf, unit: TimeUnit, without_zone: bool) -> Cast | None:
    # The UTC flag is not looked at: the stored number is taken as it is, and resolve() notes the difference.
    match leaf.kind:
        case FileKind.TIMESTAMP:
            return Cast.NONE if leaf.unit is unit else Cast.RESCALE_TIMESTAMP
        case FileKind.INT96:
            return Cast.INT96_TO_TIMESTAMP
        case FileKind.DATE if without_zone:
            return Cast.DATE_TO_TIMESTAMP
        case _:
            return None
