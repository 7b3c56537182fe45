"""Build columns that files do not hold: defaults, partition values, metadata columns and nulls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.arrow.compile import Step
from projector.engines.arrow.nested import struct_array
from projector.engines.plain_rows import ordinals, plain_array
from projector.errors import ProjectionError, UnsupportedError
from projector.projection.plan import Binding, Constant, MetadataColumn, Null, PartitionValue
from projector.schema import reserved
from projector.schema.types import ListType, MapType, StructType


@dataclass(slots=True, eq=False)
class Bound:
    """A file's binding and its cached constant columns.

    Batches have few lengths, so the longest column of each constant is cached and sliced: for the file, or in `shared`
    for all files of the plan if the constant is the same in all.
    """

    binding: Binding
    shared: dict[int, pa.Array] = field(default_factory=dict)
    _made: dict[int, pa.Array] = field(default_factory=dict)

    def constant(self, step: Step, length: int) -> pa.Array:
        """Return a constant step's column of `length` rows."""
        kept = self.shared if isinstance(step.node, Constant | Null) else self._made
        made = kept.get(step.number)
        if made is None or len(made) < length:
            value = self.value(step)
            if value is not None and isinstance(step.node.field.field_type, ListType | MapType):
                made = pa.repeat(plain_array([value], step.node.field)[0], length)
            else:
                made = repeated(value, step.target, length)
            kept[step.number] = made
        return made if len(made) == length else made.slice(0, length)

    def value(self, step: Step) -> Any:
        """Return the plain value of a step that is the same in every row of the file."""
        node, binding = step.node, self.binding
        match node:
            case Constant(value=value):
                return value
            case Null():
                return None
            case PartitionValue():
                return partition_value(node, binding)
            case MetadataColumn():
                return file_value(node, binding)
            case _:
                raise AssertionError(f"{type(node).__name__} is not constant")


def partition_value(node: PartitionValue, binding: Binding) -> Any:
    """Return the value of a field in a file's partition tuple. Raises `ProjectionError` if the tuple lacks it."""
    try:
        return binding.partition[node.field.field_id]
    except KeyError:
        raise ProjectionError(
            "The file has no partition value for this field",
            file=binding.file,
            path=node.path,
            field_id=node.field.field_id,
        ) from None


def file_value(node: MetadataColumn, binding: Binding) -> Any:
    """Return the plain value of a metadata column that is the same in every row of a file."""
    match node.field.field_id, node.field.field_type:
        case reserved.FILE, _:
            return binding.file
        case reserved.SPEC_ID, _:
            return binding.spec_id
        case reserved.DELETED, _:
            return False
        case reserved.PARTITION, StructType(fields):
            return {f.name: binding.partition_struct.get(f.field_id) for f in fields}
        case reserved.LAST_UPDATED_SEQUENCE_NUMBER, _:
            # Rows without an inherited row id have no inherited sequence number either (as in Java).
            return binding.sequence_number if binding.first_row_id is not None else None
        case _:
            raise UnsupportedError(
                f"metadata column {node.field.name} cannot be read from a data file",
                file=binding.file,
                path=node.path,
                field_id=node.field.field_id,
            )


def metadata_column(step: Step, own: pa.Array | None, first: int, length: int, bound: Bound) -> pa.Array:
    """Return a metadata column of the rows at positions `first` to `first + length - 1`.

    `own` is the file's own column of that id; its nulls are inherited (spec: Row Lineage).
    """
    field_id = step.node.field.field_id
    if field_id == reserved.POS:
        return ordinals(first, length)
    if field_id == reserved.ROW_ID:
        base = bound.binding.first_row_id
        inherited = pa.nulls(length, step.target) if base is None else ordinals(base + first, length)
    else:
        inherited = bound.constant(step, length)
    return inherited if own is None else pc.coalesce(own, inherited)


def repeated(value: Any, target: pa.DataType, length: int) -> pa.Array:
    """Return a column with one plain value, not a list or map, in every row."""
    if value is None:
        return pa.nulls(length, target)
    if pa.types.is_struct(target):
        return struct_array(target, length, [repeated(value[f.name], f.type, length) for f in target])
    if isinstance(target, pa.UuidType):
        return pa.ExtensionArray.from_storage(target, repeated(value.bytes, target.storage_type, length))
    return pa.repeat(pa.scalar(value, target), length)
