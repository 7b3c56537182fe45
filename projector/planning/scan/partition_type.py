"""Derive the type of `_partition`: every partition field that any spec of a table has had."""

from __future__ import annotations

from collections.abc import Mapping

from projector.metadata.table_metadata import TableMetadata
from projector.metadata.transforms import parse_transform, result_type
from projector.schema.types import IcebergType, NestedField, UnknownType


def partition_fields(metadata: TableMetadata) -> tuple[NestedField, ...]:
    """Return one optional field for each partition field id, in the order of the ids, under its newest name.

    A field that was dropped by becoming `void` (version 1) keeps its former type.
    """
    found: dict[int, NestedField] = {}
    if not any(spec.fields for spec in metadata.specs.values()):
        return ()  # the older schemas are not needed
    columns = _column_types(metadata)
    for spec_id in sorted(metadata.specs):
        for field in metadata.specs[spec_id].fields:
            before = found.get(field.field_id)
            source = columns.get(field.source_id)
            if field.is_void and before is not None:
                field_type: IcebergType = before.field_type
            elif source is None or len(field.source_ids) > 1:
                field_type = before.field_type if before is not None else UnknownType()
            else:
                field_type = result_type(parse_transform(field.transform), source)
            found[field.field_id] = NestedField(field.field_id, field.name, field_type)
    return tuple(found[field_id] for field_id in sorted(found))


def _column_types(metadata: TableMetadata) -> Mapping[int, IcebergType]:
    """Return the newest type of every column that the table has had."""
    found: dict[int, IcebergType] = {}
    for schema in (*sorted(metadata.schemas, key=lambda s: s.schema_id), metadata.schema()):
        found.update({field_id: field.field_type for field_id, field in schema.fields_by_id.items()})
    return found
