"""Raise a table's format version (spec: Appendix E)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from projector.errors import SchemaUpdateError
from projector.evolution.operations.schema import Operation
from projector.evolution.updates.spec_commit import specs_json
from projector.metadata.contradictions import SUPPORTED_FORMAT_VERSION
from projector.metadata.partitioning import spec_to_json
from projector.metadata.sort_order import sort_order_to_json
from projector.metadata.table_metadata import TableMetadata

_LIFTED = ("schema", "partition-spec")
"""The fields that version 1 writes twice, and version 2 once."""


@dataclass(frozen=True, slots=True)
class UpgradeFormatVersion(Operation):
    """Raise the table's format version. It never goes down."""

    version: int


def upgrade(metadata: TableMetadata, version: int) -> TableMetadata:
    """Return a table's metadata in a higher format version, without commit time and log. Schemas, specs and files
    stay.

    Metadata that already has the version is returned unchanged. A table of version 1 without a UUID gets one.

    Raises `SchemaUpdateError` for a lower version, or one that is not supported.
    """
    before = metadata.format_version
    if version > SUPPORTED_FORMAT_VERSION:
        raise SchemaUpdateError(
            f"Cannot upgrade table to unsupported format version: v{version} (supported: v{SUPPORTED_FORMAT_VERSION})"
        )
    if version < before:
        raise SchemaUpdateError(f"Cannot downgrade v{before} table to v{version}")
    if version == before:
        return metadata
    raw: dict[str, Any] = {**metadata.raw, "format-version": version}
    if before == 1:
        raw = _from_version_1(raw, metadata)
    if version == 3:
        snapshot = raw.get("current-snapshot-id")
        raw["current-snapshot-id"] = None if snapshot == -1 else snapshot
        raw = _after(raw, "current-snapshot-id", {"next-row-id": 0})
    return TableMetadata.from_json(raw)


def _from_version_1(raw: Mapping[str, Any], metadata: TableMetadata) -> dict[str, Any]:
    """Return what version 1 omits or spells differently: lists, defaults and ids are written out, schemas have ids."""
    lifted = {key: value for key, value in raw.items() if key not in _LIFTED}
    if lifted.get("schemas") is None:
        lifted["schemas"] = [schema.to_json_dict() for schema in metadata.schemas]
    lifted["current-schema-id"] = metadata.current_schema_id
    has_ids = all("field-id" in field for node in specs_json(metadata) for field in node["fields"])
    lifted["partition-specs"] = specs_json(metadata) if has_ids else [spec_to_json(s) for s in metadata.specs.values()]
    lifted["default-spec-id"] = metadata.default_spec_id
    lifted["last-partition-id"] = metadata.last_partition_id
    if lifted.get("sort-orders") is None:
        lifted["sort-orders"] = [sort_order_to_json(order) for order in metadata.sort_orders.values()]
    lifted["default-sort-order-id"] = metadata.default_sort_order_id
    if metadata.table_uuid is None:
        lifted = _after(lifted, "format-version", {"table-uuid": str(uuid.uuid4())})
    return _after(lifted, "location", {"last-sequence-number": 0})


def _after(raw: Mapping[str, Any], key: str, added: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with further entries after one of its keys."""
    placed: dict[str, Any] = {}
    for name, value in raw.items():
        if name not in added:
            placed[name] = value
        if name == key:
            placed.update(added)
    return placed
