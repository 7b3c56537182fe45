"""Find the possible outcomes of a bound filter over rows of which only facts are known.

A filter gets the set of its possible outcomes (true, false, null). The set is never too small, so both directions
follow from it: a file *might match* if the set holds true, and all its rows *must match* if it holds nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntFlag

from projector.planning.filters.expressions import (
    FALSE,
    NULL,
    TRUE,
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
    both,
    either,
)
from projector.planning.pruning.facts import Facts

Lookup = Callable[[BoundTerm], Facts]
"""Facts by column."""


class Outcomes(IntFlag):
    """A set of outcomes."""

    NONE = 0
    TRUE = 1
    FALSE = 2
    NULL = 4


_T, _F, _N = 1, 2, 4


def _and(a: int, b: int) -> int:
    false = _F if (a | b) & _F else 0
    true = _T if a & b & _T else 0
    null = _N if (a & _N and b & (_T | _N)) or (b & _N and a & (_T | _N)) else 0
    return false | true | null if a and b else 0


def _not(a: int) -> int:
    return (a & _N) | (_F if a & _T else 0) | (_T if a & _F else 0)


_AND = [[_and(a, b) for b in range(8)] for a in range(8)]
_OR = [[_not(_and(_not(a), _not(b))) for b in range(8)] for a in range(8)]


def outcomes(bound: Expression, lookup: Lookup) -> Outcomes:
    """Return the outcomes that a bound filter can have for the rows that the facts describe; empty for no rows."""
    return Outcomes(_outcomes(bound, lookup))


def might_match(bound: Expression, lookup: Lookup) -> bool:
    """Return whether some row can pass the filter. False is certain, True is not (spec: Scan Planning, inclusive)."""
    return bool(_outcomes(bound, lookup) & _T)


def matches(bound: Expression, lookup: Lookup) -> bool | None:
    """Return True if every row passes the filter, False if none does, and None if neither is certain."""
    found = _outcomes(bound, lookup)
    if not found & _T:
        return False
    return True if found == _T else None


def residual(bound: Expression, lookup: Lookup) -> Expression:
    """Return what is left of a filter after facts decide parts of it; it has the same outcome for every row."""
    match bound:
        case And(left, right):
            return both(residual(left, lookup), residual(right, lookup))
        case Or(left, right):
            return either(residual(left, lookup), residual(right, lookup))
        case AlwaysTrue() | AlwaysFalse() | AlwaysNull():
            return bound
    match _outcomes(bound, lookup):
        case 1:
            return TRUE
        case 2 | 0:
            return FALSE
        case 4:
            return NULL
        case _:
            return bound


def _outcomes(bound: Expression, lookup: Lookup) -> int:
    if type(bound) is BoundComparison:  # by far the most common, and evaluated for every file
        assert isinstance(bound.term, BoundTerm), "the filter is bound"
        return _comparison(bound.op, bound.literal, lookup(bound.term))
    match bound:
        case And(left, right):
            a = _outcomes(left, lookup)
            return a if a == _F else _AND[a][_outcomes(right, lookup)]
        case Or(left, right):
            a = _outcomes(left, lookup)
            return a if a == _T else _OR[a][_outcomes(right, lookup)]
        case AlwaysTrue():
            return _T
        case AlwaysFalse():
            return _F
        case AlwaysNull():
            return _N
        case Not(child):
            return _not(_outcomes(child, lookup))
    assert isinstance(bound.term, BoundTerm), "the filter is bound"
    return _leaf(bound, lookup(bound.term))


def _set(true: bool, false: bool, null: bool) -> int:
    return (_T if true else 0) | (_F if false else 0) | (_N if null else 0)


def _leaf(leaf: Expression, facts: Facts) -> int:
    value, nan, null = facts.has_value, facts.has_nan, facts.has_null
    match leaf:
        case BoundComparison(op, _, literal):
            return _comparison(op, literal, facts)
        case BoundIn(_, literals):
            inside = any(facts.may_hold(x) for x in literals)
            outside = value and not (facts.is_single_value and facts.lower in literals)
            return _set(inside, outside or nan, null)
        case BoundNotIn(_, literals):
            inside = any(facts.may_hold(x) for x in literals)
            outside = value and not (facts.is_single_value and facts.lower in literals)
            return _set(outside or nan, inside, null)
        case BoundIsNull():
            return _set(null, value or nan, False)
        case BoundNotNull():
            return _set(value or nan, null, False)
        case BoundIsNaN():
            return _set(nan, value, null)
        case BoundNotNaN():
            return _set(value, nan, null)
        case BoundStartsWith(_, prefix):
            return _set(value and _may_start(facts, prefix), value and not _all_start(facts, prefix), null)
        case BoundNotStartsWith(_, prefix):
            return _set(value and not _all_start(facts, prefix), value and _may_start(facts, prefix), null)
    raise AssertionError(f"not a bound leaf: {leaf!r}")


def _comparison(op: Op, literal: object, facts: Facts) -> int:
    """Compare, with NaN greater than every literal."""
    value, nan, null = facts.has_value, facts.has_nan, facts.has_null
    match op:
        case Op.EQ | Op.NE:
            equal = facts.may_hold(literal)
            unequal = nan or (value and not (facts.is_single_value and facts.lower == literal))
            return _set(equal, unequal, null) if op is Op.EQ else _set(unequal, equal, null)
        case Op.LT | Op.GE:
            below = value and facts.may_sink(literal, or_equal=False)
            not_below = nan or (value and facts.may_reach(literal, or_equal=True))
            return _set(below, not_below, null) if op is Op.LT else _set(not_below, below, null)
        case Op.LE | Op.GT:
            not_above = value and facts.may_sink(literal, or_equal=True)
            above = nan or (value and facts.may_reach(literal, or_equal=False))
            return _set(not_above, above, null) if op is Op.LE else _set(above, not_above, null)


def _may_start(facts: Facts, prefix: str | bytes) -> bool:
    low_enough = facts.lower is None or facts.lower[: len(prefix)] <= prefix
    return bool(low_enough) and facts.may_reach(prefix, or_equal=True)


def _all_start(facts: Facts, prefix: str | bytes) -> bool:
    """Return whether all values between two start with a prefix: they do if both do."""
    if facts.lower is None or facts.upper is None:
        return False
    return bool(facts.lower.startswith(prefix) and facts.upper.startswith(prefix))
