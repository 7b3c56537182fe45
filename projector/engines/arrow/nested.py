"""Build nested Arrow arrays from parts of others: bitmaps, offsets and children are shared, rarely copied."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc


def validity(array: pa.Array) -> pa.Buffer | None:
    """Return the validity bitmap of an array, starting at its first value; None if nothing is null."""
    if not array.null_count:
        return None
    return array.buffers()[0] if not array.offset else pc.is_valid(array).buffers()[1]


def struct_array(target: pa.StructType, length: int, children: Sequence[pa.Array]) -> pa.StructArray:
    """Return a struct array of a type without nulls."""
    return pa.StructArray.from_buffers(target, length, [None], 0, 0, children)


def struct_like(array: pa.Array, target: pa.StructType, children: Sequence[pa.Array]) -> pa.StructArray:
    """Return a struct array of a type that is null where an array is."""
    return pa.StructArray.from_buffers(target, len(array), [validity(array)], array.null_count, 0, children)


def list_like(array: pa.Array, target: pa.ListType, offsets: pa.Int32Array, values: pa.Array) -> pa.ListArray:
    """Return a list array of a type that is null where an array is; `elements` returns the offsets and values."""
    buffers = [validity(array), offsets.buffers()[1]]
    return pa.ListArray.from_buffers(target, len(array), buffers, array.null_count, 0, [values])


def map_like(
    array: pa.Array, target: pa.MapType, offsets: pa.Int32Array, keys: pa.Array, values: pa.Array
) -> pa.MapArray:
    """Return a map array of a type that is null where an array is; `elements` returns the offsets and entries.

    Keys must not be null: such a map crashes pyarrow.
    """
    entries = struct_array(pa.struct([target.key_field, target.item_field]), len(keys), [keys, values])
    buffers = [validity(array), offsets.buffers()[1]]
    return pa.MapArray.from_buffers(target, len(array), buffers, array.null_count, 0, [entries])


def as_list(array: pa.Array) -> pa.Array | None:
    """Return a list-like column as a list or map with 32-bit offsets; None for any other column."""
    kind, length = array.type, len(array)
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        return array
    if pa.types.is_large_list(kind):
        wide = array.offsets
        first, last = (wide[0].as_py(), wide[length].as_py()) if length else (0, 0)
        values = array.values.slice(first, last - first)
        offsets = pc.subtract(wide, first).cast(pa.int32())
    elif pa.types.is_fixed_size_list(kind):
        values = array.values.slice(array.offset * kind.list_size, length * kind.list_size)
        offsets = pc.cumulative_sum(pa.repeat(pa.scalar(kind.list_size, pa.int32()), length + 1), -kind.list_size)
    elif pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        lengths = pc.fill_null(pc.list_value_length(array).cast(pa.int32()), 0)
        offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths)])
        some = length and offsets[length].as_py()
        values = array.flatten() if some else array.values.slice(0, 0)
    else:
        return None
    return list_like(array, pa.list_(kind.value_field), offsets, values)


def elements(array: pa.Array) -> tuple[pa.Int32Array, pa.Array]:
    """Return the offsets of a list or map, from 0 in a buffer from 0, and exactly the values (entries) they cover."""
    offsets, values = array.offsets, array.values
    first, last = (offsets[0].as_py(), offsets[len(offsets) - 1].as_py()) if len(offsets) else (0, 0)
    if first or offsets.offset:
        offsets = pc.subtract(offsets, pa.scalar(first, pa.int32()))
    return offsets, values if not first and last == len(values) else values.slice(first, last - first)
