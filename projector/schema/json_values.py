"""Parse JSON single values (spec: Appendix D) strictly, and write them as Java spells them.

Other modules call `from_json` and `to_json`, through `single_values`; `python_values` shares the checks.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from projector.errors import InvalidMetadataError
from projector.schema import iso_text
from projector.schema.iso_text import MICROS_PER_SECOND, NANOS_PER_SECOND
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
    ListType,
    LongType,
    MapType,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from projector.text import shorten

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX = re.compile(r"([0-9a-fA-F]{2})*")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")

TICKS_PER_SECOND: dict[type[IcebergType], int] = {
    TimestampType: MICROS_PER_SECOND,
    TimestamptzType: MICROS_PER_SECOND,
    TimestampNanoType: NANOS_PER_SECOND,
    TimestamptzNanoType: NANOS_PER_SECOND,
}


class RefusedValue(Exception):
    """The value is not a value of the type. The message is the reason, or empty if the type says it all."""


def from_json(value: Any, iceberg_type: IcebergType) -> Any:
    """Return the plain value of a JSON single value, in the form that `json.loads` returns.

    Raises `InvalidMetadataError` if the value is not a value of the type in the spec's form.
    """
    try:
        return read_json(value, iceberg_type)
    except RefusedValue as e:
        reason = f": {e}" if str(e) else ""
        raise InvalidMetadataError(
            f"Cannot parse default as a {iceberg_type} value: {preview_json(value)}{reason}"
        ) from None


def read_json(value: Any, iceberg_type: IcebergType) -> Any:
    """`from_json` that raises `RefusedValue`, for callers with a message of their own."""
    if value is None:
        return None
    match iceberg_type:
        case BooleanType():
            return _checked(value, bool)
        case IntegerType():
            return checked_integer(value, 32)
        case LongType():
            return checked_integer(value, 64)
        case FloatType() | DoubleType():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise RefusedValue
            return checked_floating(value, iceberg_type)
        case StringType():
            if not is_unicode(_checked(value, str)):
                raise RefusedValue("half of a surrogate pair is not text")
            return value
        case DecimalType(precision, scale):
            number = decimal_of_text(_checked(value, str))
            if _exponent(number) != -scale:
                raise RefusedValue(f"the scale is {-_exponent(number)}, not {scale}")
            return checked_decimal(number, precision, scale)
        case DateType() | TimeType():
            return _iso(_checked(value, str), iceberg_type)
        case TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType():
            return checked_timestamp(_checked(value, str), iceberg_type, only_utc=True)
        case UUIDType():
            if not _UUID.fullmatch(_checked(value, str)):
                raise RefusedValue
            return UUID(value)
        case FixedType() | BinaryType():
            if not _HEX.fullmatch(_checked(value, str)):
                raise RefusedValue("not an even number of hexadecimal digits")
            return checked_bytes(bytes.fromhex(value), iceberg_type)
        case StructType(fields):
            return _struct_from_json(value, {str(f.field_id): (f.name, f.field_type) for f in fields})
        case ListType(element_type=element_type):
            return [read_json(v, element_type) for v in _checked(value, list)]
        case MapType():
            return _map_from_json(value, iceberg_type)
        case _:
            raise RefusedValue(f"a {iceberg_type} value must be null")


def _struct_from_json(value: Any, fields: Mapping[str, tuple[str, IcebergType]]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise RefusedValue
    plain = {}
    for key, child in value.items():
        if key not in fields:
            raise RefusedValue(f"the struct has no field with id {key}")
        name, child_type = fields[key]
        plain[name] = read_json(child, child_type)
    return plain


def _map_from_json(value: Any, map_type: MapType) -> list[tuple[Any, Any]]:
    if not isinstance(value, Mapping) or set(value) != {"keys", "values"}:
        raise RefusedValue("a map is an object of keys and values")
    keys, values = _checked(value["keys"], list), _checked(value["values"], list)
    if len(keys) != len(values):
        raise RefusedValue(f"{len(keys)} keys but {len(values)} values")
    return [
        (read_json(k, map_type.key_type), read_json(v, map_type.value_type)) for k, v in zip(keys, values, strict=True)
    ]


def _checked(value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind):
        raise RefusedValue
    return value


def is_unicode(text: str) -> bool:
    """Return whether text can be encoded as UTF-8. JSON escapes can spell single surrogates, which cannot."""
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def checked_integer(value: Any, bits: int) -> int:
    """Return an int that fits into so many bits. A bool is not an int."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise RefusedValue
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise RefusedValue("out of range")
    return int(value)


def checked_floating(value: int | float | Decimal, iceberg_type: IcebergType) -> float:
    """Return the nearest number of the type."""
    try:
        number = float(value)
        if not math.isfinite(number):
            raise RefusedValue("not a finite number" if isinstance(value, float) else "out of range")
        return nearest_float32(number) if isinstance(iceberg_type, FloatType) else number
    except OverflowError:
        raise RefusedValue("out of range") from None


def nearest_float32(number: float) -> float:
    """Return the 32-bit number nearest to a 64-bit one. Raises `OverflowError` beyond the largest."""
    nearest: float = struct.unpack("<f", struct.pack("<f", number))[0]
    return nearest


def decimal_of_text(text: str) -> Decimal:
    """Return the decimal that a text spells, at the scale of the text."""
    if not _DECIMAL.fullmatch(text):
        raise RefusedValue("not a decimal number")
    try:
        return Decimal(text)
    except InvalidOperation:
        raise RefusedValue("not a decimal number") from None


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):
        raise RefusedValue("not a finite number")
    return exponent


def checked_decimal(number: Decimal, precision: int, scale: int) -> Decimal:
    """Return the number at the type's scale. Refuses a number that the scale cannot hold exactly."""
    shift = _exponent(number) + scale
    sign, digits, _ = number.as_tuple()
    if not any(digits):
        return Decimal((0, (0,), -scale))
    if number.adjusted() + scale >= precision:
        raise RefusedValue(f"more than {precision} digits at scale {scale}")
    if shift < 0:
        if any(digits[shift:]):
            raise RefusedValue(f"more than {scale} digits after the point")
        return Decimal((sign, digits[:shift], -scale))
    return Decimal((sign, digits + (0,) * shift, -scale))


def checked_bytes(value: bytes, iceberg_type: IcebergType) -> bytes:
    """Return bytes, which must have the type's length if it has one."""
    if isinstance(iceberg_type, FixedType) and len(value) != iceberg_type.length:
        raise RefusedValue(f"{len(value)} bytes, not {iceberg_type.length}")
    return value


def _iso(text: str, iceberg_type: IcebergType) -> int:
    try:
        if isinstance(iceberg_type, TimeType):
            return iso_text.parse_time(text)
        return checked_integer(iso_text.parse_date(text), 32)
    except ValueError as e:
        raise RefusedValue(str(e)) from None


def has_zone(iceberg_type: IcebergType) -> bool:
    """Return whether a timestamp type is a point in time."""
    return isinstance(iceberg_type, (TimestamptzType, TimestamptzNanoType))


def checked_timestamp(text: str, iceberg_type: IcebergType, *, only_utc: bool) -> int:
    """Return the ticks of an ISO timestamp. A type with a zone needs an offset, +00:00 if `only_utc`."""
    try:
        ticks, offset = iso_text.parse_timestamp(text, TICKS_PER_SECOND[type(iceberg_type)])
    except ValueError as e:
        raise RefusedValue(str(e)) from None
    if not has_zone(iceberg_type):
        if offset is not None:
            raise RefusedValue("a zone offset is not allowed")
    elif offset is None or (only_utc and offset != "+00:00"):
        raise RefusedValue("offset must be +00:00" if only_utc else "a zone offset is needed")
    return checked_integer(ticks, 64)


def to_json(value: Any, iceberg_type: IcebergType) -> Any:
    """Return the JSON single value of a plain value, for `json.dumps`.

    Spelled as Java spells it: upper-case hexadecimal digits, no trailing zeros in fractions of a second, and for
    `float` the shortest number that reads back as the same 32-bit number.
    """
    if value is None:
        return None
    match iceberg_type:
        case FloatType():
            return shortest_float32(value)
        case DecimalType():
            return f"{value:f}"
        case DateType():
            return iso_text.format_date(value)
        case TimeType():
            return iso_text.format_time(value)
        case TimestampType() | TimestampNanoType():
            return iso_text.format_timestamp(value, TICKS_PER_SECOND[type(iceberg_type)])
        case TimestamptzType() | TimestamptzNanoType():
            return iso_text.format_timestamp(value, TICKS_PER_SECOND[type(iceberg_type)]) + "+00:00"
        case UUIDType():
            return str(value)
        case FixedType() | BinaryType():
            return bytes(value).hex().upper()
        case StructType(fields):
            return {str(f.field_id): to_json(value[f.name], f.field_type) for f in fields if f.name in value}
        case ListType(element_type=element_type):
            return [to_json(v, element_type) for v in value]
        case MapType():
            return {
                "keys": [to_json(k, iceberg_type.key_type) for k, _ in value],
                "values": [to_json(v, iceberg_type.value_type) for _, v in value],
            }
        case _:
            return value


def shortest_float32(number: float) -> float:
    """Return the shortest decimal number that rounds to the same 32-bit number: 0.1 for 0.10000000149011612."""
    for digits in range(1, 9):
        candidate = float(f"{number:.{digits}g}")
        try:
            if nearest_float32(candidate) == number:
                return candidate
        except OverflowError:
            continue
    return float(f"{number:.9g}")


def format_value(value: Any, iceberg_type: IcebergType) -> str:
    """Return a plain value as one line for messages: text in double quotes, bytes as X'00FF', ISO dates and times."""
    if value is None:
        return "null"
    match iceberg_type:
        case StringType():
            return preview_json(value)
        case DecimalType() | DateType() | TimeType():
            return str(to_json(value, iceberg_type))
        case TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType():
            return str(to_json(value, iceberg_type))
        case FloatType() | DoubleType():
            return repr(shortest_float32(value) if isinstance(iceberg_type, FloatType) else value)
        case StructType(fields):
            pairs = (f"{f.name}: {format_value(value[f.name], f.field_type)}" for f in fields if f.name in value)
            return "{" + ", ".join(pairs) + "}"
        case ListType(element_type=element_type):
            return "[" + ", ".join(format_value(v, element_type) for v in value) + "]"
        case MapType(key_type=key_type, value_type=value_type):
            return (
                "{" + ", ".join(f"{format_value(k, key_type)}: {format_value(v, value_type)}" for k, v in value) + "}"
            )
        case _:
            return preview_json(value)


def preview_json(value: Any, longest: int = 120) -> str:
    """Return any value on one line, as JSON or as Java's literals look, cut to a length that fits a message."""
    match value:
        case bytes() | bytearray() | memoryview():
            text = f"X'{bytes(value[:longest]).hex().upper()}'"
        case None | bool() | str() | Mapping() | list():
            try:
                text = json.dumps(value, ensure_ascii=False, default=str)
            except (RecursionError, TypeError, ValueError):
                text = type(value).__name__
        case _:
            text = " ".join(str(value).split())
    if not text.isprintable():
        text = ascii(text)[1:-1]
    return shorten(text, longest)
