"""Find the place of a filter's literals among the values of a column's type.

A literal need not be a value of the type that it is compared with: `1.5` or `2147483648` under int, `0.005` under
`decimal(9, 2)`, a timestamp under date. `locate` returns the neighbouring values of the type between which it lies, so
that binding can turn the comparison into one with a value of the type, or into a constant, without rounding.

Only float and double round: a literal becomes the nearest value of the column's type, as in Java, pyiceberg and the
engines (`x = 0.1` on a float column finds the float nearest to 0.1; after a promotion to double it does not).
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any
from uuid import UUID

from projector.planning.filters.literals import (
    NANOS_PER_DAY,
    DateLiteral,
    Literal,
    LiteralMismatchError,
    TimeLiteral,
    TimestampLiteral,
    describe,
    parse_date_literal,
    parse_time_literal,
    parse_timestamp_literal,
)
from projector.schema.binary_values import unscaled_decimal
from projector.schema.iso_text import MICROS_PER_SECOND, SECONDS_PER_DAY
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

_TICK_NANOS: dict[type[IcebergType], int] = {
    TimestampType: 1000,
    TimestamptzType: 1000,
    TimestampNanoType: 1,
    TimestamptzNanoType: 1,
}
_WITH_ZONE = (TimestamptzType, TimestamptzNanoType)
_INT_RANGE = (-(2**31), 2**31 - 1)
_LONG_RANGE = (-(2**63), 2**63 - 1)
_MAX_FLOAT = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]
_MAX_DOUBLE = struct.unpack("<d", b"\xff\xff\xff\xff\xff\xff\xef\x7f")[0]


@dataclass(frozen=True, slots=True)
class Located:
    """The place of a literal among the values of a type.

    Parameters
    ----------
    floor:
        The greatest value of the type that is not above the literal; None if all values are above it.
    ceiling:
        The smallest value that is not below the literal; None if all values are below it. Equal to `floor` if the
        literal
        is a value of the type.
    """

    floor: Any
    ceiling: Any

    @property
    def is_exact(self) -> bool:
        """Whether the literal is a value of the type."""
        return self.floor is not None and self.ceiling is not None and bool(self.floor == self.ceiling)


class NaN:
    """The result of `locate` for NaN under float and double."""


def locate(literal: Literal, iceberg_type: IcebergType) -> Located | type[NaN]:
    """Return the place of a normalized literal among the values of a primitive type, or `NaN`.

    Raises `LiteralMismatchError` if the two cannot be compared.
    """
    match iceberg_type:
        case BooleanType():
            return _exact(_boolean(literal))
        case IntegerType():
            return _on_grid(_number(literal, iceberg_type), 1, _INT_RANGE)
        case LongType():
            return _on_grid(_number(literal, iceberg_type), 1, _LONG_RANGE)
        case DecimalType(precision, scale):
            top = 10**precision - 1
            found = _on_grid(_number(literal, iceberg_type), Fraction(1, 10**scale), (-top, top))
            return Located(_decimal(found.floor, scale), _decimal(found.ceiling, scale))
        case FloatType() | DoubleType():
            return _floating(literal, iceberg_type)
        case DateType():
            return _on_grid(_date_nanos(literal), NANOS_PER_DAY, _INT_RANGE)
        case TimeType():
            top = SECONDS_PER_DAY * MICROS_PER_SECOND - 1
            return _on_grid(_time_nanos(literal), 1000, (0, top))
        case TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType():
            return _on_grid(_timestamp_nanos(literal, iceberg_type), _TICK_NANOS[type(iceberg_type)], _LONG_RANGE)
        case StringType():
            if isinstance(literal, str):
                return _exact(literal)
        case UUIDType():
            return _exact(_uuid(literal))
        case BinaryType():
            if isinstance(literal, bytes):
                return _exact(literal)
        case FixedType(length):
            if isinstance(literal, bytes):
                return _fixed(literal, length)
        case _:
            raise LiteralMismatchError(f"values of type {iceberg_type} cannot be compared")
    raise LiteralMismatchError(f"{describe(literal)} is not of type {iceberg_type}")


def _exact(value: Any) -> Located:
    return Located(value, value)


def _on_grid(number: Fraction | int, step: Fraction | int, limits: tuple[int, int]) -> Located:
    """Return the neighbours of a number among the multiples of `step`, from `limits[0]` to `limits[1]` steps."""
    low, high = limits
    floor = math.floor(number / step) if isinstance(step, Fraction) else number // step
    ceiling = floor if floor * step == number else floor + 1
    if floor >= high and ceiling != high:
        return Located(high, None)
    if ceiling <= low and floor != low:
        return Located(None, low)
    return Located(floor, ceiling)


def _decimal(unscaled: int | None, scale: int) -> Decimal | None:
    return None if unscaled is None else unscaled_decimal(unscaled, scale)


_HUGE = Fraction(10**400)  # beyond every type's range, and small enough to compute with


def _number(literal: Literal, iceberg_type: IcebergType) -> Fraction:
    """Return a literal as an exact number. Infinities and NaN lie outside all values (NaN is the greatest)."""
    if isinstance(literal, str):
        literal = _parsed_number(literal, iceberg_type)
    match literal:
        case bool():
            pass
        case int() | Fraction():
            return Fraction(literal)
        case float():
            if not math.isfinite(literal):
                return -_HUGE if literal == -math.inf else _HUGE
            # 0.1 means the decimal as written, not its binary approximation
            return Fraction(repr(literal)) if isinstance(iceberg_type, DecimalType) else Fraction(literal)
        case Decimal():
            return _fraction(literal)
    raise LiteralMismatchError(f"{describe(literal)} is not a number, the column is {iceberg_type}")


def _fraction(value: Decimal) -> Fraction:
    if not value.is_finite():
        return -_HUGE if value.is_infinite() and value < 0 else _HUGE
    if value and value.adjusted() > 400:
        return -_HUGE if value < 0 else _HUGE
    if value and value.adjusted() < -400:
        return Fraction(-1 if value < 0 else 1) / _HUGE
    return Fraction(value)


def _parsed_number(text: str, iceberg_type: IcebergType) -> Decimal:
    try:
        number = Decimal(text.strip()) if "_" not in text else None
    except InvalidOperation:
        number = None
    if number is None or not (number.is_finite() or isinstance(iceberg_type, (FloatType, DoubleType))):
        raise LiteralMismatchError(f"{describe(text)} is not a number, the column is {iceberg_type}")
    return number


def _floating(literal: Literal, iceberg_type: IcebergType) -> Located | type[NaN]:
    if isinstance(literal, str):
        literal = _parsed_number(literal, iceberg_type)
    if isinstance(literal, bool) or not isinstance(literal, (int, float, Decimal, Fraction)):
        raise LiteralMismatchError(f"{describe(literal)} is not a number, the column is {iceberg_type}")
    largest = _MAX_FLOAT if isinstance(iceberg_type, FloatType) else _MAX_DOUBLE
    try:
        if isinstance(literal, Decimal) and literal.is_snan():
            return NaN
        value = float(literal)
        if math.isnan(value):
            return NaN
        infinite = math.isinf(value) and (isinstance(literal, float) or not _is_finite(literal))
        if isinstance(iceberg_type, FloatType) and not math.isinf(value):
            value = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        value, infinite = (math.inf if literal > 0 else -math.inf), False
    if math.isinf(value) and not infinite:
        return Located(largest, math.inf) if value > 0 else Located(-math.inf, -largest)
    return _exact(value + 0.0)  # -0.0 becomes 0.0


def _is_finite(literal: int | Decimal | Fraction) -> bool:
    return literal.is_finite() if isinstance(literal, Decimal) else True


def _boolean(literal: Literal) -> bool:
    if isinstance(literal, str) and literal.strip().lower() in ("true", "false"):
        return literal.strip().lower() == "true"
    if isinstance(literal, bool):
        return literal
    raise LiteralMismatchError(f"{describe(literal)} is not TRUE or FALSE, the column is boolean")


def _date_nanos(literal: Literal) -> int:
    if isinstance(literal, str):
        literal = parse_date_literal(literal)
    match literal:
        case DateLiteral(days):
            return days * NANOS_PER_DAY
        case TimestampLiteral(nanos, utc) if utc is not True:
            return nanos
        case TimestampLiteral():
            raise LiteralMismatchError("a point in time is on different dates in different zones")
    raise LiteralMismatchError(f"{describe(literal)} is not a date; write DATE '2017-11-16'")


def _time_nanos(literal: Literal) -> int:
    if isinstance(literal, str):
        literal = parse_time_literal(literal)
    if isinstance(literal, TimeLiteral):
        return literal.nanos
    raise LiteralMismatchError(f"{describe(literal)} is not a time; write TIME '22:31:08'")


def _timestamp_nanos(literal: Literal, iceberg_type: IcebergType) -> int:
    if isinstance(literal, str):
        literal = parse_timestamp_literal(literal)
    match literal:
        case DateLiteral(days):
            return days * NANOS_PER_DAY
        case TimestampLiteral(nanos, utc):
            if utc and not isinstance(iceberg_type, _WITH_ZONE):
                raise LiteralMismatchError(
                    f"a timestamp with a zone does not compare with {iceberg_type}; leave it out"
                )
            return nanos
    raise LiteralMismatchError(f"{describe(literal)} is not a timestamp; write TIMESTAMP '2017-11-16 22:31:08'")


def _uuid(literal: Literal) -> UUID:
    try:
        match literal:
            case UUID():
                return literal
            case str():
                return UUID(literal)
            case bytes() if len(literal) == 16:
                return UUID(bytes=literal)
    except ValueError:
        pass
    raise LiteralMismatchError(f"{describe(literal)} is not a uuid")


def _fixed(literal: bytes, length: int) -> Located:
    """Return the place among binary values, which compare from the left; a prefix sorts before its extensions."""
    if len(literal) == length:
        return _exact(literal)
    if len(literal) < length:
        above = int.from_bytes(literal.ljust(length, b"\0"), "big")
        return Located((above - 1).to_bytes(length, "big") if above else None, above.to_bytes(length, "big"))
    floor = literal[:length]
    return Located(floor, successor(floor))


def successor(value: bytes) -> bytes | None:
    """Return the next bytes of the same length, or None after the last."""
    number = int.from_bytes(value, "big") + 1
    return number.to_bytes(len(value), "big") if number < 256 ** len(value) else None
