"""Convert pyiceberg expressions to filters. Classes are recognized by name, so pyiceberg need not be installed."""

from __future__ import annotations

from typing import Any

from projector.errors import ParseError
from projector.planning.filters.expressions import (
    FALSE,
    TRUE,
    Comparison,
    Expression,
    In,
    IsNaN,
    IsNull,
    Not,
    NotIn,
    NotNaN,
    NotNull,
    NotStartsWith,
    Op,
    StartsWith,
    both,
    either,
)
from projector.planning.filters.literals import DateLiteral, Literal, TimeLiteral, TimestampLiteral

_COMPARISONS = {
    "EqualTo": Op.EQ,
    "NotEqualTo": Op.NE,
    "LessThan": Op.LT,
    "LessThanOrEqual": Op.LE,
    "GreaterThan": Op.GT,
    "GreaterThanOrEqual": Op.GE,
}
_UNARY: dict[str, type[IsNull] | type[NotNull] | type[IsNaN] | type[NotNaN]] = {
    "IsNull": IsNull,
    "NotNull": NotNull,
    "IsNaN": IsNaN,
    "NotNaN": NotNaN,
}


def from_pyiceberg(expression: Any) -> Expression:
    """Convert an unbound pyiceberg expression to a filter.

    Raises `ParseError` for any other object, such as a bound expression.
    """
    name = type(expression).__name__
    if type(expression).__module__.partition(".")[0] != "pyiceberg":
        raise ParseError(f"Cannot use {name} as a row filter: it is neither text nor a filter expression")
    match name:
        case "AlwaysTrue":
            return TRUE
        case "AlwaysFalse":
            return FALSE
        case "And":
            return both(from_pyiceberg(expression.left), from_pyiceberg(expression.right))
        case "Or":
            return either(from_pyiceberg(expression.left), from_pyiceberg(expression.right))
        case "Not":
            return Not(from_pyiceberg(expression.child))
        case "In":
            return In(_term(expression), tuple(map(_literal, expression.literals)))
        case "NotIn":
            return NotIn(_term(expression), tuple(map(_literal, expression.literals)))
        case "StartsWith":
            return StartsWith(_term(expression), _literal(expression.literal))
        case "NotStartsWith":
            return NotStartsWith(_term(expression), _literal(expression.literal))
        case _ if name in _UNARY:
            return _UNARY[name](_term(expression))
        case _ if name in _COMPARISONS:
            return Comparison(_COMPARISONS[name], _term(expression), _literal(expression.literal))
    raise ParseError(f"Cannot use pyiceberg's {name} as a row filter: only unbound expressions are supported")


def _term(expression: Any) -> str:
    term = expression.term
    name = getattr(term, "name", None)
    if not isinstance(name, str):
        raise ParseError(f"Cannot use the term {term!r} in a row filter: only column references are supported")
    return name


def _literal(literal: Any) -> Literal:
    value = literal.value
    match type(literal).__name__:
        case "DateLiteral":
            return DateLiteral(value)
        case "TimeLiteral":
            return TimeLiteral(value * 1000)
        case "TimestampLiteral":
            return TimestampLiteral(value * 1000, None)
        case _:
            return value
