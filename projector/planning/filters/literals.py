"""Literals of a filter: their classes, how to read them from text, and how to spell them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any
from uuid import UUID

from projector.schema.iso_text import (
    MICROS_PER_SECOND,
    NANOS_PER_SECOND,
    SECONDS_PER_DAY,
    days_from_date,
    format_date,
    format_time,
    format_timestamp,
    parse_date,
    parse_time,
    parse_timestamp,
)
from projector.schema.types import (
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

NANOS_PER_DAY = SECONDS_PER_DAY * NANOS_PER_SECOND


@dataclass(frozen=True, slots=True)
class DateLiteral:
    """A date: days from 1970-01-01."""

    days: int


@dataclass(frozen=True, slots=True)
class TimeLiteral:
    """A time of day: nanoseconds from midnight."""

    nanos: int


@dataclass(frozen=True, slots=True)
class TimestampLiteral:
    """A timestamp: nanoseconds from 1970-01-01T00:00:00.

    `utc` tells what they count. True: a point in time. False: wall-clock time without a zone, which is taken as UTC for
    a
    column with a zone. None: unspecified.
    """

    nanos: int
    utc: bool | None


Literal = Any
"""None, bool, int, float, Decimal, str, bytes, UUID, date, time, datetime, or one of the classes above."""


class LiteralMismatchError(ValueError):
    """A literal that cannot be compared with a type; the message says why. `bind` turns it into a `ParseError`."""


def normalize(literal: Literal) -> Literal:
    """Normalize a literal to one of a few exact classes: dates and times become numbers, numpy scalars Python values.

    Raises `LiteralMismatchError` for an object of another class.
    """
    match literal:
        case None | bool() | str() | Decimal() | UUID() | DateLiteral() | TimeLiteral() | TimestampLiteral():
            return literal
        case bytes() | bytearray() | memoryview():
            return bytes(literal)
        case datetime():
            return _from_datetime(literal)
        case date():
            return DateLiteral(days_from_date(literal.year, literal.month, literal.day))
        case time():
            if literal.tzinfo is not None:
                raise LiteralMismatchError("a time of day with a zone has no meaning here")
            seconds = (literal.hour * 60 + literal.minute) * 60 + literal.second
            return TimeLiteral((seconds * MICROS_PER_SECOND + literal.microsecond) * 1000)
        case Fraction():
            return literal
        case Integral():
            return int(literal)
        case Real():
            return float(literal)
    if type(literal).__name__ in ("bool_", "bool") and hasattr(literal, "item"):
        return bool(literal)
    raise LiteralMismatchError(f"{type(literal).__name__} is not a class of literals")


def _from_datetime(value: datetime) -> TimestampLiteral:
    utc = value.tzinfo is not None and value.utcoffset() is not None
    wall = value.replace(tzinfo=None)
    delta = timedelta(days=days_from_date(wall.year, wall.month, wall.day)) + timedelta(
        hours=wall.hour, minutes=wall.minute, seconds=wall.second, microseconds=wall.microsecond
    )
    if utc:
        delta -= value.utcoffset() or timedelta()
    micros = delta // timedelta(microseconds=1)
    return TimestampLiteral(micros * 1000 + getattr(value, "nanosecond", 0), utc)


def parse_date_literal(text: str) -> DateLiteral:
    """Return the date of `DATE 'text'`. Raises `LiteralMismatchError`."""
    try:
        return DateLiteral(parse_date(text.strip()))
    except ValueError as e:
        raise LiteralMismatchError(f"{text!r} is not a date: {e}") from None


def parse_time_literal(text: str) -> TimeLiteral:
    """Return the time of `TIME 'text'`. Raises `LiteralMismatchError`."""
    try:
        return TimeLiteral(parse_time(text.strip()) * 1000)
    except ValueError as e:
        raise LiteralMismatchError(f"{text!r} is not a time: {e}") from None


def parse_timestamp_literal(text: str) -> TimestampLiteral:
    """Return the timestamp of `TIMESTAMP 'text'`: a date, optionally with a time, up to nine digits, and an offset.

    Raises `LiteralMismatchError`.
    """
    spelled = text.strip()
    try:
        if "T" not in spelled.upper() and " " not in spelled:
            return TimestampLiteral(parse_date(spelled) * NANOS_PER_DAY, False)
        day, _, rest = spelled.upper().replace(" ", "T", 1).partition("T")
        rest = rest.replace(" ", "").replace("UTC", "Z")
        if rest[-3:-2] in "+-" and rest[-2:].isdigit():
            rest += ":00"
        nanos, offset = parse_timestamp(f"{day}T{rest}", NANOS_PER_SECOND)
    except ValueError as e:
        raise LiteralMismatchError(f"{text!r} is not a timestamp: {e}") from None
    return TimestampLiteral(nanos, offset is not None)


def describe(literal: Literal) -> str:
    """Describe a literal in words, for messages."""
    match literal:
        case DateLiteral(days):
            return f"DATE '{format_date(days)}'"
        case TimeLiteral(nanos):
            return f"TIME '{format_time(nanos // 1000)}'"
        case TimestampLiteral(nanos, utc):
            return f"TIMESTAMP '{format_timestamp(nanos, NANOS_PER_SECOND)}{'Z' if utc else ''}'"
        case bytes():
            return f"X'{literal.hex()}'"
        case bool():
            return str(literal).upper()
        case str():
            return "'" + literal.replace("'", "''") + "'"
        case _:
            return str(literal)


def spell(value: Any, iceberg_type: IcebergType) -> str:
    """Return a plain value as a filter spells it; parsing and binding the text gives the value again."""
    match iceberg_type:
        case DateType():
            return f"DATE '{format_date(value)}'"
        case TimeType():
            return f"TIME '{format_time(value)}'"
        case TimestampType():
            return f"TIMESTAMP '{format_timestamp(value, MICROS_PER_SECOND)}'"
        case TimestampNanoType():
            return f"TIMESTAMP '{format_timestamp(value, NANOS_PER_SECOND)}'"
        case TimestamptzType():
            return f"TIMESTAMP '{format_timestamp(value, MICROS_PER_SECOND)}Z'"
        case TimestamptzNanoType():
            return f"TIMESTAMP '{format_timestamp(value, NANOS_PER_SECOND)}Z'"
        case DecimalType():
            return f"{value:f}"
        case FloatType() | DoubleType() if not math.isfinite(value):
            return f"'{value}'"
        case UUIDType():
            return f"'{value}'"
        case _:
            return describe(value)
