"""Execute a plan over plain Python values, one row at a time, slow and obvious: the reference for all executors.

A row comes out as a dict, {name of the top-level field: plain value}; plain values are those of `schema.types`. A row
of the file goes in as a tuple by place (see `decode`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, assert_never
from uuid import UUID

from projector.engines.arrow.parquet_reader import Source
from projector.engines.deletes.positions import RowSelection
from projector.engines.errors import (
    WHY_INEXACT,
    WHY_LENGTH,
    WHY_RANGE,
    WHY_UTF8,
    null_error,
    raise_failures,
    value_error,
)
from projector.engines.reference.decode import FileRow, file_rows
from projector.errors import ProjectionError, UnsupportedError
from projector.files.parquet.file_schema import FileLeaf, FileSchema
from projector.projection.plan import (
    Binding,
    Cast,
    Constant,
    Fail,
    ListOf,
    MapOf,
    MetadataColumn,
    NewStruct,
    Null,
    PartitionValue,
    Plan,
    PlanNode,
    Read,
    StructOf,
)
from projector.schema import reserved
from projector.schema.types import (
    IcebergType,
    IntegerType,
    StringType,
    StructType,
    TimestampNanoType,
    TimestamptzNanoType,
)

Row = dict[str, Any]


def read_rows(plan: Plan, source: Source, binding: Binding, *, selection: RowSelection | None = None) -> list[Row]:
    """Return the rows of a Parquet file under the schema of a plan, in the file's order.

    Parameters and errors are those of `arrow.read_file`.
    """
    found = []
    for position, row in stored_rows(plan, source, binding):
        kept = None if selection is None else selection.kept(position, 1)
        if kept is None or kept[0].as_py():
            found.append(project_row(plan, row, binding, position))
    return found


def stored_rows(
    plan: Plan, source: Source, binding: Binding, positions: Sequence[int] | None = None
) -> Iterator[tuple[int, FileRow]]:
    """Yield the stored rows of a Parquet file, each with its position: all, or those at some ascending positions.

    Raises the errors of `read_rows`, except those about values, which are not cast yet.
    """
    raise_failures(plan, binding.file)
    wanted = {node.place[0] for node in plan.walk() if node.place is not None}
    return file_rows(source, plan.file_schema, wanted, binding.file, positions)


def project_row(
    plan: Plan, row: FileRow, binding: Binding, position: int, fields: Sequence[PlanNode] | None = None
) -> Row:
    """Return the row of a file at `position`, from 0, under the schema of a plan, or only some top-level `fields`."""
    context = _Context(plan.file_schema, binding, position)
    return {node.field.name: _in_group(node, row, context) for node in (plan.fields if fields is None else fields)}


@dataclass(frozen=True, slots=True)
class _Context:
    file_schema: FileSchema
    binding: Binding
    position: int


def _in_group(node: PlanNode, group: tuple[Any, ...], context: _Context) -> Any:
    """Return a field's value, from the group of the file (a row or a struct) that may hold its column."""
    return project_value(node, None if node.place is None else group[node.place[-1]], context)


def project_value(node: PlanNode, value: Any, context: _Context) -> Any:
    """Return the plain value of a field, from the file's value at its place (None if it has no place)."""
    found = _value(node, value, context)
    if found is None and node.field.required and not isinstance(node, MetadataColumn):
        if isinstance(node, PartitionValue):
            raise null_error(node, context.binding.file, "so is the file's partition value")
        raise null_error(node, context.binding.file)
    return found


def _value(node: PlanNode, value: Any, context: _Context) -> Any:
    match node:
        case Read(place=place, cast=cast):
            leaf = context.file_schema.at(place).type
            assert isinstance(leaf, FileLeaf)
            return None if value is None else cast_value(node, cast, leaf, value, context.binding.file)
        case StructOf(fields=fields):
            return None if value is None else {n.field.name: _in_group(n, value, context) for n in fields}
        case ListOf(element=element):
            return None if value is None else [project_value(element, item, context) for item in value]
        case MapOf(key=key, value=value_node):
            if value is None:
                return None
            return [(project_value(key, k, context), project_value(value_node, v, context)) for k, v in value]
        case Constant(value=constant):
            return constant
        case NewStruct(fields=fields):
            return {n.field.name: project_value(n, None, context) for n in fields}
        case PartitionValue(field=field, path=path):
            if field.field_id not in context.binding.partition:
                raise ProjectionError(
                    "The file has no partition value for this field",
                    file=context.binding.file,
                    path=path,
                    field_id=field.field_id,
                )
            return context.binding.partition[field.field_id]
        case MetadataColumn():
            return _metadata(node, value, context)
        case Null():
            return None
        case Fail():
            raise AssertionError("a plan with failures is not executed")
        case _:
            assert_never(node)


def _metadata(node: MetadataColumn, own: Any, context: _Context) -> Any:
    """Return the value of a reserved field (spec: Reserved Field IDs, Row Lineage); `own` is the file's value."""
    binding = context.binding
    if own is not None and node.place is not None:
        leaf = context.file_schema.at(node.place).type
        assert isinstance(leaf, FileLeaf)
        return cast_value(node, node.cast, leaf, own, binding.file)
    match node.field.field_id, node.field.field_type:
        case reserved.FILE, _:
            return binding.file
        case reserved.POS, _:
            return context.position
        case reserved.DELETED, _:
            return False
        case reserved.SPEC_ID, _:
            return binding.spec_id
        case reserved.PARTITION, StructType(fields):
            return {f.name: binding.partition_struct.get(f.field_id) for f in fields}
        case reserved.ROW_ID, _:
            return None if binding.first_row_id is None else binding.first_row_id + context.position
        case reserved.LAST_UPDATED_SEQUENCE_NUMBER, _:
            return None if binding.first_row_id is None else binding.sequence_number
        case _:
            raise UnsupportedError(
                f"metadata column {node.field.name} cannot be read from a data file",
                file=binding.file,
                path=node.path,
                field_id=node.field.field_id,
            )


def cast_value(node: PlanNode, cast: Cast, leaf: FileLeaf, value: Any, file: str) -> Any:
    """Return a stored value, not null, as a plain value of the requested type. Raises `ProjectionError`."""
    requested = node.field.field_type

    def refuse(why: str) -> ProjectionError:
        return value_error(node, file, leaf, value, why)

    match cast:
        case Cast.NONE if isinstance(requested, StringType) and isinstance(value, bytes):
            raise refuse(WHY_UTF8)
        case Cast.NONE:
            return value
        case Cast.WIDEN_INTEGER | Cast.WIDEN_FLOAT | Cast.WIDEN_DECIMAL:
            return value
        case Cast.CHECKED_INTEGER:
            if value >= 2 ** (31 if isinstance(requested, IntegerType) else 63):
                raise refuse(WHY_RANGE)
            return value
        case Cast.DATE_TO_TIMESTAMP:
            return _in_64_bits(value * 86_400 * _per_second(requested), refuse(WHY_RANGE))
        case Cast.RESCALE_TIMESTAMP | Cast.RESCALE_TIME:
            assert leaf.unit is not None
            have = {"ms": 10**3, "us": 10**6, "ns": 10**9}[leaf.unit]
            return _rescaled(value, have, _per_second(requested), refuse(WHY_INEXACT), refuse(WHY_RANGE))
        case Cast.INT96_TO_TIMESTAMP:
            return _rescaled(value, 10**9, _per_second(requested), refuse(WHY_INEXACT), refuse(WHY_RANGE))
        case Cast.BYTES_TO_STRING:
            try:
                return value.decode()
            except UnicodeDecodeError:
                raise refuse(WHY_UTF8) from None
        case Cast.STRING_TO_BYTES:
            return value.encode() if isinstance(value, str) else value
        case Cast.BYTES_TO_UUID:
            if len(value) != 16:
                raise refuse(WHY_LENGTH)
            return UUID(bytes=value)
        case _:
            assert_never(cast)


def _per_second(requested: IcebergType) -> int:
    return 10**9 if isinstance(requested, TimestampNanoType | TimestamptzNanoType) else 10**6


def _rescaled(value: int, have: int, want: int, inexact: ProjectionError, too_far: ProjectionError) -> int:
    number, rest = divmod(value * want, have)
    if rest:
        raise inexact
    return _in_64_bits(number, too_far)


def _in_64_bits(number: int, too_far: ProjectionError) -> int:
    if not -(2**63) <= number < 2**63:
        raise too_far
    return number
