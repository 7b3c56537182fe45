"""Execute a plan over arrays: turn a batch that pyarrow returns into a batch of the requested schema.

Validity bitmaps, offsets and leaf buffers are shared: a rename, a reorder or a dropped child costs a few objects per
batch and copies nothing. A subtree that already has the requested form is returned unchanged.
"""

from __future__ import annotations

from typing import assert_never

import pyarrow as pa

from projector.engines.arrow.cast import cast_leaf, unwrap
from projector.engines.arrow.compile import ArrowPlan, Step
from projector.engines.arrow.constants import Bound, metadata_column
from projector.engines.arrow.nested import as_list, elements, list_like, map_like, struct_array, struct_like
from projector.engines.arrow.visibility import Above, Rows, UnderList, UnderStruct, first_bad
from projector.engines.errors import null_error
from projector.errors import UnsupportedError
from projector.projection.plan import (
    Constant,
    Fail,
    ListOf,
    MapOf,
    MetadataColumn,
    NewStruct,
    Null,
    PartitionValue,
    Read,
    StructOf,
)


def project_batch(
    compiled: ArrowPlan,
    columns: list[pa.Array],
    exact: list[pa.Array],
    first: int,
    length: int,
    kept: pa.BooleanArray | None,
    bound: Bound,
) -> pa.RecordBatch:
    """Return the rows at positions `first` to `first + length - 1` of a file under the plan's schema.

    Parameters
    ----------
    columns, exact:
        The columns that pyarrow returned for the plan's leaves, and for its int96 leaves as nanoseconds.
    first, length:
        Position of the first row in the file, number of rows.
    kept:
        Which rows are read; None for all. Errors in other rows are ignored.
    bound:
        The values that the file adds to the plan.

    Raises `ProjectionError` for a value that does not fit, or a null under a required field.
    """
    above = Rows(kept)
    arrays = []
    for step in compiled.steps:
        column = None if step.index is None else columns[step.index]
        twin = None if step.exact_index is None else exact[step.exact_index]
        if isinstance(step.node, MetadataColumn):
            own = None if column is None else cast_leaf(step, column, twin, above, bound.binding.file)
            arrays.append(metadata_column(step, own, first, length, bound))
        else:
            arrays.append(_column(step, column, twin, length, above, bound))
    if kept is not None:
        arrays = [array.filter(kept) for array in arrays]
        length = kept.true_count
    return make_batch(arrays, compiled.schema, length)


def make_batch(arrays: list[pa.Array], schema: pa.Schema, length: int) -> pa.RecordBatch:
    """Return a batch of `length` rows, even if it has no columns."""
    if arrays:
        return pa.RecordBatch.from_arrays(arrays, schema=schema)
    empty = struct_array(pa.struct([]), length, [])
    return pa.RecordBatch.from_struct_array(empty).replace_schema_metadata(schema.metadata)


def _column(
    step: Step, column: pa.Array | None, exact: pa.Array | None, length: int, above: Above, bound: Bound
) -> pa.Array:
    """Return one step's column; `column` is the one that pyarrow returned for it, of `length` values."""
    node = step.node
    match node:
        case Read(check_null=check_null):
            assert column is not None
            values = cast_leaf(step, column, exact, above, bound.binding.file)
            return _never_null(step, values, above, bound) if check_null else values
        case StructOf(check_null=check_null):
            assert column is not None
            structs = _struct(step, column, exact, above, bound)
            return _never_null(step, structs, above, bound) if check_null else structs
        case ListOf(check_null=check_null) | MapOf(check_null=check_null):
            assert column is not None
            lists = _list_or_map(step, column, exact, above, bound)
            return _never_null(step, lists, above, bound) if check_null else lists
        case PartitionValue(field=field):
            if field.required and length and bound.value(step) is None:
                everywhere = pa.repeat(pa.scalar(True), length)
                if first_bad(everywhere, above) is not None:
                    raise null_error(node, bound.binding.file, "so is the file's partition value")
            return bound.constant(step, length)
        case Constant() | Null():
            return bound.constant(step, length)
        case NewStruct():
            below = [_column(child, None, None, length, above, bound) for child in step.below]
            return struct_array(step.target, length, below)
        case MetadataColumn():
            raise UnsupportedError(f"metadata column {node.field.name} is not at the top level", path=node.path)
        case Fail():
            raise AssertionError("a plan with failures is not executed")
        case _:
            assert_never(node)


def _struct(step: Step, column: pa.Array, exact: pa.Array | None, above: Above, bound: Bound) -> pa.Array:
    array = unwrap(column)
    if not pa.types.is_struct(array.type) or array.type.num_fields != step.width:
        raise _unlike(step, array, bound)
    twin = None if exact is None else unwrap(exact)
    old = [array.field(i) for i in range(step.width)]
    new = _children(step, old, twin, len(array), UnderStruct(array, above), bound)
    if _is_same(column, step.target, old, new):
        return column
    return struct_like(array, step.target, new)


def _list_or_map(step: Step, column: pa.Array, exact: pa.Array | None, above: Above, bound: Bound) -> pa.Array:
    array = as_list(unwrap(column))
    if array is None:
        raise _unlike(step, column, bound)
    if not len(array):
        return pa.nulls(0, step.target)
    offsets, values = elements(array)
    twin = None if exact is None else elements(as_list(unwrap(exact)))[1]
    below = UnderList(array, offsets, above)
    if isinstance(step.node, ListOf):
        (element,) = step.below
        new = _column(element, values, twin, len(values), below, bound)
        if _is_same(column, step.target, [values], [new]):
            return column
        return list_like(array, step.target, offsets, new)
    if not pa.types.is_struct(values.type) or values.type.num_fields != step.width:
        raise _unlike(step, column, bound)
    old = [values.field(i) for i in range(step.width)]
    pair = _children(step, old, twin, len(values), below, bound)
    if _is_same(column, step.target, old, pair):
        return column
    keys = _never_null(step.below[0], pair[0], below, bound)  # also under null maps
    return map_like(array, step.target, offsets, keys, pair[1])


def _children(
    step: Step, old: list[pa.Array], exact: pa.Array | None, length: int, above: Above, bound: Bound
) -> list[pa.Array]:
    """Return the children of a struct, or of a map's entries."""
    return [
        _column(
            child,
            None if child.index is None else old[child.index],
            None if child.exact_index is None or exact is None else exact.field(child.exact_index),
            length,
            above,
            bound,
        )
        for child in step.below
    ]


def _is_same(column: pa.Array, target: pa.DataType, old: list[pa.Array], new: list[pa.Array]) -> bool:
    return (
        len(old) == len(new)
        and all(a is b for a, b in zip(old, new, strict=True))
        and column.type.equals(target, check_metadata=True)
    )


def _never_null(step: Step, array: pa.Array, above: Above, bound: Bound) -> pa.Array:
    """Return a required field's column. Raises `ProjectionError` for a visible null.

    Nulls under a null parent are removed from the bitmap: writers reject nulls in a non-nullable column.
    """
    if not array.null_count:
        return array
    if first_bad(array.is_null(), above) is not None:
        raise null_error(step.node, bound.binding.file)
    if isinstance(step.target, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(step.target, _without_nulls(array.storage))
    return _without_nulls(array)


def _without_nulls(array: pa.Array) -> pa.Array:
    kind, length = array.type, len(array)
    if pa.types.is_struct(kind):
        return struct_array(kind, length, [array.field(i) for i in range(kind.num_fields)])
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        buffers = [None, array.buffers()[1]]
        return type(array).from_buffers(kind, length, buffers, 0, array.offset, [array.values])
    return pa.Array.from_buffers(kind, length, [None, *array.buffers()[1:]], 0, array.offset)


def _unlike(step: Step, column: pa.Array, bound: Bound) -> UnsupportedError:
    return UnsupportedError(
        f"pyarrow reads {column.type}, which does not match the footer",
        file=bound.binding.file,
        path=step.node.path,
        field_id=step.node.field.field_id,
    )
