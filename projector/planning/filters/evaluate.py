"""Evaluate a bound filter for one row: the slow, obvious reference for everything faster."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

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
)


def evaluate_row(bound: Expression, row: Mapping[str, Any]) -> bool | None:
    """Return whether a row passes a bound filter: True, False, or None for null.

    `row` holds plain values by the name of the top-level field, structs as dicts by field name.
    """
    return evaluate_leaves(bound, lambda term: value_of(term, row))


def evaluate_leaves(bound: Expression, value: Callable[[BoundTerm], Any]) -> bool | None:
    """Return whether a row passes a bound filter; `value` returns the plain value of a column in it."""
    match bound:
        case AlwaysTrue():
            return True
        case AlwaysFalse():
            return False
        case AlwaysNull():
            return None
        case And(left, right):
            outcomes = (evaluate_leaves(left, value), evaluate_leaves(right, value))
            return False if False in outcomes else None if None in outcomes else True
        case Or(left, right):
            outcomes = (evaluate_leaves(left, value), evaluate_leaves(right, value))
            return True if True in outcomes else None if None in outcomes else False
        case Not(child):
            outcome = evaluate_leaves(child, value)
            return None if outcome is None else not outcome
    assert isinstance(bound.term, BoundTerm), "the filter is bound"
    return evaluate_value(bound, value(bound.term))


def value_of(term: BoundTerm, row: Mapping[str, Any]) -> Any:
    """Return the plain value of a column in a row; None if it, or a struct that it lies in, is null."""
    value: Any = row
    for name in term.path:
        if value is None:
            return None
        value = value[name]
    return value


def evaluate_value(leaf: Expression, value: Any) -> bool | None:
    """Return the outcome of a bound leaf for one plain value of its column."""
    match leaf:
        case BoundIsNull():
            return value is None
        case BoundNotNull():
            return value is not None
    if value is None:
        return None
    match leaf:
        case BoundComparison(op, _, literal):
            return compare(op, value, literal)
        case BoundIn(_, literals):
            return value in literals
        case BoundNotIn(_, literals):
            return value not in literals
        case BoundIsNaN():
            return math.isnan(value)
        case BoundNotNaN():
            return not math.isnan(value)
        case BoundStartsWith(_, prefix):
            return bool(value.startswith(prefix))
        case BoundNotStartsWith(_, prefix):
            return not value.startswith(prefix)
    raise AssertionError(f"not a bound leaf: {leaf!r}")


def compare(op: Op, value: Any, literal: Any) -> bool:
    """Compare two plain values of the same type. NaN is greater than every literal, and no literal is NaN."""
    if isinstance(value, float) and math.isnan(value):
        return op in (Op.GT, Op.GE, Op.NE)
    match op:
        case Op.EQ:
            return bool(value == literal)
        case Op.NE:
            return bool(value != literal)
        case Op.LT:
            return bool(value < literal)
        case Op.LE:
            return bool(value <= literal)
        case Op.GT:
            return bool(value > literal)
        case Op.GE:
            return bool(value >= literal)
