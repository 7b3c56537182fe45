"""What a file may hold under a requested primitive type: one table, read by `resolve`, the docs and the tests.

Imported files do not always follow the spec, so the table is wider than the spec's promotions. It has no conversion
that could change a value: what does not fit exactly is refused, by type here or by value when it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class CastRule:
    """A cast, and the condition on the leaf and the requested type under which it is the right one."""

    cast: Cast
    condition: str = ""
    holds: Callable[[FileLeaf, IcebergType], bool] = lambda leaf, requested: True


def find_cast(leaf: FileLeaf, requested: IcebergType) -> Cast | None:
    """Return how a leaf's values become values of the requested type, or None if they cannot.

    Callers handle leaves of kind `NULL`, which hold nothing but nulls.
    """
    rules = CASTS.get((leaf.kind, type(requested)), ())
    return next((rule.cast for rule in rules if rule.holds(leaf, requested)), None)


def _integer_rules(bits: int) -> tuple[CastRule, ...]:
    return (
        CastRule(Cast.NONE, f"signed, {bits} bits", lambda leaf, _: leaf.signed and leaf.bits == bits),
        CastRule(
            Cast.WIDEN_INTEGER,
            f"signed, fewer than {bits} bits, or unsigned, fewer than 32",
            lambda leaf, _: leaf.bits is not None and leaf.bits < (bits if leaf.signed else 32),
        ),
        CastRule(
            Cast.CHECKED_INTEGER, "unsigned, 32 or 64 bits", lambda leaf, _: leaf.bits is not None and not leaf.signed
        ),
    )


def _has_unit(unit: TimeUnit) -> CastRule:
    return CastRule(Cast.NONE, f"in {unit}", lambda leaf, _: leaf.unit is unit)


def _same_scale(leaf: FileLeaf, requested: IcebergType) -> bool:
    assert isinstance(requested, DecimalType)
    return leaf.scale == requested.scale and (leaf.precision or 0) <= requested.precision


def _same_precision(leaf: FileLeaf, requested: IcebergType) -> bool:
    assert isinstance(requested, DecimalType)
    return leaf.scale == requested.scale and leaf.precision == requested.precision


def _same_length(leaf: FileLeaf, requested: IcebergType) -> bool:
    assert isinstance(requested, FixedType)
    return leaf.length == requested.length


_AS_IS = (CastRule(Cast.NONE),)
_WIDEN_FLOAT = (CastRule(Cast.WIDEN_FLOAT),)
_TO_STRING = (CastRule(Cast.BYTES_TO_STRING),)
_TO_BYTES = (CastRule(Cast.STRING_TO_BYTES),)
_INT96 = (CastRule(Cast.INT96_TO_TIMESTAMP),)
_DATE_TO_TIMESTAMP = (CastRule(Cast.DATE_TO_TIMESTAMP),)
# The stored number is taken as it is, whatever the UTC flag says; resolve() notes the difference.
_MICROS = (_has_unit(TimeUnit.MICROS), CastRule(Cast.RESCALE_TIMESTAMP, "in another unit"))
_NANOS = (_has_unit(TimeUnit.NANOS), CastRule(Cast.RESCALE_TIMESTAMP, "in another unit"))

CASTS: Mapping[tuple[FileKind, type[IcebergType]], tuple[CastRule, ...]] = {
    (FileKind.BOOLEAN, BooleanType): _AS_IS,
    (FileKind.INTEGER, IntegerType): _integer_rules(32),
    (FileKind.INTEGER, LongType): _integer_rules(64),
    (FileKind.FLOAT16, FloatType): _WIDEN_FLOAT,
    (FileKind.FLOAT, FloatType): _AS_IS,
    (FileKind.FLOAT16, DoubleType): _WIDEN_FLOAT,
    (FileKind.FLOAT, DoubleType): _WIDEN_FLOAT,
    (FileKind.DOUBLE, DoubleType): _AS_IS,
    (FileKind.DECIMAL, DecimalType): (
        CastRule(Cast.NONE, "of the same scale and precision", _same_precision),
        CastRule(Cast.WIDEN_DECIMAL, "of the same scale and a lower precision", _same_scale),
    ),
    (FileKind.DATE, DateType): _AS_IS,
    (FileKind.TIME, TimeType): (_has_unit(TimeUnit.MICROS), CastRule(Cast.RESCALE_TIME, "in another unit")),
    (FileKind.TIMESTAMP, TimestampType): _MICROS,
    (FileKind.INT96, TimestampType): _INT96,
    (FileKind.DATE, TimestampType): _DATE_TO_TIMESTAMP,
    (FileKind.TIMESTAMP, TimestamptzType): _MICROS,
    (FileKind.INT96, TimestamptzType): _INT96,
    (FileKind.TIMESTAMP, TimestampNanoType): _NANOS,
    (FileKind.INT96, TimestampNanoType): _INT96,
    (FileKind.DATE, TimestampNanoType): _DATE_TO_TIMESTAMP,
    (FileKind.TIMESTAMP, TimestamptzNanoType): _NANOS,
    (FileKind.INT96, TimestamptzNanoType): _INT96,
    (FileKind.STRING, StringType): _AS_IS,
    (FileKind.JSON, StringType): _AS_IS,
    (FileKind.ENUM, StringType): _TO_STRING,
    (FileKind.BYTES, StringType): _TO_STRING,
    (FileKind.BYTES, BinaryType): _AS_IS,
    (FileKind.GEOMETRY, BinaryType): _AS_IS,  # WKB
    (FileKind.GEOGRAPHY, BinaryType): _AS_IS,
    (FileKind.STRING, BinaryType): _TO_BYTES,
    (FileKind.ENUM, BinaryType): _TO_BYTES,
    (FileKind.JSON, BinaryType): _TO_BYTES,
    (FileKind.BSON, BinaryType): _TO_BYTES,
    (FileKind.UUID, UUIDType): _AS_IS,
    (FileKind.FIXED, UUIDType): (CastRule(Cast.BYTES_TO_UUID, "of 16 bytes", lambda leaf, _: leaf.length == 16),),
    (FileKind.FIXED, FixedType): (CastRule(Cast.NONE, "of the same length", _same_length),),
    (FileKind.BYTES, GeometryType): _AS_IS,
    (FileKind.GEOMETRY, GeometryType): _AS_IS,
    (FileKind.GEOGRAPHY, GeometryType): _AS_IS,
    (FileKind.BYTES, GeographyType): _AS_IS,
    (FileKind.GEOMETRY, GeographyType): _AS_IS,
    (FileKind.GEOGRAPHY, GeographyType): _AS_IS,
}
"""The rules for each kind of leaf and requested type; the first that holds applies. Other pairs cannot be read."""
