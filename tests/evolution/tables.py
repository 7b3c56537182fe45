"""Small tables to change: metadata, and folders with `v1.metadata.json` in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema
from projector.schema.types import (
    DateType,
    IntegerType,
    ListType,
    MapType,
    NestedField,
    StringType,
    StructType,
)

ORDERS = Schema(
    (
        NestedField(1, "id", IntegerType(), required=True),
        NestedField(2, "note", StringType()),
        NestedField(3, "day", DateType()),
        NestedField(
            4,
            "buyer",
            StructType((NestedField(5, "name", StringType()), NestedField(6, "age", IntegerType()))),
        ),
        NestedField(7, "lines", ListType(8, StructType((NestedField(9, "sku", StringType()),)))),
        NestedField(10, "prices", MapType(11, StringType(), 12, StructType((NestedField(13, "net", IntegerType()),)))),
    )
)


def table_metadata(schema: Schema = ORDERS, *, format_version: int = 2, **changes: Any) -> TableMetadata:
    """Metadata of a table without snapshots; `changes` are keys with `_` for `-`."""
    node = schema.to_json_dict()
    raw: dict[str, Any] = {
        "format-version": format_version,
        "table-uuid": "8b1a2f6e-0000-4000-8000-000000000000",
        "location": "file:///warehouse/orders",
        "last-sequence-number": 0,
        "last-updated-ms": 1_700_000_000_000,
        "last-column-id": schema.highest_field_id,
        "current-schema-id": schema.schema_id,
        "schemas": [node],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "last-partition-id": 999,
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": {},
        "metadata-log": [],
    }
    if format_version == 1:
        raw["schema"] = node
    if format_version == 3:
        raw["next-row-id"] = 0
    raw |= {key.replace("_", "-"): value for key, value in changes.items()}
    return TableMetadata.from_json(json.dumps(raw))


def table_folder(folder: Path, metadata: TableMetadata | None = None) -> Path:
    """A table without a catalog, at version 1."""
    inner = folder / "metadata"
    inner.mkdir(parents=True)
    raw = dict((metadata or table_metadata()).raw) | {"location": folder.as_uri()}
    (inner / "v1.metadata.json").write_text(json.dumps(raw))
    (inner / "version-hint.text").write_text("1")
    return folder
