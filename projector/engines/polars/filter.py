"""Turn a bound filter into a Polars expression.

Polars compares values as filters do: null gives null, AND and OR are three-valued, NaN equals NaN and is greater than
every other number, -0.0 equals 0.0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from projector.engines.polars.types import literal, plain_series
from projector.planning.filters.expressions import (
    AlwaysFalse,
    AlwaysNull,
    AlwaysTrue,
    And,
    BoundComparison,
    BoundIn,
    BoundIsNaN,
    BoundIsNull,
    BoundNotIn,
    BoundNotNaN,
    BoundNotNull,
    BoundNotStartsWith,
    BoundStartsWith,
    BoundTerm,
    Expression,
    Not,
    Op,
    Or,
    split,
)


def filter_expr(bound: Expression, column: Callable[[BoundTerm], pl.Expr]) -> pl.Expr:
    """Return a bound filter as a boolean expression that is null for the rows for which the filter is null.

    Parameters
    ----------
    column:
        Returns the expression of a column of the filter, in its requested type.
    """
    match bound:
        case And() | Or():
            parts = [filter_expr(part, column) for part in split(bound, type(bound))]
            return pl.all_horizontal(parts) if isinstance(bound, And) else pl.any_horizontal(parts)
        case Not(child):
            return ~filter_expr(child, column)
        case AlwaysTrue() | AlwaysFalse():
            return pl.lit(isinstance(bound, AlwaysTrue))
        case AlwaysNull():
            return pl.lit(None, dtype=pl.Boolean)
    assert isinstance(bound.term, BoundTerm), "the filter is bound"
    return _leaf(bound, column(bound.term))


def _leaf(leaf: Expression, column: pl.Expr) -> pl.Expr:
    match leaf:
        case BoundComparison(op, term, value):
            return _compare(op, column, literal(value, term.field_type))
        case BoundIn(term, values):
            return _is_in(column, values, term)
        case BoundNotIn(term, values):
            return ~_is_in(column, values, term)
        case BoundIsNull():
            return column.is_null()
        case BoundNotNull():
            return column.is_not_null()
        case BoundIsNaN():
            return column.is_nan()
        case BoundNotNaN():
            return column.is_not_nan()
        case BoundStartsWith(_, prefix):
            return _starts_with(column, prefix)
        case BoundNotStartsWith(_, prefix):
            return ~_starts_with(column, prefix)
    raise AssertionError(f"not a bound leaf: {leaf!r}")


def _compare(op: Op, column: pl.Expr, value: pl.Expr) -> pl.Expr:
    match op:
        case Op.EQ:
            return column == value
        case Op.NE:
            return column != value
        case Op.LT:
            return column < value
        case Op.LE:
            return column <= value
        case Op.GT:
            return column > value
        case Op.GE:
            return column >= value


def _is_in(column: pl.Expr, values: tuple[Any, ...], term: BoundTerm) -> pl.Expr:
    return column.is_in(plain_series("", list(values), term.field_type).implode())


def _starts_with(column: pl.Expr, prefix: str | bytes) -> pl.Expr:
    return column.bin.starts_with(prefix) if isinstance(prefix, bytes) else column.str.starts_with(prefix)
