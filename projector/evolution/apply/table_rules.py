"""Check a schema change against a table's partition specs and sort order."""

from __future__ import annotations

from collections.abc import Iterator

from projector.errors import SchemaUpdateError
from projector.metadata.partitioning import PartitionField
from projector.metadata.sort_order import SortField
from projector.metadata.table_metadata import TableMetadata
from projector.metadata.transforms import UnknownTransform, accepts, parse_transform
from projector.schema.promotions import promotion
from projector.schema.schema import Schema
from projector.schema.types import IcebergType


def check_partitioning_and_order(metadata: TableMetadata, schema: Schema) -> None:
    """Raise for a schema that the table's partitioning or sort order does not allow.

    Faults that the current schema already has are not the change's, and are ignored. Type promotion is not allowed for
    the
    source of a partition field if its transform would give another value afterwards (spec: Schema Evolution). This
    applies
    to every spec that may have files: all of them, or only the default one while the table has no snapshot. Under
    `identity` a date becomes a timestamp, which is another value than the date in the manifests.

    Raises
    ------
    SchemaUpdateError
        A source column of the default spec or the default sort order is dropped; a column takes the name of a partition
        field with another source; a promotion changes the partition values of a spec with files.
    """
    before = {error.message for error in load_errors(metadata, metadata.current_schema)}
    for error in load_errors(metadata, schema):
        if error.message not in before:
            raise error
    for field in _fields_with_files(metadata):
        _check_values(field, metadata.current_schema, schema)
    order = metadata.sort_orders[metadata.default_sort_order_id]
    for source_ids, transform in [
        *((f.source_ids, f.transform) for f in _fields_with_files(metadata)),
        *((f.source_ids, f.transform) for f in order.fields),
    ]:
        _check_transform(source_ids, transform, metadata.current_schema, schema)


def load_errors(metadata: TableMetadata, schema: Schema) -> Iterator[SchemaUpdateError]:
    """Yield the reasons why Java could not load the table with a schema as the current one.

    Java checks the sources of the default spec and of the default sort order, and the field names of every spec,
    including
    specs without files and fields whose source is gone.
    """
    for field in metadata.spec().fields:
        if not field.is_void:
            yield from _missing_sources(
                field.source_ids,
                schema,
                f"Cannot find source column for partition field: {_partition(field)}",
                hint=f"remove the partition field first: DROP PARTITION FIELD {field.name}",
            )
    for sort_field in metadata.sort_orders[metadata.default_sort_order_id].fields:
        yield from _missing_sources(
            sort_field.source_ids,
            schema,
            f"Cannot find source column for sort field: {_sort(sort_field)}",
            hint="replace the sort order first: WRITE ORDERED BY other columns, or WRITE UNORDERED",
        )
    for field in _all_partition_fields(metadata):
        taken = schema.ids_by_name.get(field.name)
        if taken is not None and taken not in field.source_ids:
            yield SchemaUpdateError(
                f"Cannot create identity partition sourced from different field in schema: {field.name}",
                field_id=taken,
                hint=f"a column cannot have the name of partition field {_partition(field)}",
            )


def _all_partition_fields(metadata: TableMetadata) -> Iterator[PartitionField]:
    for spec in metadata.specs.values():
        yield from spec.fields


def _fields_with_files(metadata: TableMetadata) -> Iterator[PartitionField]:
    """Yield the partition fields of the specs with which files were, or will be, written."""
    return _all_partition_fields(metadata) if metadata.snapshot_ids else iter(metadata.spec().fields)


def _partition(field: PartitionField) -> str:
    return f"{field.field_id}: {field.name}: {field.transform}({_ids(field.source_ids)})"


def _sort(field: SortField) -> str:
    nulls = field.null_order.upper().replace("-", " ")
    return f"{field.transform}({_ids(field.source_ids)}) {field.direction.upper()} {nulls}"


def _ids(source_ids: tuple[int, ...]) -> str:
    return ", ".join(map(str, source_ids))


def _missing_sources(
    source_ids: tuple[int, ...], schema: Schema, message: str, hint: str
) -> Iterator[SchemaUpdateError]:
    for source_id in source_ids:
        if source_id not in schema.fields_by_id:
            yield SchemaUpdateError(message, field_id=source_id, hint=hint)


def _changed_types(
    source_ids: tuple[int, ...], before: Schema, after: Schema
) -> Iterator[tuple[int, IcebergType, IcebergType]]:
    for source_id in source_ids:
        if source_id in before.fields_by_id and source_id in after.fields_by_id:
            old, new = before.fields_by_id[source_id].field_type, after.fields_by_id[source_id].field_type
            if old != new:
                yield source_id, old, new


def _check_values(field: PartitionField, before: Schema, after: Schema) -> None:
    """Raise for a promotion after which a transform gives other values than those in the manifests."""
    for source_id, old, new in _changed_types(field.source_ids, before, after):
        row = promotion(old, new, format_version=3)
        if row is not None and not row.keeps(field.transform):
            raise SchemaUpdateError(
                f"Cannot change column type: {before.name_of(source_id)}: {old} -> {new}: it would change the values of"
                f" partition field {_partition(field)}",
                hint="files written before may be partitioned by the old values; add a new column instead",
            )


def _check_transform(source_ids: tuple[int, ...], transform: str, before: Schema, after: Schema) -> None:
    parsed = parse_transform(transform)
    for _, _, new in _changed_types(source_ids, before, after):
        if not isinstance(parsed, UnknownTransform) and not accepts(parsed, new):
            raise SchemaUpdateError(f"Invalid source type {new} for transform: {transform}")
