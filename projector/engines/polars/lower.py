"""Lower plan nodes to Polars expressions over a file's own columns.

Structs keep the nulls of the file: `struct.with_fields` and a cast by name preserve them, so renaming, adding, dropping
and reordering children copies nothing. A subtree that the file stores exactly as requested is used as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from projector.engines.common.support import NotLowered
from projector.engines.polars.types import Dtype, literal, polars_type
from projector.files.parquet.file_schema import FileSchema
from projector.projection.plan import (
    Cast,
    Constant,
    ListOf,
    MetadataColumn,
    NewStruct,
    Null,
    PartitionValue,
    Plan,
    PlanNode,
    Read,
    StructOf,
)
from projector.schema.types import DateType, TimestampNanoType

Bound = Callable[[PlanNode], pl.Expr]
"""Returns the expression of a node whose value is bound per file: a partition value or a metadata column."""


def lower(plan: Plan, have: Mapping[str, Dtype], bound: Bound) -> list[pl.Expr]:
    """Return an expression for each top-level field of a plan, with the field's name.

    Parameters
    ----------
    have:
        The Polars types of the file's columns.
    bound:
        For what differs from file to file.

    Raises `NotLowered` if the plan does not expect the Polars type of a column.
    """
    return [_top(node, plan.file_schema, have, bound).alias(node.field.name) for node in plan.fields]


def _top(node: PlanNode, schema: FileSchema, have: Mapping[str, Dtype], bound: Bound) -> pl.Expr:
    match node:
        case PartitionValue():
            return bound(node)
        case MetadataColumn(place=place):
            inherited = bound(node)
            if place is None:
                return inherited
            name = schema.at(place).name
            own = pl.col(name)
            return pl.coalesce(own if have[name] == pl.Int64 else own.cast(pl.Int64), inherited)
        case Read(place=place) | StructOf(place=place) | ListOf(place=place):
            name = schema.at(place[:1]).name
            return _lower(node, pl.col(name), have[name], schema)
        case _:
            return _lower(node, None, None, schema)


def _lower(node: PlanNode, own: pl.Expr | None, have: Dtype | None, schema: FileSchema) -> pl.Expr:
    match node:
        case Constant(field=field, value=value):
            return literal(value, field.field_type)
        case Null(field=field):
            return literal(None, field.field_type)
        case NewStruct(fields=fields):
            return pl.struct([_lower(f, None, None, schema).alias(f.field.name) for f in fields])
    assert own is not None
    assert have is not None
    want = polars_type(node.field.field_type)
    match node:
        case Read():
            return read_leaf(node, own, have, want)
        case StructOf():
            return _struct(node, own, have, want, schema)
        case ListOf():
            return _list(node, own, have, schema)
    raise AssertionError(f"{type(node).__name__} is not read by Polars")


def _struct(node: StructOf, own: pl.Expr, have: Dtype, want: Dtype, schema: FileSchema) -> pl.Expr:
    if not isinstance(have, pl.Struct):
        raise NotLowered
    children = {f.name: f.dtype for f in have.fields}
    changed = []
    result: dict[str, Dtype] = dict(children)
    for child in node.fields:
        name = child.field.name
        if isinstance(child, Read | StructOf | ListOf):
            source = schema.at(child.place).name
            if source not in children:
                raise NotLowered
            column = own.struct.field(source)
            new = _lower(child, column, children[source], schema)
            if new is column and source == name:
                continue
        else:
            new = _lower(child, None, None, schema)
        changed.append(new.alias(name))
        result[name] = polars_type(child.field.field_type)
    if changed:
        own = own.struct.with_fields(changed)
    return own if list(result.items()) == [(f.name, f.dtype) for f in want.fields] else own.cast(want)  # type: ignore[union-attr]


def _list(node: ListOf, own: pl.Expr, have: Dtype, schema: FileSchema) -> pl.Expr:
    if isinstance(have, pl.Array):
        own, have = own.arr.to_list(), pl.List(have.inner)
    if not isinstance(have, pl.List):
        raise NotLowered
    child = node.element
    if not isinstance(child, Read | StructOf | ListOf):
        return own.list.eval(_lower(child, None, None, schema))
    element = pl.element()
    new = _lower(child, element, have.inner, schema)
    return own if new is element else own.list.eval(new)


def read_leaf(node: Read, own: pl.Expr, have: Dtype, want: Dtype) -> pl.Expr:
    """Return a leaf's column of Polars type `have` cast to `want`; `own` itself if no cast is needed.

    A value that does not fit fails when the expression runs. Raises `NotLowered` if the plan does not expect the type.
    """
    match node.cast:
        case Cast.DATE_TO_TIMESTAMP if have == pl.Date:
            return _date_to_timestamp(node, own, want)
        case Cast.WIDEN_INTEGER | Cast.CHECKED_INTEGER if have.is_integer():
            return own.cast(want)
        case Cast.WIDEN_FLOAT if have.is_float():
            return own if have == want else own.cast(want)
        case Cast.WIDEN_DECIMAL if have.is_decimal():
            return own.cast(want)
        case Cast.BYTES_TO_STRING if have == pl.Binary:
            return own.cast(want)
        case Cast.STRING_TO_BYTES if have == pl.String:
            return own.cast(want)
        case Cast.NONE | Cast.BYTES_TO_UUID if have == want:
            return own
        case Cast.NONE if have == pl.Categorical and want == pl.String:
            return own.cast(want)
        case Cast.NONE if isinstance(have, pl.Datetime) and isinstance(want, pl.Datetime):
            if have.time_unit == want.time_unit:  # the zone is only told otherwise; the stored number stays
                return own.to_physical().cast(want)
        case Cast.NONE if isinstance(have, pl.Duration) and want == pl.Int64:
            return own.to_physical()
    raise NotLowered


def _date_to_timestamp(node: Read, own: pl.Expr, want: Dtype) -> pl.Expr:
    assert not isinstance(node.field.field_type, DateType)
    per_second = 10**9 if isinstance(node.field.field_type, TimestampNanoType) else 10**6
    # In 128 bits nothing wraps round; the cast to 64 refuses what is out of range.
    ticks = own.to_physical().cast(pl.Int128) * pl.lit(86_400 * per_second, pl.Int128)
    return ticks.cast(pl.Int64).cast(want)
