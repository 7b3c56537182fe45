"""Compare two Arrow arrays of one type exactly, at any depth: whether they hold the same values, and in which rows.

Nulls equal nulls at every level; values under a null parent are ignored. Floats are compared by their bits, so -0.0 is
not 0.0, but any NaN equals any NaN. Entries of maps are compared in their order.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.arrow.nested import elements, list_like, map_like, struct_like


def same(one: pa.Array, other: pa.Array) -> bool:
    """Return whether two arrays of one type and length hold the same values."""
    return bool(_bits(one).equals(_bits(other))) or not differing(one, other).true_count


def differing(one: pa.Array, other: pa.Array) -> pa.BooleanArray:
    """Return one boolean, never null, for each place of two arrays of one type and length: whether they differ."""
    if isinstance(one.type, pa.BaseExtensionType):
        return differing(one.storage, other.storage)
    valid, other_valid = one.is_valid(), other.is_valid()
    both = pc.and_(valid, other_valid)
    return pc.or_(pc.xor(valid, other_valid), pc.and_(both, _unequal(one, other, both)))


def _unequal(one: pa.Array, other: pa.Array, both: pa.BooleanArray) -> pa.BooleanArray:
    """Return where values differ; the result is meaningful only where `both` are valid."""
    kind = one.type
    if pa.types.is_null(kind):
        return pa.repeat(False, len(one))
    if pa.types.is_struct(kind):
        found = pa.repeat(False, len(one))
        for i in range(kind.num_fields):
            found = pc.or_(found, differing(one.field(i), other.field(i)))
        return found
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        return _lists_differ(one, other, both)
    if pa.types.is_floating(kind):
        bits = pc.not_equal(_bits(one), _bits(other))
        return pc.and_not(bits, pc.and_(pc.is_nan(one), pc.is_nan(other))).fill_null(False)
    return pc.not_equal(one, other).fill_null(False)


def _lists_differ(one: pa.Array, other: pa.Array, both: pa.BooleanArray) -> pa.BooleanArray:
    lengths = pc.not_equal(_lengths(one), _lengths(other))
    paired = pc.and_not(both, lengths)
    places = pc.indices_nonzero(paired)
    offsets, values = elements(one.take(places))
    _, others = elements(other.take(places))
    unequal = differing(values, others)
    if not unequal.true_count:
        return lengths
    parents = pc.list_parent_indices(pa.ListArray.from_arrays(offsets, pa.nulls(len(values))))
    rows = places.take(pc.unique(parents.filter(unequal)))
    return pc.or_(lengths, pc.is_in(pa.array(range(len(one)), rows.type), value_set=rows))


def _lengths(array: pa.Array) -> pa.Int32Array:
    offsets = array.offsets
    return pc.subtract(offsets.slice(1), offsets.slice(0, len(array)))


def _bits(array: pa.Array) -> pa.Array:
    """Return the array with floats as integers of the same bits, because Arrow's own comparison has -0.0 equal 0.0."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return _bits(array.storage)
    if pa.types.is_floating(kind):
        return array.view(pa.int64() if kind.bit_width == 64 else pa.int32())
    if not pa.types.is_nested(kind) or not _has_floats(kind):
        return array
    if pa.types.is_struct(kind):
        children = [_bits(array.field(i)) for i in range(kind.num_fields)]
        return struct_like(array, pa.struct([pa.field(str(i), c.type) for i, c in enumerate(children)]), children)
    offsets, values = elements(array)
    if pa.types.is_map(kind):
        keys, items = _bits(values.field(0)), _bits(values.field(1))
        return map_like(array, pa.map_(keys.type, items.type), offsets, keys, items)
    made = _bits(values)
    return list_like(array, pa.list_(made.type), offsets, made)


def _has_floats(kind: pa.DataType) -> bool:
    if pa.types.is_floating(kind):
        return True
    return any(_has_floats(kind.field(i).type) for i in range(kind.num_fields)) if pa.types.is_nested(kind) else False
