"""Evaluate a bound filter over projected Arrow batches, with the three-valued logic of the row evaluator.

Arrow's own semantics differ in three places, all handled here: its comparisons with NaN follow IEEE 754 (filters have
NaN equal to itself and greater than everything, see `projector.planning.filters.expressions`), `is_in` takes null for a
value and tells -0.0 from 0.0, and extension types have no kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc

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

_KERNELS = {
    Op.EQ: pc.equal,
    Op.NE: pc.not_equal,
    Op.LT: pc.less,
    Op.LE: pc.less_equal,
    Op.GT: pc.greater,
    Op.GE: pc.greater_equal,
}


def mask(bound: Expression, column: Callable[[BoundTerm], pa.Array], length: int) -> pa.BooleanArray:
    """Return for every row of a batch whether it passes a bound filter, null where the filter is null.

    Parameters
    ----------
    bound:
        The filter.
    column:
        The values of a column of the filter in its requested type, null where a struct above it is null; extension
        arrays as their storage.
    length:
        Rows in the batch.
    """
    match bound:
        case And(left, right):
            return pc.and_kleene(mask(left, column, length), mask(right, column, length))
        case Or(left, right):
            return pc.or_kleene(mask(left, column, length), mask(right, column, length))
        case Not(child):
            return pc.invert(mask(child, column, length))
        case AlwaysTrue() | AlwaysFalse():
            return pa.repeat(isinstance(bound, AlwaysTrue), length)
        case AlwaysNull():
            return pa.nulls(length, pa.bool_())
    assert isinstance(bound.term, BoundTerm), "the filter is bound"
    return _leaf(bound, column(bound.term))


def _leaf(leaf: Expression, column: pa.Array) -> pa.BooleanArray:
    match leaf:
        case BoundComparison(op, _, literal):
            return _compare(op, column, literal)
        case BoundIn(_, literals):
            return _is_in(column, literals)
        case BoundNotIn(_, literals):
            return pc.invert(_is_in(column, literals))
        case BoundIsNull():
            return pc.is_null(column)
        case BoundNotNull():
            return pc.is_valid(column)
        case BoundIsNaN():
            return pc.is_nan(column)
        case BoundNotNaN():
            return pc.invert(pc.is_nan(column))
        case BoundStartsWith(_, prefix):
            return _starts_with(column, prefix)
        case BoundNotStartsWith(_, prefix):
            return pc.invert(_starts_with(column, prefix))
    raise AssertionError(f"not a bound leaf: {leaf!r}")


def _array(values: tuple[Any, ...], arrow_type: pa.DataType) -> pa.Array:
    """Plain values as an Arrow array: numbers of days or ticks are what dates, times and timestamps hold anyway."""
    if isinstance(values[0], UUID):
        return pa.array([v.bytes for v in values], arrow_type)
    if pa.types.is_temporal(arrow_type):
        return pa.array(values, pa.int32() if arrow_type.bit_width == 32 else pa.int64()).view(arrow_type)
    return pa.array(values, arrow_type)


def _compare(op: Op, column: pa.Array, literal: Any) -> pa.BooleanArray:
    found = _KERNELS[op](column, _array((literal,), column.type)[0])
    if op in (Op.GT, Op.GE) and pa.types.is_floating(column.type):
        return pc.or_(found, pc.is_nan(column))
    return found


def _is_in(column: pa.Array, literals: tuple[Any, ...]) -> pa.BooleanArray:
    values = _array(literals, column.type)
    if pa.types.is_floating(column.type):
        zero = pa.scalar(0.0, column.type)
        column, values = pc.add(column, zero), pc.add(values, zero)  # -0.0 becomes 0.0
    found = pc.is_in(column, value_set=values)
    return pc.if_else(pc.is_null(column), pa.scalar(None, pa.bool_()), found) if column.null_count else found


def _starts_with(column: pa.Array, prefix: str | bytes) -> pa.BooleanArray:
    if pa.types.is_fixed_size_binary(column.type):
        column = column.cast(pa.binary())
    return pc.starts_with(column, pattern=prefix)
