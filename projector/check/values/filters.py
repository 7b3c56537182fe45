"""Filters worth trying on a column: null, its default, values that are there, and the edges of the type it had."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from projector.check.values.reading import Row
from projector.planning.expressions import (
    BoundComparison,
    BoundIn,
    BoundIsNull,
    BoundNotIn,
    BoundNotNull,
    BoundTerm,
    Expression,
    Op,
)
from projector.planning.row_evaluator import value_of
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
    """The leaves of some columns that a filter can name: those inside structs alone."""

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


@dataclass(frozen=True, slots=True)
class LeafValues:
    """Some values of a leaf that are in a file.

    Parameters
    ----------
    some:
        Its least, a middle and its greatest value; empty where all are null.
    nulls:
        Whether there are nulls.
    """

    some: tuple[Any, ...] = ()
    nulls: bool = False

    @staticmethod
    def of(term: BoundTerm, rows: Sequence[Row]) -> LeafValues:
        """The values of a leaf in some rows."""
        found = {value for row in rows if (value := value_of(term, row)) == value}  # but for NaN
        return _some(found - {None}, None in found)

    @staticmethod
    def merged(parts: Iterable[LeafValues]) -> LeafValues:
        """The values of a leaf in several files."""
        merged = list(parts)
        return _some({value for part in merged for value in part.some}, any(part.nulls for part in merged))


def _some(values: set[Any], nulls: bool) -> LeafValues:
    present = sorted(values)
    return LeafValues((present[0], present[len(present) // 2], present[-1]) if present else (), nulls)


def filters_on(term: BoundTerm, default: Any, values: LeafValues, *, promoted: bool) -> list[Expression]:
    """Filters on one leaf.

    Parameters
    ----------
    default:
        Its initial default; None where it has none.
    values:
        Values that are in the files.
    promoted:
        Whether some file holds the leaf in another type: then literals at the edges of narrower types are tried.
    """
    found: list[Expression] = [BoundIsNull(term), BoundNotNull(term)]
    literals: set[Any] = set(values.some)
    if promoted:
        literals.update(_edges(term.field_type))
    if default is not None:
        literals.add(default)
    chosen = sorted(literals)
    for literal in chosen:
        found += [BoundComparison(op, term, literal) for op in (Op.EQ, Op.NE, Op.LT, Op.GT)]
    if len(chosen) > 1:
        found += [BoundIn(term, tuple(chosen)), BoundNotIn(term, tuple(chosen))]
    return found


def few_filters_on(term: BoundTerm, values: LeafValues) -> list[Expression]:
    """Filters on a leaf that is read the way another one is: null, and values that are there."""
    several = tuple(dict.fromkeys(values.some))
    return [BoundIsNull(term), BoundIn(term, several) if several else BoundNotNull(term)]


def own_filters(term: BoundTerm, values: LeafValues) -> list[Expression]:
    """Filters on a leaf that some row of a file passes: the file with these values."""
    found: list[Expression] = [BoundComparison(Op.EQ, term, value) for value in dict.fromkeys(values.some[::2])]
    return [*found, BoundIsNull(term)] if values.nulls else found


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
