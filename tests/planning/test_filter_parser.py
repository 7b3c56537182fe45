"""The row filter's grammar, its errors with their positions, and pyiceberg's expressions and syntax."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projector.errors import ParseError
from projector.planning.filters.bind import bind
from projector.planning.filters.expressions import (
    FALSE,
    NULL,
    TRUE,
    And,
    Comparison,
    In,
    IsNaN,
    IsNull,
    Not,
    NotIn,
    NotNaN,
    NotNull,
    Op,
    Or,
    StartsWith,
    leaves,
)
from projector.planning.filters.literals import DateLiteral, TimeLiteral, TimestampLiteral
from projector.planning.filters.parser import parse_filter, to_expression
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

_A = Comparison(Op.EQ, "a", Decimal(1))
_B = Comparison(Op.EQ, "b", Decimal(2))
_C = Comparison(Op.EQ, "c", Decimal(3))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1", _A),
        ("a == 1", _A),
        ("1 = a", _A),
        ("(a) = (1)", _A),
        ("a <> 1", Comparison(Op.NE, "a", Decimal(1))),
        ("a != 1", Comparison(Op.NE, "a", Decimal(1))),
        ("a<1", Comparison(Op.LT, "a", Decimal(1))),
        ("1 < a", Comparison(Op.GT, "a", Decimal(1))),
        ("1 >= a", Comparison(Op.LE, "a", Decimal(1))),
        ("a >= -1.50", Comparison(Op.GE, "a", Decimal("-1.50"))),
        ("a >= +.5", Comparison(Op.GE, "a", Decimal("0.5"))),
        ("a = 1e3", Comparison(Op.EQ, "a", Decimal("1e3"))),
        ("a = 123456789012345678901234567890.5", Comparison(Op.EQ, "a", Decimal("123456789012345678901234567890.5"))),
        ("a = 1 or b = 2 and c = 3", Or(_A, And(_B, _C))),
        ("(a = 1 or b = 2) and c = 3", And(Or(_A, _B), _C)),
        ("not a = 1 and b = 2", And(Not(_A), _B)),
        ("not (a = 1 and b = 2)", Not(And(_A, _B))),
        ("NOT NOT a = 1", _A),
        ("a IS NULL", IsNull("a")),
        ("a is not null", NotNull("a")),
        ("a IS NaN", IsNaN("a")),
        ("a is not nan", NotNaN("a")),
        ("a is true", And(NotNull("a"), Comparison(Op.EQ, "a", True))),
        ("a is not false", Not(And(NotNull("a"), Comparison(Op.EQ, "a", False)))),
        ("a in (1, -2, 'x', NULL)", In("a", (Decimal(1), Decimal(-2), "x", None))),
        ("a NOT IN (TRUE)", NotIn("a", (True,))),
        ("a between 1 and 2 and b = 2", And(And(Comparison(Op.GE, "a", 1), Comparison(Op.LE, "a", 2)), _B)),
        ("a not between 1 and 2", Not(And(Comparison(Op.GE, "a", 1), Comparison(Op.LE, "a", 2)))),
        ("a like 'x%'", StartsWith("a", "x")),
        ("a like 'it''s%%'", StartsWith("a", "it's")),
        (r"a like '10\%\_\\%'", StartsWith("a", "10%_\\")),
        ("a like 'x'", Comparison(Op.EQ, "a", "x")),
        (r"a not like 'x\%'", Not(Comparison(Op.EQ, "a", "x%"))),
        ("starts_with(a, X'00ff')", StartsWith("a", b"\x00\xff")),
        ("a = 'it''s'", Comparison(Op.EQ, "a", "it's")),
        ("a = ''", Comparison(Op.EQ, "a", "")),
        ("a = x'0aFF'", Comparison(Op.EQ, "a", b"\n\xff")),
        ("a = NULL", Comparison(Op.EQ, "a", None)),
        ("a", Comparison(Op.EQ, "a", True)),
        ("not a and (b)", And(Not(Comparison(Op.EQ, "a", True)), Comparison(Op.EQ, "b", True))),
        ("a.b.c = 1", Comparison(Op.EQ, "a.b.c", Decimal(1))),
        ("a . b = 1", Comparison(Op.EQ, "a.b", Decimal(1))),
        ('"a.b" = 1', Comparison(Op.EQ, ("a.b",), Decimal(1))),
        ('a."b.c" = 1', Comparison(Op.EQ, ("a", "b.c"), Decimal(1))),
        ("`a``b`.c = 1", Comparison(Op.EQ, ("a`b", "c"), Decimal(1))),
        ('"a""b" = 1', Comparison(Op.EQ, ('a"b',), Decimal(1))),
        ('"in" = 1', Comparison(Op.EQ, ("in",), Decimal(1))),
        ("größe_$1 = 1", Comparison(Op.EQ, "größe_$1", Decimal(1))),
        ("日本 = 1", Comparison(Op.EQ, "日本", Decimal(1))),
        ("date = DATE '2020-01-01'", Comparison(Op.EQ, "date", DateLiteral(18262))),
        ("time < time '00:00:01'", Comparison(Op.LT, "time", TimeLiteral(10**9))),
        ("a = TIMESTAMP '1970-01-01 00:00:00.000000001'", Comparison(Op.EQ, "a", TimestampLiteral(1, False))),
        ("a = timestamp '1970-01-01T01:00+01:00'", Comparison(Op.EQ, "a", TimestampLiteral(0, True))),
        ("a = timestamp '1970-01-01 01:00:00+01'", Comparison(Op.EQ, "a", TimestampLiteral(0, True))),
        ("a = timestamp '1970-01-01 00:00:00 UTC'", Comparison(Op.EQ, "a", TimestampLiteral(0, True))),
        ("a = timestamp '1970-01-01 01:00:00 +01:00'", Comparison(Op.EQ, "a", TimestampLiteral(0, True))),
        ("a = timestamp '1970-01-01t00:00z'", Comparison(Op.EQ, "a", TimestampLiteral(0, True))),
        ("a = TIMESTAMPTZ '1970-01-01'", Comparison(Op.EQ, "a", TimestampLiteral(0, True))),
        ("a = TIMESTAMP WITH TIME ZONE '1970-01-01'", Comparison(Op.EQ, "a", TimestampLiteral(0, True))),
        ("a = TIMESTAMP WITHOUT TIME ZONE '1970-01-01'", Comparison(Op.EQ, "a", TimestampLiteral(0, False))),
        ("timestamp is null", IsNull("timestamp")),
        ("a = DECIMAL '1.10'", Comparison(Op.EQ, "a", Decimal("1.10"))),
        ("a = UUID '00000000-0000-0000-0000-000000000001'", Comparison(Op.EQ, "a", UUID(int=1))),
        ("true", TRUE),
        ("FALSE", FALSE),
        ("null", NULL),
        ("1 = 1", TRUE),
        ("'a' > 'b'", FALSE),
        ("1 = NULL", NULL),
        ("true and a = 1", _A),
        ("false or a = 1", _A),
        ("  a\n=\t1  ", _A),
    ],
)
def test_grammar(text, expected):
    assert parse_filter(text) == expected


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "the filter is empty"),
        ("   ", 3, "the filter is empty"),
        ("a = ", 4, "expected a column or a literal, found 'end of filter'"),
        ("a = b", 4, "comparing a column with a column is not supported"),
        ("a = 1 b", 6, "unexpected 'b'"),
        ("a b", 2, "unexpected 'b' after column a"),
        ("a % 8 = 2", 2, "operator % is not supported"),
        ("a + 1 = 2", 2, "operator + is not supported"),
        ("-a = 2", 0, "operator - is not supported in a filter but before a number"),
        ("lower(a) = 'x'", 0, "function lower is not supported"),
        ("a = lower('x')", 4, "comparing a column with a column"),
        ("a like '%x'", 8, "LIKE is supported for prefixes only"),
        ("a like 'x_y%'", 9, "not with _ here"),
        ("a like 'it''s_'", 13, "not with _ here"),
        ("a like 5", 7, "expected a text in quotes after LIKE"),
        ("a like 'x' escape '!'", 11, "ESCAPE is not supported"),
        ("a ilike 'x%'", 2, "ILIKE is not supported"),
        ("a in 5", 5, "expected ( after IN"),
        ("a in ()", 6, "expected a column or a literal"),
        ("a in (1, b)", 9, "expected a literal after ,, found column b"),
        ("a in (select 1)", 6, "a subquery is not supported"),
        ("a between 1 or 2", 12, "expected AND after the first literal of BETWEEN"),
        ("a is 5", 5, "expected NULL, NAN, TRUE or FALSE after IS"),
        ("a not 5", 6, "expected IN, BETWEEN or LIKE after NOT"),
        ("1 < a < 5", 6, "comparisons cannot be chained"),
        ("5", 0, "5 alone is not true or false"),
        ("'x' = 5", 0, "a comparison needs a column on one side"),
        ("(a = 1", 6, "expected ) after an opening parenthesis"),
        ("a = 1)", 5, "unexpected ')'"),
        ("a = 'x", 4, "the quote ' is never closed"),
        ('"a = 1', 0, 'the quote " is never closed'),
        ("1a = 1", 0, "'1a' is not a number; a name that starts with a digit has to be quoted"),
        ("a = 1_000", 4, "'1_000' is not a number"),
        ("a..b = 1", 2, "expected a name after '.'"),
        ("a. = 1", 3, "expected a name after '.'"),
        ("a = X'0'", 4, "X'0' is not hexadecimal"),
        ("a = X'zz'", 4, "X'zz' is not hexadecimal"),
        ("a = DATE '2020-13-01'", 9, "month 13 is not 1 to 12"),
        ("a = TIMESTAMP 'soon'", 14, "'soon' is not a timestamp"),
        ("a = UUID 'x'", 9, "'x' is not a uuid"),
        ("and", 0, "expected a column or a literal, found 'and'"),
        ("a = 1; drop table t", 5, "character ';' is not understood"),
        ("a = 1 -- all", 6, "unexpected '-'"),
        ("(" * 300 + "a" + ")" * 300, 201, "more than 200 levels of parentheses"),
    ],
)
def test_errors_have_their_position(text, position, message):
    with pytest.raises(ParseError) as raised:
        parse_filter(text)
    assert message in str(raised.value)
    assert raised.value.position == position
    assert raised.value.text == text


@settings(deadline=None)
@given(st.text("a1 .,()<>=!'\"`%-+_xXNOTinlike\\", max_size=30))
def test_any_text_parses_or_says_where_not(text):
    position = _position_of_error(text)
    assert position is None or 0 <= position <= len(text)


def _position_of_error(text):
    try:
        parse_filter(text)
    except ParseError as e:
        return -1 if e.position is None else e.position
    return None


@settings(deadline=None)
@given(st.text(min_size=1, max_size=8), st.text(max_size=8))
def test_quoting_takes_every_name_and_text(name, value):
    quoted = '"' + name.replace('"', '""') + '"'
    literal = "'" + value.replace("'", "''") + "'"
    assert parse_filter(f"{quoted} = {literal}") == Comparison(Op.EQ, (name,), value)
    assert parse_filter(f"`{name.replace('`', '``')}` = {literal}") == Comparison(Op.EQ, (name,), value)


def test_to_expression():
    assert to_expression(None) == TRUE
    assert to_expression("a = 1") == _A
    assert to_expression(_A) is _A
    with pytest.raises(ParseError, match="Cannot use int as a row filter"):
        to_expression(5)


# ------------------------------------------------------------------------------------------------------ pyiceberg

_SCHEMA = Schema(
    (
        NestedField(1, "id", LongType()),
        NestedField(2, "name", StringType()),
        NestedField(3, "s", StructType((NestedField(4, "x", DoubleType()),))),
        NestedField(5, "d", DateType()),
        NestedField(6, "ts", TimestampType()),
        NestedField(7, "tz", TimestamptzType()),
        NestedField(8, "t", TimeType()),
        NestedField(9, "u", UUIDType()),
        NestedField(10, "b", BinaryType()),
        NestedField(11, "dec", DecimalType(9, 2)),
        NestedField(12, "flag", BooleanType()),
    )
)


def test_pyiceberg_expressions():
    e = pytest.importorskip("pyiceberg.expressions")
    pairs = [
        (e.EqualTo("id", 5), "id = 5"),
        (e.NotEqualTo("id", 5), "id != 5"),
        (e.LessThan("s.x", 0.1), "s.x < 0.1"),
        (e.GreaterThanOrEqual("dec", Decimal("1.1")), "dec >= 1.1"),
        (e.LessThanOrEqual("d", date(2020, 1, 1)), "d <= DATE '2020-01-01'"),
        (e.GreaterThan("ts", datetime(2020, 1, 1, 1)), "ts > TIMESTAMP '2020-01-01 01:00:00'"),
        (e.GreaterThan("tz", datetime(2020, 1, 1, 1, tzinfo=UTC)), "tz > TIMESTAMPTZ '2020-01-01 01:00:00'"),
        (e.GreaterThan("ts", "2020-01-01T01:00:00"), "ts > TIMESTAMP '2020-01-01 01:00:00'"),
        (e.EqualTo("u", UUID(int=3)), f"u = '{UUID(int=3)}'"),
        (e.EqualTo("b", b"\x01"), "b = X'01'"),
        (e.EqualTo("flag", True), "flag"),
        (e.In("id", [1, 2, 3]), "id in (1, 2, 3)"),
        (e.NotIn("name", ["a", "b"]), "name not in ('a', 'b')"),
        (e.In("id", []), "false"),
        (e.IsNull("s"), "s is null"),
        (e.NotNull("s.x"), "s.x is not null"),
        (e.IsNaN("s.x"), "s.x is nan"),
        (e.NotNaN("s.x"), "s.x is not nan"),
        (e.StartsWith("name", "a"), "name like 'a%'"),
        (e.NotStartsWith("name", "a"), "name not like 'a%'"),
        (e.Not(e.And(e.EqualTo("id", 1), e.EqualTo("name", "a"))), "not (id = 1 and name = 'a')"),
        (e.Or(e.EqualTo("id", 1), e.AlwaysFalse()), "id = 1"),
        (e.AlwaysTrue(), "true"),
    ]
    for theirs, ours in pairs:
        assert bind(to_expression(theirs), _SCHEMA) == bind(parse_filter(ours), _SCHEMA), ours


def test_pyiceberg_bound_expressions_are_refused():
    e = pytest.importorskip("pyiceberg.expressions")
    schema = pytest.importorskip("pyiceberg.schema").Schema(
        pytest.importorskip("pyiceberg.types").NestedField(1, "id", pytest.importorskip("pyiceberg.types").LongType())
    )
    with pytest.raises(ParseError, match="Cannot use pyiceberg's BoundEqualTo"):
        to_expression(e.EqualTo("id", 5).bind(schema, True))


@pytest.mark.parametrize(
    "text",
    [
        "id = 5",
        "5 <= id",
        "id != 5 and name == 'x''y' or not (id < -3)",
        "s.x > 1.5",
        "name like 'ab%'",
        "name not like 'ab%'",
        r"name like 'a\%b%'",
        "name like 'ab'",
        "id in (1, 2, 3) and name not in ('a', 'b')",
        "id between 1 and 5",
        "s.x is nan or s.x is not nan",
        "s is null and name is not null",
        "flag = true",
        "\"name\" = 'a'",
        "true",
    ],
)
def test_pyiceberg_syntax(text):
    parse = pytest.importorskip("pyiceberg.expressions.parser").parse
    assert _canonical(to_expression(parse(text))) == _canonical(parse_filter(text))


def _canonical(expression):
    return [str(bind(leaf, _SCHEMA)) for leaf in leaves(bind(expression, _SCHEMA))]
