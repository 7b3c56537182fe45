"""Filters worth trying on a column: null, its default, values that are there, and the edges of the type it had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


def filter_terms(schema: Schema, columns: Schema) -> Iterator[BoundTerm]:
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


def filters_on(term: BoundTerm, field: NestedField, rows: Sequence[Row]) -> list[Expression]:
    """Filters on one leaf, among them some whose literal is at the edges of a narrower type."""
    found: list[Expression] = [BoundIsNull(term), BoundNotNull(term)]
    present = sorted({value for row in rows if (value := _at(row, term.path)) is not None and value == value})
    literals: list[Any] = [*_edges(term.field_type)]
    if field.initial_default is not None:
        literals.append(field.initial_default)
    literals += [present[0], present[len(present) // 2], present[-1]] if present else []
    literals = sorted(set(literals))
    for literal in literals:
        found += [BoundComparison(op, term, literal) for op in (Op.EQ, Op.NE, Op.LT, Op.GT)]
    if len(literals) > 1:
        found += [BoundIn(term, tuple(literals)), BoundNotIn(term, tuple(literals))]
    return found


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


def _at(row: Row, path: tuple[str, ...]) -> Any:
    value: Any = row
    for name in path:
        value = None if value is None else value[name]
    return value
