"""Estimate how many rows of a file pass a filter, from what is known of its columns.

The estimates only tell users what a scan costs; nothing is skipped because of them. They assume that values are spread
evenly between their bounds and that columns are independent, and take usual figures for what is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Any
from uuid import UUID

from projector.planning.filters.expressions import (
    And,
    BoundComparison,
    BoundIn,
    BoundIsNaN,
    BoundIsNull,
    BoundNotIn,
    BoundNotStartsWith,
    BoundStartsWith,
    BoundTerm,
    Expression,
    Not,
    Op,
    Or,
    split,
)
from projector.planning.pruning.facts import Facts
from projector.planning.pruning.outcomes import Lookup, matches
from projector.schema.types import DateType, IcebergType, IntegerType, LongType

_SOME_RANGE = 0.5
_ONE_VALUE = 0.1
_FEW = 0.05
_PREFIX_BYTES = 8


def expected_fraction(bound: Expression, lookup: Lookup) -> float:
    """Return the fraction of the rows, from 0 to 1, that should pass a bound filter; exact if the facts decide it."""
    decided = matches(bound, lookup)
    return undecided_fraction(bound, lookup) if decided is None else float(decided)


def undecided_fraction(bound: Expression, lookup: Lookup) -> float:
    """Return the fraction of the rows that should pass a bound filter that the facts do not decide."""
    match bound:
        case And():
            return _and(split(bound, And), lookup)
        case Or():
            missed = 1.0
            for part in split(bound, Or):
                missed *= 1 - expected_fraction(part, lookup)
            return 1 - missed
        case Not(child):
            return 1 - expected_fraction(child, lookup)
    assert isinstance(bound.term, BoundTerm), "constants are decided and filters are bound"  # type: ignore[union-attr]
    return _leaf(bound, lookup(bound.term))  # type: ignore[union-attr]


def _and(parts: Iterable[Expression], lookup: Lookup) -> float:
    """Combine leaves: comparisons of one column make one interval; everything else is independent."""
    found = 1.0
    ranges: dict[BoundTerm, list[BoundComparison]] = {}
    for part in parts:
        if isinstance(part, BoundComparison) and part.op in _RANGES:
            ranges.setdefault(part.term, []).append(part)
        else:
            found *= expected_fraction(part, lookup)
    for term, comparisons in ranges.items():
        below, above = 1.0, 0.0
        for comparison in comparisons:
            share = _below(lookup(term), comparison)
            if comparison.op in (Op.LT, Op.LE):
                below = min(below, share)
            else:
                above = max(above, share)
        found *= max(below - above, 0.0)
    return found


_RANGES = (Op.LT, Op.LE, Op.GT, Op.GE)


def _leaf(leaf: Expression, facts: Facts) -> float:
    match leaf:
        case BoundComparison(op=Op.EQ, term=term):
            return _one(facts, term.field_type)
        case BoundComparison(op=Op.NE, term=term):
            return 1 - _one(facts, term.field_type)
        case BoundComparison(op=op):
            share = _below(facts, leaf)
            return share if op in (Op.LT, Op.LE) else 1 - share
        case BoundIn(term, literals):
            return min(1.0, sum(facts.may_hold(x) for x in literals) * _one(facts, term.field_type))
        case BoundNotIn(term, literals):
            return max(0.0, 1 - sum(facts.may_hold(x) for x in literals) * _one(facts, term.field_type))
        case BoundStartsWith():
            return _ONE_VALUE
        case BoundNotStartsWith():
            return 1 - _ONE_VALUE
        case BoundIsNull() | BoundIsNaN():
            return _FEW
        case _:  # not null, not NaN
            return 1 - _FEW


def _one(facts: Facts, iceberg_type: IcebergType) -> float:
    """Return the fraction of the rows with one value, which the facts allow."""
    counts = isinstance(iceberg_type, IntegerType | LongType | DateType)
    if counts and facts.lower is not None and facts.upper is not None:
        return float(1 / (facts.upper - facts.lower + 1))
    return _ONE_VALUE


def _below(facts: Facts, comparison: BoundComparison) -> float:
    """Return the fraction of the rows with values below the literal of a comparison, or up to it, by its operator."""
    if facts.lower is None or facts.upper is None:
        return _SOME_RANGE
    low, high, value = _numbers(facts.lower, facts.upper, comparison.literal)
    whole = isinstance(comparison.literal, int)
    upto = value + 1 if whole and comparison.op in (Op.LE, Op.GT) else value
    span = high - low + (1 if whole else 0)
    if not 0 < span < math.inf:
        return _SOME_RANGE
    return min(1.0, max(0.0, (upto - low) / span))


def _numbers(*values: Any) -> tuple[float, ...]:
    """Return values as numbers of the same order; for strings, from what follows their common prefix."""
    first = values[0]
    if isinstance(first, UUID):
        return tuple(float(v.int) for v in values)
    if not isinstance(first, (str, bytes)):
        return tuple(_finite(v) for v in values)
    data = [v.encode("utf-8", "surrogatepass") if isinstance(v, str) else bytes(v) for v in values]
    length = max(map(len, data))
    start = next((i for i in range(length) if len({d[i : i + 1] for d in data}) > 1), length)
    return tuple(float(int.from_bytes(d[start : start + _PREFIX_BYTES].ljust(_PREFIX_BYTES, b"\0"))) for d in data)


def _finite(value: int | float | bool | Decimal) -> float:
    most = 1.7e308
    return max(-most, min(most, float(value)))
