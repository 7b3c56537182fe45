"""Make filters worth trying on a column: on nulls, its default, its values, and the edges of narrower types."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from projector.check.values.leaf_values import LeafValues
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
from projector.schema.schema import Schema
from projector.schema.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
)

_FILTERED = (
    BooleanType, IntegerType, LongType, FloatType, DoubleType, DecimalType, DateType, StringType, TimestampType,
    TimestamptzType,
)  # fmt: skip
_INT_EDGES = (-(2**31) - 1, -(2**31), 2**31 - 1, 2**31)
_DAY = 86_400_000_000


def filter_terms(columns: Schema) -> Iterator[BoundTerm]:
    """Yield the leaves of columns that a filter can name: those outside lists and maps."""

    def below(
        fields: Sequence[NestedField], path: tuple[str, ...], parents: tuple[NestedField, ...]
    ) -> Iterator[BoundTerm]:
        for field in fields:
            here = (*path, field.name)
            match field.field_type:
                case StructType(inner):
                    yield from below(inner, here, (*parents, field))
                case kind if isinstance(kind, _FILTERED):
                    ids, may_be_null = tuple(p.field_id for p in parents), any(p.optional for p in parents)
                    yield BoundTerm(field.field_id, kind, here, ids, may_be_null)

    return below(columns.fields, (), ())


def filters_on(term: BoundTerm, default: Any, values: LeafValues, *, promoted: bool) -> list[Expression]:
    """Return filters on a leaf: on nulls, its values and their neighbours, and the edges of narrower types.

    Parameters
    ----------
    default:
        Its initial default, if any.
    values:
        Values in the files.
    promoted:
        Whether some file holds the leaf in another type; if so, add literals at the edges of narrower types.
    """
    found = _null_filters(term)
    some = values.some
    chosen = {*some[:1], *some[-1:], *some[len(some) // 2 : len(some) // 2 + 1]}
    if promoted:
        chosen.update(_edges(term.field_type))
    if default is not None:
        chosen.add(default)
    literals = sorted(chosen)
    for literal in literals:
        found += [BoundComparison(op, term, literal) for op in (Op.EQ, Op.NE, Op.LT, Op.GT)]
    if some:
        found += [BoundComparison(Op.LE, term, some[0]), BoundComparison(Op.GE, term, some[-1])]
        found += [BoundComparison(Op.EQ, term, other) for other in _beside(some, term.field_type)]
    if len(literals) > 1:
        found += [BoundIn(term, tuple(literals)), BoundNotIn(term, tuple(literals))]
    if len(some) > 3:
        found.append(BoundIn(term, some[1:-1]))
    return found


def cheap_filters_on(term: BoundTerm, default: Any, values: LeafValues, *, promoted: bool) -> list[Expression]:
    """Return filters on a leaf for files with very many rows: those that select few rows if statistics are used."""
    some = values.some
    found: list[Expression] = [BoundIsNull(term)]
    found += [BoundComparison(Op.LE, term, value) for value in some[:1]]
    found += [BoundComparison(Op.GE, term, value) for value in some[-1:]]
    found += [BoundComparison(Op.EQ, term, value) for value in some[len(some) // 2 : len(some) // 2 + 1]]
    if promoted:
        found += [BoundComparison(Op.GT, term, edge) for edge in _edges(term.field_type)[-1:]]
    if default is not None:
        found.append(BoundComparison(Op.EQ, term, default))
    return found


def _null_filters(term: BoundTerm) -> list[Expression]:
    found: list[Expression] = [BoundIsNull(term), BoundNotNull(term)]
    if isinstance(term.field_type, FloatType | DoubleType):
        found += [BoundIsNaN(term), BoundNotNaN(term)]
    return found


def few_filters_on(term: BoundTerm, values: LeafValues) -> list[Expression]:
    """Return filters on a leaf that is read the same way as an earlier one: on nulls and on its values."""
    some = values.some
    several = tuple(dict.fromkeys((*some[:1], *some[len(some) // 2 : len(some) // 2 + 1], *some[-1:])))
    return [BoundIsNull(term), BoundIn(term, several) if several else BoundNotNull(term)]


def own_filters(term: BoundTerm, values: LeafValues) -> list[Expression]:
    """Return filters on a leaf that some row of a file with these values passes."""
    ends = dict.fromkeys((*values.some[:1], *values.some[-1:]))
    found: list[Expression] = [BoundComparison(Op.EQ, term, value) for value in ends]
    return [*found, BoundIsNull(term)] if values.nulls else found


def _beside(some: Sequence[Any], kind: IcebergType) -> tuple[Any, ...]:
    """Return the values just below the least and just above the greatest one."""
    match kind:
        case IntegerType() | DateType():
            return tuple(v for v in (some[0] - 1, some[-1] + 1) if -(2**31) <= v < 2**31)
        case LongType() | TimestampType() | TimestamptzType():
            return tuple(v for v in (some[0] - 1, some[-1] + 1) if -(2**63) <= v < 2**63)
        case DoubleType():
            ends = math.nextafter(some[0], -math.inf), math.nextafter(some[-1], math.inf)
            return tuple(v for v in ends if math.isfinite(v))
        case StringType():
            return (some[-1] + "\x01",)
        case _:
            return ()


def _edges(kind: IcebergType) -> tuple[Any, ...]:
    match kind:
        case LongType():
            return _INT_EDGES
        case IntegerType():
            return _INT_EDGES[1:3]
        case DoubleType():
            return (0.1,)
        case TimestampType():
            return (_DAY, _DAY + 1)
        case _:
            return ()
