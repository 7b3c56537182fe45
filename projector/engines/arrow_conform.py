"""Arrow arrays under another spelling of their types: other names of children, other ids, extension types."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc


def conform(array: pa.Array, target: pa.DataType) -> pa.Array:
    """An array as a type that differs from its own only in what is around the values; nothing is copied for it.

    Children of structs are taken by their place; what a struct has beyond the target's children is left out. A struct
    of two lists becomes a map. A null column becomes any type, and a smaller integer or binary type is cast.

    Raises `pyarrow.ArrowInvalid` where keys and values do not pair, or a key is null.
    """
    kind = array.type
    if kind.equals(target, check_metadata=True):
        return array
    if pa.types.is_null(target) or pa.types.is_null(kind):
        return pa.nulls(len(array), target)
    if isinstance(kind, pa.BaseExtensionType):
        return conform(array.storage, target)
    if isinstance(target, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(target, conform(array, target.storage_type))
    if pa.types.is_struct(target):
        # A struct without children may stand for one with children that are null.
        children = [
            conform(array.field(i), f.type) if i < kind.num_fields else pa.nulls(len(array), f.type)
            for i, f in enumerate(target)
        ]
        return pa.StructArray.from_buffers(target, len(array), [_validity(array)], array.null_count, 0, children)
    if pa.types.is_map(target) and pa.types.is_struct(kind):
        return _conform_list(_joined(array), target)
    if pa.types.is_map(target) or pa.types.is_list(target):
        return _conform_list(array, target)
    return array if kind.equals(target) else array.cast(target)


def _joined(array: pa.StructArray) -> pa.MapArray:
    """The map of a struct of two lists: its keys and its values. Where it is null they are empty."""
    keys, values = (_from_zero(array.field(i)) for i in range(2))
    if not keys[0].equals(values[0]):
        raise pa.ArrowInvalid("the keys and the values of a map do not pair")
    if keys[1].null_count:
        raise pa.ArrowInvalid("the key of a map is null")
    kind = pa.map_(keys[1].type, values[1].type)
    entries = pa.StructArray.from_buffers(
        pa.struct([kind.key_field, kind.item_field]), len(keys[1]), [None], 0, 0, [keys[1], values[1]]
    )
    buffers = [_validity(array), keys[0].buffers()[1]]
    return pa.MapArray.from_buffers(kind, len(array), buffers, array.null_count, 0, [entries])


def _from_zero(lists: pa.ListArray) -> tuple[pa.Int32Array, pa.Array]:
    """The offsets of lists, beginning at 0 in a buffer of their own, and the values that they speak of."""
    offsets = lists.offsets
    first, last = (offsets[0].as_py(), offsets[len(offsets) - 1].as_py()) if len(offsets) else (0, 0)
    if first or offsets.offset:
        offsets = pc.subtract(offsets, pa.scalar(first, offsets.type))
    return offsets, lists.values.slice(first, last - first)


def _conform_list(array: pa.Array, target: pa.DataType) -> pa.Array:
    offsets = array.offsets
    first, last = (offsets[0].as_py(), offsets[len(offsets) - 1].as_py()) if len(offsets) else (0, 0)
    if first:
        offsets = pc.subtract(offsets, pa.scalar(first, offsets.type))
    # A slice of offsets begins somewhere in its buffer.
    buffer = offsets.buffers()[1].slice(offsets.offset * 4) if offsets.offset else offsets.buffers()[1]
    values = array.values.slice(first, last - first)
    below: pa.Array
    if pa.types.is_map(target):
        pair = [conform(values.field(i), f.type) for i, f in enumerate((target.key_field, target.item_field))]
        entries = pa.struct([target.key_field, target.item_field])
        below = pa.StructArray.from_buffers(entries, len(values), [None], 0, 0, pair)
        kind: type[pa.Array] = pa.MapArray
    else:
        below, kind = conform(values, target.value_type), pa.ListArray
    return kind.from_buffers(target, len(array), [_validity(array), buffer], array.null_count, 0, [below])


def _validity(array: pa.Array) -> pa.Buffer | None:
    """The validity bitmap of an array, starting at its first value; None where nothing is null."""
    if not array.null_count:
        return None
    return array.buffers()[0] if not array.offset else pc.is_valid(array).buffers()[1]


def conform_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """A batch whose columns are those of a schema by place, under that schema."""
    columns = [conform(batch.column(i), f.type) for i, f in enumerate(schema)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
