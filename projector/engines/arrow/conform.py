"""Convert Arrow arrays to equivalent types: other names of children, other ids, extension types."""

from __future__ import annotations

import pyarrow as pa

from projector.engines.arrow.nested import as_list, elements, list_like, map_like, struct_like


def conform(array: pa.Array, target: pa.DataType) -> pa.Array:
    """Return an array as a type with the same values but other names, ids or wrappers, without copying nested values.

    Children of structs match by place; children beyond those of the target are dropped. A struct
    of two lists becomes a map, and so does a list of structs of a key and a value. A null column becomes any type.
    Other representations of a leaf (large or shorter types, other units of time) are cast.

    Raises `pyarrow.ArrowInvalid` if keys and values do not pair, a key is null, or a value does not fit.
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
        return struct_like(array, target, children)
    if pa.types.is_map(target):
        offsets, keys, values = _in_parts(array) if pa.types.is_struct(kind) else _entries(array)
        return map_like(array, target, offsets, conform(keys, target.key_type), conform(values, target.item_type))
    if pa.types.is_list(target):
        offsets, values = elements(as_list(array))
        return list_like(array, target, offsets, conform(values, target.value_type))
    return array if kind.equals(target) else array.cast(target)


def _entries(array: pa.Array) -> tuple[pa.Int32Array, pa.Array, pa.Array]:
    """Return the offsets, keys and values of a map, or of a list of structs of the two."""
    offsets, entries = elements(as_list(array))
    return offsets, entries.field(0), entries.field(1)


def _in_parts(array: pa.StructArray) -> tuple[pa.Int32Array, pa.Array, pa.Array]:
    """Return the offsets, keys and values of a struct of two lists, which are empty where it is null."""
    (offsets, keys), (others, values) = (elements(array.field(i)) for i in range(2))
    if not offsets.equals(others):
        raise pa.ArrowInvalid("the keys and the values of a map do not pair")
    if keys.null_count:
        raise pa.ArrowInvalid("the key of a map is null")
    return offsets, keys, values


def conform_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch under a schema whose columns match by place."""
    columns = [conform(batch.column(i), f.type) for i, f in enumerate(schema)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
