"""Partition transforms (spec: Partition Transforms, Appendix B).

A transform turns the plain value of a source column into the plain value of a partition field. Each is a small frozen
dataclass; `apply`, `result_type`, `accepts` and `preserves_order` are functions over the closed set. What the planner
needs in the other direction, from a partition value back to the source values it may stand for, is in
`projector.planning.pruning.partition_facts`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

import mmh3

from projector.errors import InvalidMetadataError, UnsupportedError
from projector.schema.binary_values import unscaled_decimal, unscaled_value
from projector.schema.iso_text import date_from_days
from projector.schema.types import (
    BinaryType,
    DateType,
    DecimalType,
    FixedType,
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
    VariantType,
)

MICROS_PER_HOUR = 3_600_000_000


@dataclass(frozen=True, slots=True)
class Identity:
    """The source value, unmodified."""

    def __str__(self) -> str:
        return "identity"


@dataclass(frozen=True, slots=True)
class Bucket:
    """The hash of the source value, modulo `count`."""

    count: int

    def __post_init__(self) -> None:
        if self.count <= 0:
            raise InvalidMetadataError(f"Invalid number of buckets: {self.count} (must be > 0)")

    def __str__(self) -> str:
        return f"bucket[{self.count}]"


@dataclass(frozen=True, slots=True)
class Truncate:
    """The source value truncated to `width`: a multiple of it for numbers, its first code points or bytes otherwise."""

    width: int

    def __post_init__(self) -> None:
        if self.width <= 0:
            raise InvalidMetadataError(f"Invalid truncate width: {self.width} (must be > 0)")

    def __str__(self) -> str:
        return f"truncate[{self.width}]"


@dataclass(frozen=True, slots=True)
class Year:
    """Years from 1970."""

    def __str__(self) -> str:
        return "year"


@dataclass(frozen=True, slots=True)
class Month:
    """Months from 1970-01."""

    def __str__(self) -> str:
        return "month"


@dataclass(frozen=True, slots=True)
class Day:
    """Days from 1970-01-01."""

    def __str__(self) -> str:
        return "day"


@dataclass(frozen=True, slots=True)
class Hour:
    """Hours from 1970-01-01 00:00."""

    def __str__(self) -> str:
        return "hour"


@dataclass(frozen=True, slots=True)
class Void:
    """Null for every value: a partition field that was dropped (v1)."""

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class UnknownTransform:
    """A transform that the spec does not have. Its spelling is preserved, and it is never used for filtering."""

    text: str

    def __str__(self) -> str:
        return self.text


Transform = Identity | Bucket | Truncate | Year | Month | Day | Hour | Void | UnknownTransform

_WITHOUT_WIDTH: dict[str, Transform] = {
    str(t): t for t in (Identity(), Year(), Month(), Day(), Hour(), Void())
}  # fmt: skip
_WITH_WIDTH = re.compile(r"(bucket|truncate)\[(\d+)\]")


def parse_transform(text: str) -> Transform:
    """Return the transform that `text` names in metadata, such as `day` or `bucket[16]`, ignoring case.

    An unknown name gives an `UnknownTransform`. Raises `InvalidMetadataError` for a width of zero.
    """
    low = text.strip().lower()
    if low in _WITHOUT_WIDTH:
        return _WITHOUT_WIDTH[low]
    if m := _WITH_WIDTH.fullmatch(low):
        return Bucket(int(m[2])) if m[1] == "bucket" else Truncate(int(m[2]))
    return UnknownTransform(text)


_TIMESTAMPS = (TimestampType, TimestamptzType, TimestampNanoType, TimestamptzNanoType)
_NANOS = (TimestampNanoType, TimestamptzNanoType)
_BUCKETED = (
    IntegerType, LongType, DecimalType, DateType, TimeType, *_TIMESTAMPS, StringType, UUIDType, FixedType, BinaryType,
)  # fmt: skip
_TRUNCATED = (IntegerType, LongType, DecimalType, StringType, BinaryType)


def accepts(transform: Transform, source: IcebergType) -> bool:
    """Return whether the spec allows a transform on a source type. An unknown transform is assumed to accept any."""
    match transform:
        case Identity():
            # variant has no partition value in any format version, although the spec's table names only the geo types
            return source.is_primitive and not isinstance(source, (GeometryType, GeographyType, VariantType))
        case Bucket():
            return isinstance(source, _BUCKETED)
        case Truncate():
            return isinstance(source, _TRUNCATED)
        case Year() | Month() | Day():
            return isinstance(source, (DateType, *_TIMESTAMPS))
        case Hour():
            return isinstance(source, _TIMESTAMPS)
        case Void() | UnknownTransform():
            return True


def result_type(transform: Transform, source: IcebergType) -> IcebergType:
    """Return the type of the partition values that a transform makes of a source type.

    For an unknown transform it is string, as in Java; the manifest's own schema is more precise.
    """
    match transform:
        case Identity() | Truncate() | Void():
            return source
        case Bucket() | Year() | Month() | Hour():
            return IntegerType()
        case Day():
            return DateType()
        case UnknownTransform():
            return StringType()


def preserves_order(transform: Transform) -> bool:
    """Return whether a smaller source value never has a greater partition value, so that ranges can be pruned."""
    return isinstance(transform, (Identity, Truncate, Year, Month, Day, Hour))


def apply(transform: Transform, value: Any, source: IcebergType) -> Any:
    """Return the partition value of a source value: both are plain values; None for None.

    Raises `UnsupportedError` for an unknown transform, and `InvalidMetadataError` if the transform does not accept the
    source type.
    """
    if isinstance(transform, UnknownTransform):
        raise UnsupportedError(f"Cannot apply unknown transform {transform.text!r}")
    if not accepts(transform, source):
        raise InvalidMetadataError(f"Cannot bind: {transform} cannot transform {source} values")
    if value is None:
        return None
    match transform:
        case Identity():
            return value
        case Void():
            return None
        case Bucket(count):
            return (hash_value(value, source) & 0x7FFFFFFF) % count
        case Truncate(width):
            return _truncate(value, width, source)
        case Hour():
            # 245,000 years from 1970 the hours overflow their int; they wrap around, as in Java.
            return _wrap(_micros(value, source) // MICROS_PER_HOUR, 32)
        case Day():
            return _days(value, source)
        case Month():
            year, month, _ = date_from_days(_days(value, source))
            return (year - 1970) * 12 + month - 1
        case Year():
            return date_from_days(_days(value, source))[0] - 1970


def _micros(value: int, source: IcebergType) -> int:
    return value // 1000 if isinstance(source, _NANOS) else value


def _days(value: int, source: IcebergType) -> int:
    return value if isinstance(source, DateType) else _micros(value, source) // (24 * MICROS_PER_HOUR)


def _wrap(value: int, bits: int) -> int:
    """Return a number in two's complement of `bits` bits."""
    half = 1 << (bits - 1)
    return (value + half) % (1 << bits) - half


def _truncate(value: Any, width: int, source: IcebergType) -> Any:
    match source:
        case IntegerType() | LongType():
            # Within `width` of the smallest number the result overflows the type; it wraps around, as in Java.
            return _wrap(value - value % width, 32 if isinstance(source, IntegerType) else 64)
        case DecimalType(scale=scale):
            unscaled = _unscaled(value, scale)
            return unscaled_decimal(unscaled - unscaled % width, scale)
        case _:
            return value[:width]


def _unscaled(value: Decimal, scale: int) -> int:
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int), "a decimal of a table is finite"
    return int(unscaled_value(value) * 10 ** (exponent + scale))


def hash_value(value: Any, source: IcebergType) -> int:
    """Return the signed 32-bit hash of which `bucket` takes the modulo (spec: Appendix B).

    Raises `InvalidMetadataError` for a type that is not hashed.
    """
    match source:
        case IntegerType() | LongType() | DateType() | TimeType() | TimestampType() | TimestamptzType():
            data = value.to_bytes(8, "little", signed=True)
        case TimestampNanoType() | TimestamptzNanoType():
            data = (value // 1000).to_bytes(8, "little", signed=True)
        case DecimalType(scale=scale):
            unscaled = _unscaled(value, scale)
            bits = (unscaled if unscaled >= 0 else ~unscaled).bit_length()
            data = unscaled.to_bytes(bits // 8 + 1, "big", signed=True)
        case StringType():
            data = value.encode("utf-8")
        case UUIDType():
            data = value.bytes if isinstance(value, UUID) else bytes(value)
        case FixedType() | BinaryType():
            data = bytes(value)
        case _:
            raise InvalidMetadataError(f"Cannot bind: bucket cannot transform {source} values")
    return mmh3.hash(data, 0, signed=True)
