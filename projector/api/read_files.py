"""Read bare Parquet files under a schema, without a table or a catalog."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from projector.api.scan import Scan
from projector.errors import NotFoundError, ProjectorError
from projector.files.storage.storage import Storage
from projector.metadata.loading import load_metadata
from projector.metadata.table_metadata import TableMetadata
from projector.planning.scan.source import FileListSource
from projector.schema.name_mapping import NameMapping
from projector.schema.schema import Schema
from projector.schema.single_values import to_plain

if TYPE_CHECKING:
    import pyarrow as pa


def read_files(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    schema: Schema | pa.Schema | str | Mapping[str, Any] | None = None,
    metadata: TableMetadata | str | os.PathLike[str] | None = None,
    name_mapping: NameMapping | str | None = None,
    partition: Mapping[int, Any] | None = None,
    properties: Mapping[str, str] | None = None,
) -> Scan:
    """Return a scan over Parquet files under an Iceberg schema (spec: Column Projection).

    Parameters
    ----------
    files:
        One path or several, taken literally.
    schema:
        The schema to read them under: a `Schema`, its spec JSON, or an Arrow schema. By default the current schema of
        `metadata`.
    metadata:
        Table metadata, or its location. Provides the schema and the name mapping, unless those are given.
    name_mapping:
        A `NameMapping` or its JSON, for files without field ids.
    partition:
        Identity partition values of these files: {source field id: Python value}.
    properties:
        Storage settings by pyiceberg's names, such as `s3.endpoint`.

    Raises
    ------
    ProjectorError
        Neither schema nor metadata is given, or a partition value does not have its column's type.
    """
    storage = Storage(dict(properties or {}))
    paths = (files,) if isinstance(files, (str, os.PathLike)) else tuple(files)
    if metadata is not None and not isinstance(metadata, TableMetadata):
        metadata = load_metadata(os.fspath(metadata), storage).metadata
    if schema is None:
        if metadata is None:
            raise ProjectorError("No schema to read the files under", hint="give schema= or metadata=")
        requested = metadata.schema()
    else:
        requested = as_schema(schema)
    mapping = NameMapping.from_json(name_mapping) if isinstance(name_mapping, str) else name_mapping
    if mapping is None and metadata is not None:
        mapping = metadata.name_mapping
    values = _plain_partition(partition or {}, requested)
    source = FileListSource(tuple(os.fspath(path) for path in paths), requested, storage, mapping, values)
    return Scan(source, requested)


def as_schema(schema: Schema | pa.Schema | str | Mapping[str, Any]) -> Schema:
    """Return a schema from a `Schema`, its spec JSON, or an Arrow schema."""
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, (str, Mapping)):
        return Schema.from_json(schema)
    from projector.schema.arrow_schema import schema_from_arrow

    return schema_from_arrow(schema)


def _plain_partition(partition: Mapping[int, Any], schema: Schema) -> Mapping[int, Any]:
    values: dict[int, Any] = {}
    for field_id, value in partition.items():
        field = schema.fields_by_id.get(field_id)
        if field is None:
            raise NotFoundError(f"partition names field id {field_id}, which the schema does not have")
        try:
            values[field_id] = None if value is None else to_plain(value, field.field_type)
        except ProjectorError:
            raise ProjectorError(
                f"Cannot use {value!r} as a partition value: it is not a {field.field_type}",
                path=schema.name_of(field_id),
                field_id=field_id,
            ) from None
    return values
