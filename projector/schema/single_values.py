"""Single values (spec: Appendix D): JSON on one side, plain values on the other, and what people give and see.

| from | to | function |
|---|---|---|
| JSON single value of the spec | plain value | `from_json` |
| plain value | JSON single value, spelled as Java spells it | `to_json` |
| Python value, or JSON single value, that a user gives as a default | plain value | `to_plain` |
| plain value | the Python value that people expect | `from_plain` |
| plain value | text for messages | `format_value` |
| bytes of a bound | plain value | `decode_bound` |
| plain value | bytes of a bound | `encode_bound` |

Plain values are those of `projector.schema.types`. None, JSON null, is a value of every type.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from projector.errors import InvalidMetadataError, SchemaUpdateError
from projector.schema import iso_text
from projector.schema.binary_values import decode_bound, encode_bound, unscaled_decimal, unscaled_value
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

__all__ = [
    "decode_bound",
    "encode_bound",
    "format_value",
    "from_json",
    "from_plain",
    "to_json",
    "to_plain",
]

_MAX_FLOAT = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX = re.compile(r"([0-9a-fA-F]{2})*")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
_EPOCH = datetime(1970, 1, 1)
_MICROS_PER_DAY = iso_text.SECONDS_PER_DAY * MICROS_PER_SECOND

_PER_SECOND: dict[type[IcebergType], int] = {
    TimestampType: MICROS_PER_SECOND,
    TimestamptzType: MICROS_PER_SECOND,
    TimestampNanoType: NANOS_PER_SECOND,
    TimestamptzNanoType: NANOS_PER_SECOND,
}


class _Refused(Exception):
    """A value that is not one of the type, with the reason; empty where the type says it all."""


def from_json(value: Any, iceberg_type: IcebergType) -> Any:
    """The plain value of a JSON single value, given as `json.loads` gives it.

    Raises `InvalidMetadataError` where the value is not one of the type in the spec's form.
    """
    try:
        return _from_json(value, iceberg_type)
    except _Refused as e:
        reason = f": {e}" if str(e) else ""
        raise InvalidMetadataError(f"Cannot parse default as a {iceberg_type} value: {_shown(value)}{reason}") from None


def _from_json(value: Any, iceberg_type: IcebergType) -> Any:
    if value is None:
        return None
    match iceberg_type:
        case BooleanType():
            return _checked(value, bool)
        case IntegerType():
            return _integer(value, 32)
        case LongType():
            return _integer(value, 64)
        case FloatType() | DoubleType():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise _Refused
            return _floating(value, iceberg_type)
        case StringType():
            return _checked(value, str)
        case DecimalType(precision, scale):
            number = _decimal_of_text(_checked(value, str))
            if _exponent(number) != -scale:
                raise _Refused(f"the scale is {-_exponent(number)}, not {scale}")
            return _decimal(number, precision, scale)
        case DateType() | TimeType():
            return _iso(_checked(value, str), iceberg_type)
        case TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType():
            return _iso_timestamp(_checked(value, str), iceberg_type, only_utc=True)
        case UUIDType():
            if not _UUID.fullmatch(_checked(value, str)):
                raise _Refused
            return UUID(value)
        case FixedType() | BinaryType():
            if not _HEX.fullmatch(_checked(value, str)):
                raise _Refused("not an even number of hexadecimal digits")
            return _bytes(bytes.fromhex(value), iceberg_type)
        case StructType(fields):
            return _struct_from_json(value, {str(f.field_id): (f.name, f.field_type) for f in fields})
        case ListType(element_type=element_type):
            return [_from_json(v, element_type) for v in _checked(value, list)]
        case MapType():
            return _map_from_json(value, iceberg_type)
        case _:
            raise _Refused(f"a {iceberg_type} value must be null")


def _struct_from_json(value: Any, fields: Mapping[str, tuple[str, IcebergType]]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _Refused
    plain = {}
    for key, child in value.items():
        if key not in fields:
            raise _Refused(f"the struct has no field with id {key}")
        name, child_type = fields[key]
        plain[name] = _from_json(child, child_type)
    return plain


def _map_from_json(value: Any, map_type: MapType) -> list[tuple[Any, Any]]:
    if not isinstance(value, Mapping) or set(value) != {"keys", "values"}:
        raise _Refused("a map is an object of keys and values")
    keys, values = _checked(value["keys"], list), _checked(value["values"], list)
    if len(keys) != len(values):
        raise _Refused(f"{len(keys)} keys but {len(values)} values")
    return [
        (_from_json(k, map_type.key_type), _from_json(v, map_type.value_type))
        for k, v in zip(keys, values, strict=True)
    ]


def _checked(value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind):
        raise _Refused
    return value


def _integer(value: Any, bits: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Refused
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise _Refused("out of range")
    return int(value)


def _floating(value: int | float | Decimal, iceberg_type: IcebergType) -> float:
    """The nearest number of the type."""
    try:
        number = float(value)
        if not math.isfinite(number):
            raise _Refused("not a finite number" if isinstance(value, float) else "out of range")
        return nearest_float32(number) if isinstance(iceberg_type, FloatType) else number
    except OverflowError:
        raise _Refused("out of range") from None


def nearest_float32(number: float) -> float:
    """The 32-bit number nearest to a 64-bit one. Raises `OverflowError` beyond the largest."""
    nearest: float = struct.unpack("<f", struct.pack("<f", number))[0]
    return nearest


def _decimal_of_text(text: str) -> Decimal:
    if not _DECIMAL.fullmatch(text):
        raise _Refused("not a decimal number")
    try:
        return Decimal(text)
    except InvalidOperation:
        raise _Refused("not a decimal number") from None


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):
        raise _Refused("not a finite number")
    return exponent


def _decimal(number: Decimal, precision: int, scale: int) -> Decimal:
    """The number at the type's scale, exactly or not at all."""
    shift = _exponent(number) + scale
    unscaled = unscaled_value(number)
    if unscaled == 0:
        return unscaled_decimal(0, scale)
    if number.adjusted() + scale >= precision:
        raise _Refused(f"more than {precision} digits")
    if shift < 0:
        unscaled, lost = divmod(unscaled, 10**-shift) if -shift <= len(number.as_tuple().digits) else (0, 1)
        if lost:
            raise _Refused(f"more than {scale} digits after the point")
        shift = 0
    return unscaled_decimal(unscaled * 10**shift, scale)


def _bytes(value: bytes, iceberg_type: IcebergType) -> bytes:
    if isinstance(iceberg_type, FixedType) and len(value) != iceberg_type.length:
        raise _Refused(f"{len(value)} bytes, not {iceberg_type.length}")
    return value


def _iso(text: str, iceberg_type: IcebergType) -> int:
    try:
        if isinstance(iceberg_type, TimeType):
            return iso_text.parse_time(text)
        return _integer(iso_text.parse_date(text), 32)
    except ValueError as e:
        raise _Refused(str(e)) from None


def _has_zone(iceberg_type: IcebergType) -> bool:
    return isinstance(iceberg_type, (TimestamptzType, TimestamptzNanoType))


def _iso_timestamp(text: str, iceberg_type: IcebergType, *, only_utc: bool) -> int:
    try:
        ticks, offset = iso_text.parse_timestamp(text, _PER_SECOND[type(iceberg_type)])
    except ValueError as e:
        raise _Refused(str(e)) from None
    if not _has_zone(iceberg_type):
        if offset is not None:
            raise _Refused("a zone offset is not allowed")
    elif offset is None or (only_utc and offset != "+00:00"):
        raise _Refused("offset must be +00:00" if only_utc else "a zone offset is needed")
    return _integer(ticks, 64)


def to_json(value: Any, iceberg_type: IcebergType) -> Any:
    """The JSON single value of a plain value, for `json.dumps`.

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
            return iso_text.format_timestamp(value, _PER_SECOND[type(iceberg_type)])
        case TimestamptzType() | TimestamptzNanoType():
            return iso_text.format_timestamp(value, _PER_SECOND[type(iceberg_type)]) + "+00:00"
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
    """The number with the fewest decimal digits among those that round to the same 32-bit number: 0.1, not
    0.10000000149011612."""
    if not math.isfinite(number) or abs(number) > _MAX_FLOAT:
        return number
    for digits in range(1, 9):
        candidate = float(f"{number:.{digits}g}")
        if abs(candidate) <= _MAX_FLOAT and nearest_float32(candidate) == number:
            return candidate
    return float(f"{number:.9g}")


def to_plain(value: Any, iceberg_type: IcebergType) -> Any:
    """The plain value of what a user gives as a default: a Python value, or the spec's JSON single value.

    Converted exactly, or refused. Beyond `from_json` it takes

    - int for `float`, `double` and `decimal`; float and Decimal for each other, by the digits that are written (9.99 is
      9.99); for `float` and `double` that means the nearest number, for an int an equal one;
    - int for `date` (days from 1970-01-01), as Java does;
    - date, time, datetime and UUID for their types: an aware datetime for `timestamptz[_ns]`, a naive one for
      `timestamp[_ns]`, and no datetime for `date`;
    - text for `timestamptz[_ns]` with any offset;
    - bytes for `fixed` and `binary`; text for them is hexadecimal digits;
    - `{}` for a struct.

    Raises `SchemaUpdateError`.
    """
    try:
        return _to_plain(value, iceberg_type)
    except _Refused as e:
        if not iceberg_type.is_primitive:
            raise SchemaUpdateError(
                f"Invalid default value for {iceberg_type}: {_shown(value)} (must be null)",
                hint="a struct may also have the default {}" if isinstance(iceberg_type, StructType) else None,
            ) from None
        message = f"Cannot cast default value to {iceberg_type}: {_shown(value)}"
        raise SchemaUpdateError(message, hint=str(e) or None) from None


def _to_plain(value: Any, iceberg_type: IcebergType) -> Any:
    match iceberg_type, value:
        case FloatType() | DoubleType(), int() if not isinstance(value, bool):
            number = _floating(value, iceberg_type)
            if number != value:
                raise _Refused("there is no equal number of this type")
            return number
        case FloatType() | DoubleType(), Decimal():
            return _floating(value, iceberg_type)
        case DecimalType(precision, scale), int() if not isinstance(value, bool):
            return _decimal(Decimal(value), precision, scale)
        case DecimalType(precision, scale), float():
            return _decimal(Decimal(repr(value)), precision, scale)
        case DecimalType(precision, scale), Decimal():
            return _decimal(value, precision, scale)
        case DecimalType(precision, scale), str():
            return _decimal(_decimal_of_text(value), precision, scale)
        case DateType(), int() if not isinstance(value, bool):
            return _integer(value, 32)
        case DateType(), datetime():
            raise _Refused("a datetime is not a date: give its .date()")
        case DateType(), date():
            return iso_text.days_from_date(value.year, value.month, value.day)
        case TimeType(), time():
            if value.tzinfo is not None:
                raise _Refused("a time has no zone")
            return ((value.hour * 60 + value.minute) * 60 + value.second) * MICROS_PER_SECOND + value.microsecond
        case TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType(), datetime():
            return _ticks(value, iceberg_type)
        case TimestamptzType() | TimestamptzNanoType(), str():
            return _iso_timestamp(value, iceberg_type, only_utc=False)
        case UUIDType(), UUID():
            return value
        case FixedType() | BinaryType(), bytes() | bytearray() | memoryview():
            return _bytes(bytes(value), iceberg_type)
        case _:
            return _from_json(value, iceberg_type)


def _ticks(value: datetime, iceberg_type: IcebergType) -> int:
    offset = value.utcoffset()
    if offset is None and _has_zone(iceberg_type):
        raise _Refused("a datetime with a zone is needed")
    if offset is not None and not _has_zone(iceberg_type):
        raise _Refused("a datetime without zone is needed")
    # Not through subtraction of two datetimes alone: near the years 1 and 9999 the shift to UTC would overflow.
    micros = (value.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1)
    if offset is not None:
        micros -= offset // timedelta(microseconds=1)
    nanos = getattr(value, "nanosecond", 0)  # of a pandas Timestamp
    if _PER_SECOND[type(iceberg_type)] == NANOS_PER_SECOND:
        return _integer(micros * 1000 + nanos, 64)
    if nanos:
        raise _Refused("the value has nanoseconds")
    return _integer(micros, 64)


def from_plain(value: Any, iceberg_type: IcebergType) -> Any:
    """The Python value that people expect for a plain value: date, time, datetime (aware for types with a zone), ...

    Dates and timestamps outside the years 1 to 9999, and nanosecond timestamps that are not whole microseconds, are ISO
    text. A map is a dict where its keys can be hashed, else a list of pairs.
    """
    if value is None:
        return None
    match iceberg_type:
        case DateType():
            try:
                return date(*iso_text.date_from_days(value))
            except ValueError:
                return iso_text.format_date(value)
        case TimeType():
            seconds, micros = divmod(value, MICROS_PER_SECOND)
            return time(seconds // 3600, seconds // 60 % 60, seconds % 60, micros)
        case TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType():
            return _datetime_or_text(value, iceberg_type)
        case StructType(fields):
            return {f.name: from_plain(value[f.name], f.field_type) for f in fields if f.name in value}
        case ListType(element_type=element_type):
            return [from_plain(v, element_type) for v in value]
        case MapType(key_type=key_type, value_type=value_type):
            pairs = [(from_plain(k, key_type), from_plain(v, value_type)) for k, v in value]
            return dict(pairs) if key_type.is_primitive else pairs
        case _:
            return value


def _datetime_or_text(ticks: int, iceberg_type: IcebergType) -> datetime | str:
    micros, rest = divmod(ticks, _PER_SECOND[type(iceberg_type)] // MICROS_PER_SECOND)
    if rest == 0:
        try:
            found = _EPOCH + timedelta(days=micros // _MICROS_PER_DAY, microseconds=micros % _MICROS_PER_DAY)
            return found.replace(tzinfo=UTC) if _has_zone(iceberg_type) else found
        except OverflowError:
            pass
    return str(to_json(ticks, iceberg_type))


def format_value(value: Any, iceberg_type: IcebergType) -> str:
    """A plain value as text for messages, on one line: text in double quotes, bytes as X'00FF', ISO dates and times."""
    if value is None:
        return "null"
    match iceberg_type:
        case StringType():
            return _shown(value)
        case (
            DateType() | TimeType() | TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType()
        ):
            return str(to_json(value, iceberg_type))
        case FloatType() | DoubleType():
            return repr(shortest_float32(value) if isinstance(iceberg_type, FloatType) else value)
        case StructType(fields):
            shown = (f"{f.name}: {format_value(value[f.name], f.field_type)}" for f in fields if f.name in value)
            return "{" + ", ".join(shown) + "}"
        case ListType(element_type=element_type):
            return "[" + ", ".join(format_value(v, element_type) for v in value) + "]"
        case MapType(key_type=key_type, value_type=value_type):
            return (
                "{" + ", ".join(f"{format_value(k, key_type)}: {format_value(v, value_type)}" for k, v in value) + "}"
            )
        case _:
            return _shown(value)


def _shown(value: Any) -> str:
    """Any value, on one line, as Java's literals look."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case bytes() | bytearray() | memoryview():
            return f"X'{bytes(value).hex().upper()}'"
        case dict() | list():
            return json.dumps(value, ensure_ascii=False, default=str)
        case _:
            return " ".join(str(value).split())
