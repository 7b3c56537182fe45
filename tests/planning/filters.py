"""Strategies for columns, their plain values, and filters over them."""

from __future__ import annotations

import struct
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

from hypothesis import strategies as st

from projector.planning.filters.expressions import (
    And,
    Comparison,
    In,
    IsNaN,
    IsNull,
    Not,
    NotIn,
    NotNaN,
    NotNull,
    NotStartsWith,
    Op,
    Or,
    StartsWith,
)
from projector.planning.filters.literals import DateLiteral, TimeLiteral, TimestampLiteral
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
LONG_MIN, LONG_MAX = -(2**63), 2**63 - 1
DAY_MICROS = 86_400_000_000

TYPES = (
    BooleanType(), IntegerType(), LongType(), FloatType(), DoubleType(), DecimalType(4, 2), DecimalType(38, 38),
    DateType(), TimeType(), TimestampType(), TimestamptzType(), TimestampNanoType(), TimestamptzNanoType(),
    StringType(), UUIDType(), FixedType(2), BinaryType(),
)  # fmt: skip
TICKS_PER_DAY = {
    TimestampType: DAY_MICROS,
    TimestamptzType: DAY_MICROS,
    TimestampNanoType: DAY_MICROS * 1000,
    TimestamptzNanoType: DAY_MICROS * 1000,
}


def near(*centres: int, spread: int = 3):
    return st.sampled_from(centres).flatmap(lambda c: st.integers(c - spread, c + spread))


def within(strategy, low, high):
    return strategy.map(lambda v: min(max(v, low), high))


def as_float(value: float) -> float:
    return struct.unpack("<f", struct.pack("<f", value))[0]


def scaled(unscaled: int, scale: int) -> Decimal:
    return Decimal(f"{unscaled}E-{scale}")


SPECIAL_FLOATS = st.sampled_from(
    [0.0, -0.0, 0.1, 1.0, 1.5, -2.0, float("inf"), float("-inf"), float("nan"), 3.4028234663852886e38]
)
TEXTS = st.text("ab\U0001f600￿%_'", max_size=3) | st.sampled_from(["a" * 16, "a" * 17, "b" * 20])
BINARIES = st.binary(max_size=3) | st.sampled_from([b"\xff", b"\xff\xff", b"a" * 17])


def values(iceberg_type):
    """Plain values of a type, edges among them."""
    match iceberg_type:
        case BooleanType():
            return st.booleans()
        case IntegerType():
            return within(near(0, 12, INT_MIN, INT_MAX), INT_MIN, INT_MAX)
        case LongType():
            return within(near(0, 12, INT_MIN, INT_MAX, LONG_MIN, LONG_MAX), LONG_MIN, LONG_MAX)
        case FloatType():
            return SPECIAL_FLOATS.map(as_float) | st.floats(width=32)
        case DoubleType():
            return SPECIAL_FLOATS | SPECIAL_FLOATS.map(as_float) | st.floats()
        case DecimalType(precision, scale):
            top = 10**precision - 1
            return within(near(0, 100, -top, top, top // 2), -top, top).map(lambda u: scaled(u, scale))
        case DateType():
            return within(near(0, 45, 20454, INT_MIN, INT_MAX), INT_MIN, INT_MAX)
        case TimeType():
            return within(near(0, 1000, DAY_MICROS - 1), 0, DAY_MICROS - 1)
        case TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType():
            ticks = TICKS_PER_DAY[type(iceberg_type)]
            return within(
                near(0, ticks, -ticks, 45 * ticks, 45 * ticks + ticks // 24, LONG_MIN, LONG_MAX), LONG_MIN, LONG_MAX
            )
        case StringType():
            return TEXTS
        case UUIDType():
            return st.sampled_from([0, 1, 2**63, 2**127, 2**127 - 1, 2**128 - 1, 2**64]).map(lambda i: UUID(int=i))
        case FixedType(length):
            return BINARIES.map(lambda b: b[:length].ljust(length, b"\0"))
        case BinaryType():
            return BINARIES
    raise AssertionError(iceberg_type)


def numbers():
    """Numbers within and beyond every numeric type."""
    whole = near(0, 12, 100, INT_MIN, INT_MAX, LONG_MIN, LONG_MAX, 10**38)
    return (
        whole
        | st.tuples(near(0, 100, 9999, 10**38), st.sampled_from([1, 2, 3, 40])).map(lambda p: scaled(*p))
        | SPECIAL_FLOATS
        | st.sampled_from(
            [Decimal("1e400"), Decimal("-1e400"), Decimal("1e-500"), Decimal("NaN"), Decimal("-Infinity"), 10**400]
        )
        | st.fractions()
    )


def moments():
    nanos = near(0, 45, spread=1).flatmap(
        lambda d: st.sampled_from([0, 1, 999, 1000, -1]).map(lambda n: d * DAY_MICROS * 1000 + n)
    )
    return nanos | near(LONG_MAX * 1000, LONG_MIN * 1000, INT_MAX * DAY_MICROS * 1000)


def literals(iceberg_type):
    """Literals that compare with a type: its values in the form a user writes them, and others beyond it."""
    match iceberg_type:
        case BooleanType():
            return st.booleans()
        case IntegerType() | LongType() | FloatType() | DoubleType() | DecimalType():
            return values(iceberg_type) | numbers()
        case DateType():
            return values(iceberg_type).map(DateLiteral) | moments().map(lambda n: TimestampLiteral(n, False))
        case TimeType():
            return near(0, 10**6, DAY_MICROS * 1000, spread=1001).map(TimeLiteral)
        case TimestampType() | TimestampNanoType() | TimestamptzType() | TimestamptzNanoType():
            zoned = isinstance(iceberg_type, (TimestamptzType, TimestamptzNanoType))
            return values(DateType()).map(DateLiteral) | moments().map(lambda n: TimestampLiteral(n, zoned))
        case FixedType():
            return BINARIES
        case _:
            return values(iceberg_type)


def schema_of(iceberg_type) -> Schema:
    """`c`, and the same type in an optional struct: `s.x`."""
    nested = StructType((NestedField(3, "x", iceberg_type),))
    return Schema((NestedField(1, "c", iceberg_type), NestedField(2, "s", nested)))


TERMS = st.sampled_from(["c", "s.x"])


def leaves(iceberg_type, terms=TERMS):
    literal = literals(iceberg_type)
    found = [
        st.builds(Comparison, st.sampled_from(Op), terms, literal),
        st.builds(Comparison, st.sampled_from(Op), terms, literal),
        st.builds(Comparison, st.sampled_from(Op), terms, st.none()),
        st.builds(In, terms, st.lists(literal | st.none(), max_size=4).map(tuple)),
        st.builds(NotIn, terms, st.lists(literal | st.none(), max_size=4).map(tuple)),
        st.builds(IsNull, terms | st.just("s")),
        st.builds(NotNull, terms | st.just("s")),
        st.builds(IsNaN, terms),
        st.builds(NotNaN, terms),
    ]
    if isinstance(iceberg_type, (StringType, BinaryType, FixedType)):
        found += [st.builds(StartsWith, terms, literal), st.builds(NotStartsWith, terms, literal)]
    return st.one_of(found)


def filters(iceberg_type, terms=TERMS):
    """Filters over `c` and `s.x`."""
    return st.recursive(
        leaves(iceberg_type, terms),
        lambda inner: st.builds(And, inner, inner) | st.builds(Or, inner, inner) | st.builds(Not, inner),
        max_leaves=4,
    )


def rows(iceberg_type):
    value = st.none() | values(iceberg_type)
    return st.fixed_dictionaries({"c": value, "s": st.none() | st.fixed_dictionaries({"x": value})})


def exact(literal) -> Fraction | float:
    """A literal as a number that Python compares exactly."""
    if isinstance(literal, float) or (isinstance(literal, Decimal) and not literal.is_finite()):
        return float(literal)
    return Fraction(literal)
