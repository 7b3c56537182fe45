"""Compute the expected columns after a change from those before it, as Arrow arrays: by id, promoted, defaulted."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.arrow.nested import elements, list_like, map_like, struct_like
from projector.engines.plain_rows import plain_array
from projector.schema.arrow_schema import arrow_type
from projector.schema.iso_text import MICROS_PER_SECOND, NANOS_PER_SECOND, SECONDS_PER_DAY
from projector.schema.schema import Schema
from projector.schema.types import (
    DateType,
    IcebergType,
    ListType,
    MapType,
    NestedField,
    StructType,
    TimestampNanoType,
    TimestampType,
    UnknownType,
)

_TICKS_PER_DAY = {
    TimestampType: SECONDS_PER_DAY * MICROS_PER_SECOND,
    TimestampNanoType: SECONDS_PER_DAY * NANOS_PER_SECOND,
}


def expected_columns(columns: Sequence[pa.Array], length: int, before: Schema, after: Schema) -> list[pa.Array]:
    """Return the expected columns under the schema after a change, computed from those under the schema before it.

    Parameters
    ----------
    columns, length:
        The columns of `before`, in its order, and their length.
    """
    place = {field.field_id: (i, field.field_type) for i, field in enumerate(before.fields)}
    return [
        _column(columns[found[0]], found[1], field.field_type)
        if (found := place.get(field.field_id)) is not None
        else default_column(field, length)
        for field in after.fields
    ]


def default_column(field: NestedField, length: int) -> pa.Array:
    """Return the values of a field in rows written before the field was added (spec: Default values)."""
    target = arrow_type(field.field_type)
    if field.initial_default is None:
        return pa.nulls(length, target)
    if isinstance(field.field_type, StructType):
        children = [default_column(child, length) for child in field.field_type.fields]
        return pa.StructArray.from_buffers(target, length, [None], 0, 0, children)
    value = plain_array([field.initial_default], field)
    return value.take(pa.repeat(pa.scalar(0), length))


def _column(array: pa.Array, before: IcebergType, after: IcebergType) -> pa.Array:
    target = arrow_type(after)
    match before, after:
        case StructType(), StructType():
            place = {child.field_id: (i, child.field_type) for i, child in enumerate(before.fields)}
            children = [
                _column(array.field(found[0]), found[1], child.field_type)
                if (found := place.get(child.field_id)) is not None
                else default_column(child, len(array))
                for child in after.fields
            ]
            return struct_like(array, target, children)
        case ListType(), ListType():
            offsets, values = elements(array)
            return list_like(array, target, offsets, _column(values, before.element_type, after.element_type))
        case MapType(), MapType():
            offsets, entries = elements(array)
            keys = _column(entries.field(0), before.key_type, after.key_type)
            return map_like(
                array, target, offsets, keys, _column(entries.field(1), before.value_type, after.value_type)
            )
        case _ if before == after:
            return array
        case UnknownType(), _:
            return pa.nulls(len(array), target)
        case DateType(), TimestampType() | TimestampNanoType():
            return _start_of_day(array, _TICKS_PER_DAY[type(after)], target)
        case _:
            return array.cast(target)


def _start_of_day(days: pa.Array, ticks_per_day: int, target: pa.DataType) -> pa.Array:
    """Return dates as timestamps. A day out of range becomes null: reading it is an error, so any value is wrong."""
    number = days.view(pa.int32()).cast(pa.int64())
    most = (2**63 - 1) // ticks_per_day
    fits = pc.and_(pc.less_equal(number, most), pc.greater_equal(number, -most))
    return pc.multiply(pc.if_else(fits, number, pa.scalar(None, pa.int64())), ticks_per_day).view(target)
