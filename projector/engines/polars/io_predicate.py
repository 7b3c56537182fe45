"""Translate a Polars predicate to a filter that prunes files before they are opened.

Polars applies the predicate itself, so the filter may be weaker: it only must be true for every row for which the
predicate is true. A part that is not understood is dropped from an AND, and turns an OR into true. Predicates are read
through `Expr.meta.serialize`; a form that is not expected counts as not understood.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import polars as pl

from projector.engines.polars.types import Dtype, polars_type
from projector.errors import ProjectorError
from projector.planning.filters.bind import bind
from projector.planning.filters.expressions import (
    TRUE,
    And,
    Comparison,
    Expression,
    In,
    IsNaN,
    IsNull,
    Not,
    NotNull,
    Op,
    Or,
    StartsWith,
)
from projector.planning.filters.literals import DateLiteral, Literal, TimeLiteral, TimestampLiteral
from projector.schema.schema import Schema
from projector.schema.types import NestedField, StructType, UUIDType

_OPS = {"Eq": Op.EQ, "NotEq": Op.NE, "Lt": Op.LT, "LtEq": Op.LE, "Gt": Op.GT, "GtEq": Op.GE}
_INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
_NANOS = {"ms": 1_000_000, "us": 1000, "ns": 1}
_MOST_VALUES = 10_000
"""The most values of an `is_in` that are translated; longer lists prune little."""


class _Unknown(Exception):
    """A part of a predicate that is not understood."""


def implied_filter(predicate: pl.Expr, schema: Schema) -> Expression:
    """Return a filter, bound to `schema`, that is true for every row for which a predicate is true.

    Parameters
    ----------
    predicate:
        The predicate as Polars passes it to an IO source: types are resolved, columns are those of `schema`.
    """
    try:
        node = json.loads(predicate.meta.serialize(format="json"))
        return bind(_weakened(node, schema), schema)
    except (ValueError, TypeError, RecursionError, ProjectorError, pl.exceptions.PolarsError):
        return TRUE


def _weakened(node: Any, schema: Schema) -> Expression:
    """Return the filter for a node, with TRUE in place of every part that is not understood."""
    match node:
        case {"BinaryExpr": {"left": left, "op": "And" | "LogicalAnd", "right": right}}:
            return And(_weakened(left, schema), _weakened(right, schema))
        case {"BinaryExpr": {"left": left, "op": "Or" | "LogicalOr", "right": right}}:
            return Or(_weakened(left, schema), _weakened(right, schema))
    try:
        return _exact(node, schema)
    except _Unknown:
        return TRUE


def _exact(node: Any, schema: Schema) -> Expression:
    """Return a filter with exactly the outcome of a boolean node, null included. Raises `_Unknown` if there is none."""
    match node:
        case {"Column": _}:
            field, path = _column(node, schema)
            if polars_type(field.field_type) != pl.Boolean:
                raise _Unknown
            return Comparison(Op.EQ, path, True)
        case {"BinaryExpr": {"left": left, "op": "And" | "LogicalAnd", "right": right}}:
            return And(_exact(left, schema), _exact(right, schema))
        case {"BinaryExpr": {"left": left, "op": "Or" | "LogicalOr", "right": right}}:
            return Or(_exact(left, schema), _exact(right, schema))
        case {"BinaryExpr": {"left": left, "op": op, "right": right}} if op in _OPS:
            if _has_column(left):
                return _comparison(_OPS[op], left, right, schema)
            return _comparison(_OPS[op].flipped, right, left, schema)
        case {"Function": {"input": inputs, "function": function}}:
            return _function(function, inputs, schema)
    raise _Unknown


def _function(function: Any, inputs: list[Any], schema: Schema) -> Expression:
    match function, inputs:
        case {"Boolean": "Not"}, [child]:
            return Not(_exact(child, schema))
        case {"Boolean": "IsNull"}, [child]:
            return IsNull(_column(child, schema)[1])
        case {"Boolean": "IsNotNull"}, [child]:
            return NotNull(_column(child, schema)[1])
        case {"Boolean": "IsNan"}, [child]:
            return IsNaN(_column(child, schema)[1])
        case {"Boolean": "IsNotNan"}, [child]:
            return Not(IsNaN(_column(child, schema)[1]))
        case {"Boolean": {"IsBetween": {"closed": closed}}}, [child, low, high]:
            least = Op.GE if closed in ("Both", "Left") else Op.GT
            most = Op.LE if closed in ("Both", "Right") else Op.LT
            return And(_comparison(least, child, low, schema), _comparison(most, child, high, schema))
        case {"Boolean": {"IsIn": {"nulls_equal": False}}}, [child, values]:
            return _is_in(child, values, schema)
        case {"StringExpr": "StartsWith"} | {"BinaryExpr": "StartsWith"}, [child, prefix]:
            field, path = _column(child, schema)
            (value,) = _literals(prefix, field)
            return StartsWith(path, value)
    raise _Unknown


def _comparison(op: Op, column: Any, literal: Any, schema: Schema) -> Expression:
    field, path = _column(column, schema)
    (value,) = _literals(literal, field)
    return Comparison(op, path, value)


def _is_in(column: Any, values: Any, schema: Schema) -> Expression:
    field, path = _column(column, schema)
    return In(path, tuple(_literals(values, field, many=True)))


def _column(node: Any, schema: Schema) -> tuple[NestedField, tuple[str, ...]]:
    """Return the field that a node reads, and its path. Casts that change no value are ignored."""
    match node:
        case {"Column": str(name)}:
            return _child(schema.fields, name), (name,)
        case {"Function": {"input": [parent], "function": {"StructExpr": {"FieldByName": str(name)}}}}:
            field, path = _column(parent, schema)
            if not isinstance(field.field_type, StructType):
                raise _Unknown
            return _child(field.field_type.fields, name), (*path, name)
        case {"Cast": {"expr": inner, "dtype": {"Literal": wanted}}}:
            field, path = _column(inner, schema)
            if _widens(polars_type(field.field_type), wanted):
                return field, path
    raise _Unknown


def _child(fields: tuple[NestedField, ...], name: str) -> NestedField:
    found = [f for f in fields if f.name == name]
    if len(found) != 1:
        raise _Unknown
    return found[0]


def _widens(have: Dtype, wanted: Any) -> bool:
    match wanted:
        case "Int64":
            return have == pl.Int32
        case {"Decimal": [int(), int(scale)]}:
            return isinstance(have, pl.Decimal) and have.scale == scale
        case _:
            return False


def _has_column(node: Any) -> bool:
    match node:
        case {"Column": _}:
            return True
        case Mapping():
            return any(_has_column(below) for below in node.values())
        case list():
            return any(_has_column(below) for below in node if isinstance(below, dict | list))
        case _:
            return False


def _literals(node: Any, field: NestedField, many: bool = False) -> list[Literal]:
    """Return the value of a node without columns, or its values if `many`, as literals of a filter."""
    if _has_column(node):
        raise _Unknown
    expr = pl.Expr.deserialize(io.StringIO(json.dumps(node)), format="json")
    values = pl.select(expr).to_series()
    if len(values) != 1:
        raise _Unknown
    if many:
        inner = values[0]
        if not isinstance(inner, pl.Series):
            raise _Unknown
        values = inner
    if values.null_count() or len(values) > _MOST_VALUES or (not many and len(values) != 1):
        raise _Unknown
    return _plain(values, field)


def _plain(values: pl.Series, field: NestedField) -> list[Literal]:
    """Return values converted to the field's type, if they compare the same there. Raises `_Unknown` otherwise."""
    have, want = values.dtype, polars_type(field.field_type)
    if isinstance(field.field_type, UUIDType) and have == pl.Binary:
        raw = values.to_list()
        if any(len(value) != 16 for value in raw):
            raise _Unknown
        return [UUID(bytes=value) for value in raw]
    if have in _INTEGERS and want in _INTEGERS:
        return values.to_list()
    if isinstance(have, pl.Decimal) and isinstance(want, pl.Decimal) and have.scale == want.scale:
        return values.to_list()
    if have != want:
        raise _Unknown
    if isinstance(have, pl.Datetime):
        factor, utc = _NANOS[have.time_unit], have.time_zone is not None
        return [TimestampLiteral(ticks * factor, utc) for ticks in values.to_physical().to_list()]
    if have == pl.Date:
        return [DateLiteral(days) for days in values.to_physical().to_list()]
    if have == pl.Time:
        return [TimeLiteral(nanos) for nanos in values.to_physical().to_list()]
    if have in (pl.Boolean, pl.String, pl.Binary, pl.Float32, pl.Float64):
        return values.to_list()
    raise _Unknown
