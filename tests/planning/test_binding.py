"""Binding: no comparison changes its outcome. Expected outcomes come from Python's exact numbers."""

from __future__ import annotations

import math
import operator
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from projector.errors import NotFoundError, ParseError, UnsupportedError
from projector.planning.filters.bind import bind
from projector.planning.filters.evaluate import evaluate_row
from projector.planning.filters.expressions import (
    FALSE,
    NULL,
    TRUE,
    BoundComparison,
    BoundIn,
    BoundIsNaN,
    BoundNotNull,
    Comparison,
    In,
    Not,
    Op,
    Or,
    bound_terms,
)
from projector.planning.filters.literals import DateLiteral, TimestampLiteral
from projector.planning.filters.parser import parse_filter
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
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
    VariantType,
)
from tests.planning import filters

_OPS = {
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
    Op.LT: operator.lt,
    Op.LE: operator.le,
    Op.GT: operator.gt,
    Op.GE: operator.ge,
}


def _schema(iceberg_type, name="x"):
    return Schema((NestedField(1, name, iceberg_type),))


def _bound(text, iceberg_type):
    return bind(parse_filter(text), _schema(iceberg_type))


def _passes(op, value, literal, iceberg_type):
    return evaluate_row(bind(Comparison(op, "x", literal), _schema(iceberg_type)), {"x": value})


@st.composite
def _pairs(draw, *types):
    iceberg_type = draw(st.sampled_from(types))
    return iceberg_type, draw(filters.values(iceberg_type)), draw(filters.literals(iceberg_type))


@settings(deadline=None)
@given(st.sampled_from(Op), _pairs(IntegerType(), LongType(), DecimalType(4, 2), DecimalType(38, 38)))
def test_exact_numbers_compare_exactly(op, pair):
    iceberg_type, value, literal = pair
    number = filters.exact(literal)
    if isinstance(literal, float) and isinstance(iceberg_type, DecimalType) and math.isfinite(literal):
        number = Fraction(repr(literal))
    if isinstance(number, float) and math.isnan(number):
        number = math.inf  # greater than every number
    assert _passes(op, value, literal, iceberg_type) is _OPS[op](Fraction(value), number)


@settings(deadline=None)
@given(st.sampled_from(Op), _pairs(DoubleType()))
def test_doubles_are_never_rounded(op, pair):
    iceberg_type, value, literal = pair
    assume(isinstance(literal, float) and not math.isnan(literal) and not math.isnan(value))
    assert _passes(op, value, literal, iceberg_type) is _OPS[op](value, literal)


@settings(deadline=None)
@given(st.sampled_from(Op), filters.values(FloatType()), filters.values(FloatType()))
def test_floats_compare_as_floats(op, value, literal):
    assume(not math.isnan(literal) and not math.isnan(value))
    assert _passes(op, value, literal, FloatType()) is _OPS[op](value, literal)


@settings(deadline=None)
@given(
    st.sampled_from(Op), st.sampled_from([FloatType(), DoubleType()]), st.sampled_from([math.nan, math.inf, 0.0, -1.5])
)
def test_nan_is_the_greatest_and_equals_itself(op, iceberg_type, literal):
    order = (1, 0.0) if math.isnan(literal) else (0, literal)
    assert _passes(op, math.nan, literal, iceberg_type) is _OPS[op]((1, 0.0), order)
    assert _passes(op, 1.0, literal, iceberg_type) is _OPS[op]((0, 1.0), order)
    assert _passes(op, None, literal, iceberg_type) is None


@settings(deadline=None)
@given(st.sampled_from(Op), _pairs(DateType(), TimestampType(), filters.TYPES[11]))
def test_dates_and_timestamps_compare_on_one_line(op, pair):
    iceberg_type, value, literal = pair
    nanos = {DateType: filters.DAY_MICROS * 1000, TimestampType: 1000}.get(type(iceberg_type), 1)
    number = literal.days * filters.DAY_MICROS * 1000 if isinstance(literal, DateLiteral) else literal.nanos
    assert _passes(op, value, literal, iceberg_type) is _OPS[op](value * nanos, number)


@settings(deadline=None)
@given(st.sampled_from(Op), _pairs(FixedType(2), BinaryType(), StringType()))
def test_bytes_and_texts_compare_from_the_left(op, pair):
    iceberg_type, value, literal = pair
    assert _passes(op, value, literal, iceberg_type) is _OPS[op](value, literal)


@settings(deadline=None)
@given(st.data())
def test_not_is_the_opposite_of_every_row(data):
    iceberg_type = data.draw(st.sampled_from(filters.TYPES))
    schema = filters.schema_of(iceberg_type)
    unbound = data.draw(filters.filters(iceberg_type))
    row = data.draw(filters.rows(iceberg_type))
    outcome = evaluate_row(bind(unbound, schema), row)
    assert evaluate_row(bind(Not(unbound), schema), row) is (None if outcome is None else not outcome)


@settings(deadline=None)
@given(st.data())
def test_text_of_a_bound_filter_binds_to_it_again(data):
    iceberg_type = data.draw(st.sampled_from(filters.TYPES))
    schema = filters.schema_of(iceberg_type)
    bound = bind(data.draw(filters.filters(iceberg_type)), schema)
    # binding balances chains of ANDs and ORs, so the tree itself settles with the second time
    assert bind(parse_filter(str(bound)), schema) == bind(bound, schema)


@pytest.mark.parametrize(
    ("text", "iceberg_type", "expected"),
    [
        ("x > 1.5", IntegerType(), "x >= 2"),
        ("x < -1.5", IntegerType(), "x <= -2"),
        ("x = 1.5", IntegerType(), "(x IS NULL AND NULL)"),
        ("x != 1.5", IntegerType(), "(x IS NOT NULL OR NULL)"),
        ("x < 2147483648", IntegerType(), "(x IS NOT NULL OR NULL)"),
        ("x > 2147483648", IntegerType(), "(x IS NULL AND NULL)"),
        ("x >= -2147483649", IntegerType(), "(x IS NOT NULL OR NULL)"),
        ("x = 2147483648", LongType(), "x = 2147483648"),
        ("x in (1, 1.5, 2, 1.0, 3000000000)", IntegerType(), "x IN (1, 2)"),
        ("x in (1.5, 3000000000)", IntegerType(), "(x IS NULL AND NULL)"),
        ("x not in (1.5)", IntegerType(), "(x IS NOT NULL OR NULL)"),
        ("x in (1, NULL)", IntegerType(), "(x = 1 OR NULL)"),
        ("x not in (1, NULL)", IntegerType(), "(x != 1 AND NULL)"),
        ("x = NULL", IntegerType(), "NULL"),
        ("not x = NULL", IntegerType(), "NULL"),
        ("x like NULL", StringType(), "NULL"),
        ("x < 0.005", DecimalType(9, 2), "x <= 0.00"),
        ("x > 0.005", DecimalType(9, 2), "x >= 0.01"),
        ("x = 12345678.9", DecimalType(9, 2), "(x IS NULL AND NULL)"),
        ("x = 0.10", DecimalType(9, 2), "x = 0.10"),
        ("x > 0.1", FloatType(), "x > 0.10000000149011612"),
        ("x > 0.1", DoubleType(), "x > 0.1"),
        ("x < 1e300", FloatType(), "x <= 3.4028234663852886e+38"),
        ("x = -0.0", DoubleType(), "x = 0.0"),
        ("x = 'NaN'", DoubleType(), "x IS NAN"),
        ("x < 'Infinity'", DoubleType(), "x < 'inf'"),
        ("x is nan", IntegerType(), "(x IS NULL AND NULL)"),
        ("x is not nan", IntegerType(), "(x IS NOT NULL OR NULL)"),
        ("x > DATE '2020-01-01'", TimestampType(), "x > TIMESTAMP '2020-01-01T00:00:00'"),
        ("x > TIMESTAMP '2020-01-01 12:00:00'", DateType(), "x >= DATE '2020-01-02'"),
        ("x = TIMESTAMP '2020-01-01 12:00:00'", DateType(), "(x IS NULL AND NULL)"),
        ("x = '2020-01-01'", DateType(), "x = DATE '2020-01-01'"),
        ("x = '2020-01-01T10:00'", TimestampType(), "x = TIMESTAMP '2020-01-01T10:00:00'"),
        ("x = TIMESTAMP '2020-01-01 12:00:00+02:00'", TimestamptzType(), "x = TIMESTAMP '2020-01-01T10:00:00Z'"),
        ("x = TIMESTAMPTZ '2020-01-01 12:00'", TimestamptzType(), "x = TIMESTAMP '2020-01-01T12:00:00Z'"),
        (
            "x >= TIMESTAMP '2020-01-01 00:00:00.0000001'",
            TimestampType(),
            "x >= TIMESTAMP '2020-01-01T00:00:00.000001'",
        ),
        ("x = '10:11:12'", TimeType(), "x = TIME '10:11:12'"),
        ("x", BooleanType(), "x = TRUE"),
        ("not x", BooleanType(), "x != TRUE"),
        ("x is not true", BooleanType(), "(x IS NULL OR x != TRUE)"),
        ("x > '00000000-0000-0000-0000-000000000001'", UUIDType(), "x > '00000000-0000-0000-0000-000000000001'"),
        ("x = X'0aFF'", BinaryType(), "x = X'0aff'"),
        ("x = X'0a'", FixedType(2), "(x IS NULL AND NULL)"),
        ("x > X'0a'", FixedType(2), "x >= X'0a00'"),
        ("x <= X'0aff01'", FixedType(2), "x <= X'0aff'"),
        ("x between 1 and 2", IntegerType(), "(x >= 1 AND x <= 2)"),
        ("x not between 1 and 2", IntegerType(), "(x < 1 OR x > 2)"),
        ("x like 'a%'", StringType(), "x LIKE 'a%'"),
        ("x not like 'a%'", StringType(), "x NOT LIKE 'a%'"),
        ("x like '%'", StringType(), "(x IS NOT NULL OR NULL)"),
        ("x like 'a'", StringType(), "x = 'a'"),
        ("x = 1 and false", IntegerType(), "FALSE"),
        ("x = 1 or 1 = 1", IntegerType(), "TRUE"),
        ("x = 1 and true or false", IntegerType(), "x = 1"),
        ("x = 5", UnknownType(), "NULL"),
        ("x is null", UnknownType(), "x IS NULL"),
        ("x is null", VariantType(), "x IS NULL"),
    ],
)
def test_bound_form(text, iceberg_type, expected):
    assert str(_bound(text, iceberg_type)) == expected


@pytest.mark.parametrize(
    ("text", "iceberg_type", "message"),
    [
        ("x = 'abc'", IntegerType(), "'abc' is not a number, the column is int"),
        ("x = TRUE", IntegerType(), "TRUE is not a number"),
        ("x = 1", BooleanType(), "1 is not TRUE or FALSE"),
        ("x = 1", StringType(), "1 is not of type string"),
        ("x = 'abc'", DateType(), "'abc' is not a date"),
        ("x = 20454", DateType(), "20454 is not a date; write DATE"),
        ("x = 1700000000", TimestampType(), "is not a timestamp; write TIMESTAMP"),
        ("x = '2020-02-30'", DateType(), "day 30 is not 1 to 29"),
        ("x = TIMESTAMP '2020-01-01 00:00:00Z'", TimestampType(), "a timestamp with a zone does not compare"),
        ("x = TIMESTAMP '2020-01-01 00:00:00Z'", DateType(), "different dates in different zones"),
        ("x = 'z'", UUIDType(), "'z' is not a uuid"),
        ("x = 'z'", BinaryType(), "'z' is not of type binary"),
        ("x like 'a%'", IntegerType(), "LIKE 'a' does not go with a column of type int"),
        ("x = 1", VariantType(), "values of type variant cannot be compared"),
    ],
)
def test_literals_that_do_not_compare(text, iceberg_type, message):
    with pytest.raises(ParseError) as raised:
        _bound(text, iceberg_type)
    assert message in str(raised.value)
    assert raised.value.path == "x"
    assert raised.value.field_id == 1


_NESTED = Schema(
    (
        NestedField(1, "id", LongType(), required=True),
        NestedField(2, "a.b", StringType()),
        NestedField(3, "a", StructType((NestedField(4, "b", IntegerType()), NestedField(5, "C", StringType())))),
        NestedField(6, "l", ListType(7, StructType((NestedField(8, "x", IntegerType()),)))),
        NestedField(9, "m", MapType(10, StringType(), 11, IntegerType())),
        NestedField(12, "r", StructType((NestedField(13, "y", IntegerType()),)), required=True),
    )
)


def test_names_paths_and_dots():
    assert list(bound_terms(bind(parse_filter("a.b = 'x'"), _NESTED))) == [2]
    assert list(bound_terms(bind(parse_filter("\"a.b\" = 'x'"), _NESTED))) == [2]
    assert list(bound_terms(bind(parse_filter('"a".b = 1 and a."C" = \'x\''), _NESTED))) == [4, 5]
    assert list(bound_terms(bind(parse_filter("`a`.`b` = 1"), _NESTED))) == [4]
    assert list(bound_terms(bind(Comparison(Op.EQ, ("a", "b"), 1), _NESTED))) == [4]
    term = bound_terms(bind(parse_filter("a.C is null"), _NESTED))[5]
    assert (term.path, term.parent_ids, term.null_parents) == (("a", "C"), (3,), True)
    assert not bound_terms(bind(parse_filter("r.y is null"), _NESTED))[13].null_parents


def test_case():
    with pytest.raises(NotFoundError, match="did you mean id"):
        bind(parse_filter("ID = 1"), _NESTED)
    assert list(bound_terms(bind(parse_filter("ID = 1 and A.c = 'x'"), _NESTED, case_sensitive=False))) == [1, 5]


def test_unknown_names_get_a_hint():
    with pytest.raises(NotFoundError, match=r"Cannot find field 'a\.bb' in schema 0; did you mean a\.b"):
        bind(parse_filter("a.bb = 1"), _NESTED)
    with pytest.raises(NotFoundError, match=r"the schema has: id, a\.b, a, l, m, r"):
        bind(parse_filter("zzzzzz = 1"), _NESTED)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1", "Cannot filter on a struct but with IS NULL"),
        ("l in (1)", "Cannot filter on a list but with IS NULL"),
        ("m = 1", "Cannot filter on a map but with IS NULL"),
        ("l.x = 1", "Cannot filter on a field inside a list"),
        ("l.element.x = 1", "Cannot filter on a field inside a list"),
        ("l.element is null", "Cannot filter on a field inside a list"),
        ("m.value = 1", "Cannot filter on a field inside a map"),
    ],
)
def test_nested_terms(text, message):
    with pytest.raises(UnsupportedError, match=message):
        bind(parse_filter(text), _NESTED)


def test_null_checks_of_nested_columns():
    for name in ("a", "l", "m"):
        assert isinstance(bind(parse_filter(f"{name} is not null"), _NESTED), BoundNotNull)


def test_python_literals():
    stamp = datetime(2020, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    cases = [
        (TimestamptzType(), stamp, 1577872800000000),
        (TimestamptzType(), datetime(2020, 1, 1, 10), 1577872800000000),
        (TimestampType(), datetime(2020, 1, 1, 10), 1577872800000000),
        (TimestampType(), date(2020, 1, 1), 1577836800000000),
        (TimestampType(), TimestampLiteral(1577836800000000000, None), 1577836800000000),
        (DateType(), date(1969, 12, 31), -1),
        (TimeType(), time(0, 0, 1), 1_000_000),
        (UUIDType(), UUID(int=5), UUID(int=5)),
        (UUIDType(), UUID(int=5).bytes, UUID(int=5)),
        (BinaryType(), bytearray(b"x"), b"x"),
        (DecimalType(9, 2), 0.1, Decimal("0.10")),
        (DecimalType(9, 2), "0.1", Decimal("0.10")),
        (IntegerType(), "34", 34),
        (BooleanType(), "true", True),
        (DoubleType(), 3, 3.0),
    ]
    for iceberg_type, literal, expected in cases:
        bound = bind(Comparison(Op.EQ, "x", literal), _schema(iceberg_type))
        assert isinstance(bound, BoundComparison)
        assert bound.literal == expected
        assert type(bound.literal) is type(expected)
    with pytest.raises(ParseError, match="a timestamp with a zone"):
        bind(Comparison(Op.EQ, "x", datetime(2020, 1, 1, tzinfo=UTC)), _schema(TimestampType()))
    with pytest.raises(ParseError, match="object is not a class of literals"):
        bind(Comparison(Op.EQ, "x", object()), _schema(StringType()))


def test_numpy_literals():
    numpy = pytest.importorskip("numpy")
    assert bind(Comparison(Op.EQ, "x", numpy.int64(5)), _schema(IntegerType())).literal == 5
    assert bind(Comparison(Op.EQ, "x", numpy.float32(0.1)), _schema(DoubleType())).literal == 0.10000000149011612
    assert bind(Comparison(Op.EQ, "x", numpy.bool_(True)), _schema(BooleanType())).literal is True


def test_nan_in_a_list():
    found = bind(In("x", (1.0, math.nan, 2.0)), _schema(DoubleType()))
    assert isinstance(found, Or)
    assert isinstance(found.left, BoundIn)
    assert isinstance(found.right, BoundIsNaN)


def test_long_chains_do_not_recurse():
    schema = _schema(IntegerType())
    text = " or ".join(f"x = {i}" for i in range(5_000))
    bound = bind(parse_filter(text), schema)
    assert evaluate_row(bound, {"x": 4_999}) is True
    assert evaluate_row(bound, {"x": -1}) is False
    chain = Comparison(Op.EQ, "x", 0)
    for i in range(1, 5_000):
        chain = Or(chain, Comparison(Op.EQ, "x", i))
    assert evaluate_row(bind(chain, schema), {"x": 4_999}) is True
    assert evaluate_row(bind(Not(bind(chain, schema)), schema), {"x": 5}) is False


def test_filters_by_hand():
    schema = filters.schema_of(IntegerType())
    assert bind(Comparison("=", ["s", "x"], 5), schema) == bind(parse_filter("s.x = 5"), schema)
    with pytest.raises(ParseError, match="'~' is not a comparison"):
        bind(Comparison("~", "c", 5), schema)
    deep = Comparison(Op.EQ, "c", 5)
    for _ in range(50_000):
        deep = Not(deep)
    with pytest.raises(ParseError, match="nested too deeply"):
        bind(deep, schema)


def test_constants_fold():
    schema = _schema(IntegerType())
    for text, expected in (("not true", FALSE), ("not false", TRUE), ("not null", NULL), ("1 < 2 and 'a' < 'b'", TRUE)):
        assert bind(parse_filter(text), schema) == expected
