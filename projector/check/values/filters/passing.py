"""Evaluate a filter on a column in memory: pushed-down filters are compared with the result.

Written independently of the Arrow executor's filters, so that a fault in those shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.plain_rows import plain_array
from projector.planning.filters.expressions import (
    BoundComparison,
    BoundIn,
    BoundIsNaN,
    BoundIsNull,
    BoundNotIn,
    BoundNotNaN,
    BoundNotNull,
    BoundTerm,
    Expression,
    Op,
)
from projector.schema.types import NestedField


def passing(leaf: Expression, column: pa.Array) -> pa.BooleanArray:
    """Return one boolean, never null, for each value: whether it passes a bound filter on its column.

    NaN is greater than every other value; -0.0 equals 0.0; null passes only `IS NULL`.
    """
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    valid = column.is_valid()
    match leaf:
        case BoundIsNull():
            return column.is_null()
        case BoundNotNull():
            return valid
        case BoundIsNaN():
            return pc.and_(valid, pc.is_nan(column).fill_null(False))
        case BoundNotNaN():
            return pc.and_not(valid, pc.is_nan(column).fill_null(False))
        case BoundComparison(op, BoundTerm() as term, literal):
            (scalar,) = _literals((literal,), term)
            return pc.and_(valid, _compared(op, column, scalar).fill_null(False))
        case BoundIn(BoundTerm() as term, literals):
            return pc.and_(valid, _equals_one(column, literals, term))
        case BoundNotIn(BoundTerm() as term, literals):
            return pc.and_not(valid, _equals_one(column, literals, term))
    raise AssertionError(f"no filter to try: {leaf}")


def _compared(op: Op, column: pa.Array, literal: pa.Scalar) -> pa.BooleanArray:
    match op:
        case Op.EQ:
            return pc.equal(column, literal)
        case Op.NE:
            return pc.invert(pc.equal(column, literal))
        case Op.LT:
            return pc.less(column, literal)
        case Op.GE:
            return pc.invert(pc.less(column, literal))
        case Op.LE:
            return pc.or_(pc.less(column, literal), pc.equal(column, literal))
        case Op.GT:
            return pc.invert(pc.or_(pc.less(column, literal), pc.equal(column, literal)))


def _equals_one(column: pa.Array, literals: Sequence[Any], term: BoundTerm) -> pa.BooleanArray:
    found = pa.repeat(False, len(column))
    for literal in _literals(literals, term):
        found = pc.or_(found, pc.equal(column, literal).fill_null(False))
    return found


def _literals(values: Sequence[Any], term: BoundTerm) -> list[pa.Scalar]:
    array = plain_array(list(values), NestedField(term.field_id, term.path[-1], term.field_type))
    return list(array.storage if isinstance(array, pa.ExtensionArray) else array)
