"""Convert Python values to plain values, exactly or not at all, and back."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from projector.errors import SchemaUpdateError
from projector.schema import iso_text
from projector.schema.iso_text import MICROS_PER_SECOND, NANOS_PER_SECOND
from projector.schema.json_values import (
    TICKS_PER_SECOND,
    RefusedValue,
    checked_bytes,
    checked_decimal,
    checked_floating,
    checked_integer,
    checked_timestamp,
    decimal_of_text,
    has_zone,
    preview_json,
    read_json,
    to_json,
)
from projector.schema.types import (
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    ListType,
    MapType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

_EPOCH = datetime(1970, 1, 1)
_MICROS_PER_DAY = iso_text.SECONDS_PER_DAY * MICROS_PER_SECOND


def to_plain(value: Any, iceberg_type: IcebergType) -> Any:
    """Return the plain value of a default from a user: a Python value, or the spec's JSON single value.

    The value is converted exactly, or refused. Beyond what `from_json` takes:

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
    except RefusedValue as e:
        if not iceberg_type.is_primitive:
            raise SchemaUpdateError(
                f"Invalid default value for {iceberg_type}: {preview_json(value)} (must be null)",
                hint="a struct may also have the default {}" if isinstance(iceberg_type, StructType) else None,
            ) from None
        message = f"Cannot cast default value to {iceberg_type}: {preview_json(value)}"
        raise SchemaUpdateError(message, hint=str(e) or None) from None


def _to_plain(value: Any, iceberg_type: IcebergType) -> Any:
    match iceberg_type, value:
        case FloatType() | DoubleType(), int() if not isinstance(value, bool):
            number = checked_floating(value, iceberg_type)
            if number != value:
                raise RefusedValue("there is no equal number of this type")
            return number
        case FloatType() | DoubleType(), Decimal():
            return checked_floating(value, iceberg_type)
        case DecimalType(precision, scale), int() if not isinstance(value, bool):
            return checked_decimal(Decimal(value), precision, scale)
        case DecimalType(precision, scale), float():
            return checked_decimal(Decimal(repr(value)), precision, scale)
        case DecimalType(precision, scale), Decimal():
            return checked_decimal(value, precision, scale)
        case DecimalType(precision, scale), str():
            return checked_decimal(decimal_of_text(value), precision, scale)
        case DateType(), int() if not isinstance(value, bool):
            return checked_integer(value, 32)
        case DateType(), datetime():
            raise RefusedValue("a datetime is not a date: give its .date()")
        case DateType(), date():
            return iso_text.days_from_date(value.year, value.month, value.day)
        case TimeType(), time():
            if value.tzinfo is not None:
                raise RefusedValue("a time has no zone")
            return ((value.hour * 60 + value.minute) * 60 + value.second) * MICROS_PER_SECOND + value.microsecond
        case TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType(), datetime():
            return _ticks(value, iceberg_type)
        case TimestamptzType() | TimestamptzNanoType(), str():
            return checked_timestamp(value, iceberg_type, only_utc=False)
        case UUIDType(), UUID():
            return value
        case FixedType() | BinaryType(), bytes() | bytearray() | memoryview():
            return checked_bytes(bytes(value), iceberg_type)
        case _:
            return read_json(value, iceberg_type)


def _ticks(value: datetime, iceberg_type: IcebergType) -> int:
    offset = value.utcoffset()
    if offset is None and has_zone(iceberg_type):
        raise RefusedValue("a datetime with a zone is needed")
    if offset is not None and not has_zone(iceberg_type):
        raise RefusedValue("a datetime without zone is needed")
    # Subtracting two datetimes is not enough: near the years 1 and 9999 the shift to UTC would overflow.
    micros = (value.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1)
    if offset is not None:
        micros -= offset // timedelta(microseconds=1)
    nanos = getattr(value, "nanosecond", 0)  # of a pandas Timestamp
    if TICKS_PER_SECOND[type(iceberg_type)] == NANOS_PER_SECOND:
        return checked_integer(micros * 1000 + nanos, 64)
    if nanos:
        raise RefusedValue("the value has nanoseconds")
    return checked_integer(micros, 64)


def from_plain(value: Any, iceberg_type: IcebergType) -> Any:
    """Return the usual Python value for a plain value: date, time, datetime (aware for types with a zone), ...

    Dates and timestamps outside the years 1 to 9999, and nanosecond timestamps that are not whole microseconds, are ISO
    text. A map is a dict if its keys can be hashed, else a list of pairs.
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
    micros, rest = divmod(ticks, TICKS_PER_SECOND[type(iceberg_type)] // MICROS_PER_SECOND)
    if rest == 0:
        try:
            found = _EPOCH + timedelta(days=micros // _MICROS_PER_DAY, microseconds=micros % _MICROS_PER_DAY)
            return found.replace(tzinfo=UTC) if has_zone(iceberg_type) else found
        except OverflowError:
            pass
    return str(to_json(ticks, iceberg_type))
