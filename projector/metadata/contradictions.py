"""Find what makes table metadata unreadable, or would make the next change to it wrong."""

from __future__ import annotations

from collections.abc import Iterator

from projector.errors import InvalidMetadataError, ProjectorError, SchemaUpdateError, UnsupportedError
from projector.metadata.json_fields import get_int
from projector.metadata.metadata_view import MetadataView
from projector.metadata.snapshots import MAIN_BRANCH

SUPPORTED_FORMAT_VERSION = 3
"""The highest format version that is read."""


def contradictions(metadata: MetadataView) -> Iterator[ProjectorError]:
    """Yield the faults of metadata, each as the error to raise; nothing if every reader can use it.

    Faults are an unsupported version, required fields that are missing or of the wrong kind, duplicate ids, and ids
    that
    point to nothing. Past schemas, specs and snapshots are checked only by their ids.
    """
    try:
        version = get_int(metadata.raw, "format-version")
    except InvalidMetadataError as error:
        yield error
        return
    if not 1 <= version <= SUPPORTED_FORMAT_VERSION:
        yield UnsupportedError(
            f"Cannot read unsupported version {version}: table metadata has format-version {version}",
            hint=f"versions 1 to {SUPPORTED_FORMAT_VERSION} are read",
        )
        return
    for check in (_fields, _schemas, _specs, _orders, _snapshots):
        try:
            yield from check(metadata)
        except ProjectorError as error:
            yield error


def id_above_last(metadata: MetadataView) -> SchemaUpdateError | None:
    """Return why the schema cannot be changed if an id in it is above last-column-id. Reading does not need that."""
    schema = metadata.current_schema
    if schema.highest_field_id <= metadata.last_column_id:
        return None
    return SchemaUpdateError(
        f"A field id is above last-column-id {metadata.last_column_id}: the next column would take an id in use",
        path=schema.name_of(schema.highest_field_id),
        field_id=schema.highest_field_id,
        hint=f"set last-column-id in the metadata to {schema.highest_field_id} at least before anything is changed",
    )


def _fields(metadata: MetadataView) -> Iterator[ProjectorError]:
    if metadata.format_version > 1 and metadata.table_uuid is None:
        yield InvalidMetadataError(f"table-uuid must exist in format v{metadata.format_version}")
    for name in ("location", "last_updated_ms", "last_column_id", "last_sequence_number", "next_row_id", "properties"):
        getattr(metadata, name)


def _schemas(metadata: MetadataView) -> Iterator[ProjectorError]:
    if metadata.current_schema_id not in metadata.schema_ids:
        yield InvalidMetadataError(
            f"Cannot find schema with current-schema-id={metadata.current_schema_id} from schemas",
            hint=f"the metadata has schemas {', '.join(map(str, metadata.schema_ids)) or 'none'}",
        )
        return
    metadata.current_schema  # noqa: B018 - raises where it is malformed


def _specs(metadata: MetadataView) -> Iterator[ProjectorError]:
    if metadata.default_spec_id not in metadata.spec_ids:
        yield InvalidMetadataError(
            f"Cannot find partition spec with default-spec-id={metadata.default_spec_id} from partition-specs",
            hint=f"the metadata has specs {', '.join(map(str, metadata.spec_ids)) or 'none'}",
        )
    else:
        metadata.last_partition_id  # noqa: B018 - raises where it is missing


def _orders(metadata: MetadataView) -> Iterator[ProjectorError]:
    if metadata.default_sort_order_id not in metadata.sort_orders:
        yield InvalidMetadataError(
            f"Cannot find sort order with default-sort-order-id={metadata.default_sort_order_id} from sort-orders",
            hint=f"the metadata has sort orders {', '.join(map(str, metadata.sort_orders))}",
        )


def _snapshots(metadata: MetadataView) -> Iterator[ProjectorError]:
    current, known = metadata.current_snapshot_id, frozenset(metadata.snapshot_ids)
    if current is not None and current not in known:
        yield InvalidMetadataError(f"Cannot find the current snapshot, current-snapshot-id={current}, in snapshots")
        return
    for name, ref in metadata.refs.items():
        if ref.snapshot_id not in known:
            yield InvalidMetadataError(
                f"Snapshot for reference {name} does not exist in the existing snapshots list: {ref.snapshot_id}"
            )
    main = metadata.refs.get(MAIN_BRANCH)
    if main is not None and current is None:
        yield InvalidMetadataError(f"Current snapshot is not set, but main branch exists: {main.snapshot_id}")
    elif main is not None and main.snapshot_id != current:
        yield InvalidMetadataError(f"Current snapshot ID does not match main branch ({current} != {main.snapshot_id})")
