"""Polars frames as Arrow batches of the scan's types, and Arrow batches as Polars frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.polars_types import polars_schema
from projector.schema.arrow_schema import arrow_schema
from projector.schema.schema import Schema


def to_batches(frame: pl.DataFrame, schema: pa.Schema, batch_size: int | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of a frame whose columns are those of an Arrow schema, in its types."""
    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    for batch in table.to_batches(max_chunksize=batch_size):
        if batch.num_rows:
            columns = [conform(batch.column(i), field.type) for i, field in enumerate(schema)]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)


def conform(array: pa.Array, target: pa.DataType) -> pa.Array:
    """An array as Polars exports it, as the type that a scan gives; values, nulls and lengths stay what they are."""
    kind = array.type
    if kind.equals(target, check_metadata=True):
        return array
    if pa.types.is_null(kind):
        return pa.nulls(len(array), target)
    if pa.types.is_struct(target):
        children = [conform(array.field(i), f.type) for i, f in enumerate(target)]
        return pa.StructArray.from_buffers(target, len(array), [_validity(array)], array.null_count, 0, children)
    if pa.types.is_map(target) or pa.types.is_list(target):
        return _conform_list(array, target)
    if pa.types.is_time64(target):
        return pc.divide(array.view(pa.int64()), 1000).view(target)
    if isinstance(target, pa.UuidType):
        return pa.ExtensionArray.from_storage(target, conform(array, target.storage_type))
    if pa.types.is_fixed_size_binary(target):
        return array.cast(pa.binary()).cast(target)
    return array.cast(target)


def _conform_list(array: pa.Array, target: pa.DataType) -> pa.Array:
    if pa.types.is_large_list(array.type):
        array = array.cast(pa.list_(array.type.value_field))
    offsets = array.offsets
    first, last = (offsets[0].as_py(), offsets[len(offsets) - 1].as_py()) if len(offsets) else (0, 0)
    offsets = pc.subtract(offsets, pa.scalar(first, pa.int32()))
    values = array.values.slice(first, last - first)
    if pa.types.is_map(target):
        # conform() would take entries of the same types as they are, though their fields have other names
        pair = [conform(values.field(i), f.type) for i, f in enumerate((target.key_field, target.item_field))]
        entries = pa.struct([target.key_field, target.item_field])
        below = pa.StructArray.from_buffers(entries, len(values), [None], 0, 0, pair)
        kind: type[pa.Array] = pa.MapArray
    else:
        below, kind = conform(values, target.value_type), pa.ListArray
    return kind.from_buffers(target, len(array), [_validity(array), offsets.buffers()[1]], array.null_count, 0, [below])


def _validity(array: pa.Array) -> pa.Buffer | None:
    """The validity bitmap of an array, starting at its first value; None where nothing is null."""
    if not array.null_count:
        return None
    return array.buffers()[0] if not array.offset else pc.invert(array.is_null()).buffers()[1]


def from_batches(batches: Iterable[pa.RecordBatch], schema: Schema) -> pl.DataFrame:
    """Arrow batches of a scan as a frame of Polars' nearest types."""
    wanted = polars_schema(schema)
    # Numbers in place of names: Polars would give a column without a name one of its own.
    arrow = pa.schema([pa.field(str(i), _plain_type(f.type), True) for i, f in enumerate(arrow_schema(schema))])
    plain = [
        pa.RecordBatch.from_arrays([_plain(b.column(i), f.type) for i, f in enumerate(arrow)], schema=arrow)
        for b in batches
    ]
    frame = pl.from_arrow(pa.Table.from_batches(plain, arrow), rechunk=False)
    assert isinstance(frame, pl.DataFrame)
    frame.columns = list(wanted)
    return frame if dict(frame.schema) == wanted else frame.cast(wanted)  # type: ignore[arg-type]


def _plain_type(kind: pa.DataType) -> pa.DataType:
    """A type without extensions and field metadata, which versions of Polars take differently."""
    if isinstance(kind, pa.BaseExtensionType):
        return kind.storage_type
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(f.name, _plain_type(f.type)) for f in kind])
    if pa.types.is_map(kind):
        return pa.map_(_plain_type(kind.key_type), _plain_type(kind.item_type))
    if pa.types.is_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    return kind


def _plain(array: pa.Array, target: pa.DataType) -> pa.Array:
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return array.storage
    if not pa.types.is_nested(kind) or kind.equals(target, check_metadata=True):
        return array
    if pa.types.is_struct(kind):
        children = [_plain(array.field(i), f.type) for i, f in enumerate(target)]
        return pa.StructArray.from_buffers(target, len(array), [_validity(array)], array.null_count, 0, children)
    buffers = array.buffers()[:2]
    if pa.types.is_list(kind):
        below = _plain(array.values, target.value_type)
        return pa.ListArray.from_buffers(target, len(array), buffers, array.null_count, array.offset, [below])
    pair = [_plain(array.keys, target.key_type), _plain(array.items, target.item_type)]
    entries = pa.struct([target.key_field, target.item_field])
    below = pa.StructArray.from_buffers(entries, len(pair[0]), [None], 0, 0, pair)
    return pa.MapArray.from_buffers(target, len(array), buffers, array.null_count, array.offset, [below])
