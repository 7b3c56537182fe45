"""Read and write binary single values: bounds in manifests (spec: Appendix D, Binary single-value serialization)."""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from typing import Any
from uuid import UUID

from projector.errors import InvalidMetadataError, ProjectionError, UnsupportedError
from projector.schema.promotions import promote_value
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
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

_INT = struct.Struct("<i")
_LONG = struct.Struct("<q")
_FLOAT = struct.Struct("<f")
_DOUBLE = struct.Struct("<d")


def decode_bound(data: bytes, iceberg_type: IcebergType) -> Any:
    """Return the plain value of a lower or upper bound, or None if the bytes say nothing about the column.

    The length tells the type a bound was written with: 4 bytes under `long`, `double`, `timestamp` or `timestamp_ns`
    are an `int`, `float` or `date` from before a promotion (spec: Schema Evolution). None, that is "unknown", stands
    for a length that no legal earlier type has, for bytes that do not decode, for NaN, for a promoted value out of
    range, and for types whose bounds are not single values (geometry, geography, variant, unknown, nested types).

    A bound of a `string`, `binary` or `fixed` may be truncated: it is a bound, not a value of the column.
    """
    size = len(data)
    match iceberg_type:
        case IntegerType() | DateType():
            return _INT.unpack(data)[0] if size == 4 else None
        case LongType():
            return _LONG.unpack(data)[0] if size == 8 else _INT.unpack(data)[0] if size == 4 else None
        case TimestamptzType() | TimestamptzNanoType() | TimeType():
            return _LONG.unpack(data)[0] if size == 8 else None
        case TimestampType() | TimestampNanoType():
            if size == 8:
                return _LONG.unpack(data)[0]
            return _promoted_date(_INT.unpack(data)[0], iceberg_type) if size == 4 else None
        case StringType():
            try:
                return str(data, "utf-8")
            except UnicodeDecodeError:  # some writers cut a string inside a character
                return None
        case FloatType():
            return _number(_FLOAT, data) if size == 4 else None
        case DoubleType():
            return _number(_DOUBLE, data) if size == 8 else _number(_FLOAT, data) if size == 4 else None
        case DecimalType(precision, scale):
            return _decimal(data, precision, scale)
        case BooleanType():
            return data[0] != 0 if size == 1 else None
        case UUIDType():
            return UUID(bytes=bytes(data)) if size == 16 else None
        case FixedType(length):
            return bytes(data) if size <= length else None
        case BinaryType():
            return bytes(data)
        case _:
            return None


def _number(layout: struct.Struct, data: bytes) -> float | None:
    value: float = layout.unpack(data)[0]
    return None if math.isnan(value) else value


def _promoted_date(days: int, iceberg_type: IcebergType) -> Any:
    try:
        return promote_value(days, DateType(), iceberg_type)
    except ProjectionError:
        return None


def _decimal(data: bytes, precision: int, scale: int) -> Decimal | None:
    if not data:
        return None
    unscaled = int.from_bytes(data, "big", signed=True)
    # A bound beyond the type cannot have come from a value of the column.
    return unscaled_decimal(unscaled, scale) if abs(unscaled) < 10**precision else None


def unscaled_decimal(unscaled: int, scale: int) -> Decimal:
    """Return the decimal `unscaled * 10 ** -scale`, exact in any decimal context."""
    return Decimal((1 if unscaled < 0 else 0, tuple(map(int, str(abs(unscaled)))), -scale))


def unscaled_value(value: Decimal) -> int:
    """Return the unscaled number of a finite decimal: 1420 for `14.20`."""
    sign, digits, _ = value.as_tuple()
    unscaled = int("".join(map(str, digits)) or "0")
    return -unscaled if sign else unscaled


def encode_bound(value: Any, iceberg_type: IcebergType) -> bytes:
    """Return the binary single value of a plain value that is not None.

    Raises `UnsupportedError` for a type that has no binary single value, and `InvalidMetadataError` for a value that is
    not one of the type.
    """
    try:
        match iceberg_type:
            case BooleanType():
                return b"\x01" if value else b"\x00"
            case IntegerType() | DateType():
                return _INT.pack(value)
            case LongType() | TimeType():
                return _LONG.pack(value)
            case TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType():
                return _LONG.pack(value)
            case FloatType():
                return _FLOAT.pack(value)
            case DoubleType():
                return _DOUBLE.pack(value)
            case StringType():
                return str.encode(value, "utf-8")
            case UUIDType():
                return bytes(value.bytes)
            case DecimalType():
                unscaled = unscaled_value(value)
                # one bit for the sign: 127 takes one byte, 128 two, -128 one
                bits = (unscaled if unscaled >= 0 else ~unscaled).bit_length()
                return unscaled.to_bytes(bits // 8 + 1, "big", signed=True)
            case BinaryType() | FixedType():
                return bytes(value)
    except (struct.error, TypeError, AttributeError, OverflowError, ValueError) as e:
        raise InvalidMetadataError(f"Cannot encode {value!r} as a {iceberg_type} bound: {e}") from e
    raise UnsupportedError(f"Type {iceberg_type} has no binary single value")
