"""Small metadata, manifest lists and manifests for the tests of this room."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import fastavro

Json = dict[str, Any]


def schema(schema_id: int = 0, **more: Any) -> Json:
    fields = [
        {"id": 1, "name": "id", "required": True, "type": "long"},
        {"id": 2, "name": "data", "required": False, "type": "string"},
    ]
    return {"type": "struct", "schema-id": schema_id, "fields": fields, **more}


def snapshot(snapshot_id: int, sequence_number: int, **more: Any) -> Json:
    return {
        "snapshot-id": snapshot_id,
        "sequence-number": sequence_number,
        "timestamp-ms": 1000 * sequence_number,
        "manifest-list": f"s3://b/t/metadata/snap-{snapshot_id}.avro",
        "summary": {"operation": "append"},
        "schema-id": 0,
        **more,
    }


def version_2(**more: Any) -> Json:
    """Metadata of version 2 with two snapshots."""
    return {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": "s3://b/t",
        "last-sequence-number": 2,
        "last-updated-ms": 2000,
        "last-column-id": 2,
        "current-schema-id": 0,
        "schemas": [schema()],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "last-partition-id": 999,
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": {},
        "current-snapshot-id": 20,
        "refs": {"main": {"snapshot-id": 20, "type": "branch"}},
        "snapshots": [snapshot(10, 1), snapshot(20, 2)],
        "snapshot-log": [
            {"timestamp-ms": 1000, "snapshot-id": 10},
            {"timestamp-ms": 2000, "snapshot-id": 20},
        ],
        "metadata-log": [],
        **more,
    }


def version_1(**more: Any) -> Json:
    """Metadata of version 1 as the oldest writers left it: one schema, one spec, no ids of either."""
    fields = schema()["fields"]
    return {
        "format-version": 1,
        "location": "s3://b/t",
        "last-updated-ms": 1000,
        "last-column-id": 2,
        "schema": {"type": "struct", "fields": fields},
        "partition-spec": [
            {"name": "data", "transform": "identity", "source-id": 2},
            {"name": "id_bucket", "transform": "bucket[16]", "source-id": 1},
        ],
        "properties": {},
        "current-snapshot-id": -1,
        "snapshots": [],
        **more,
    }


def without(node: Json, *names: str) -> Json:
    return {name: value for name, value in node.items() if name not in names}


def optional(avro_type: Any) -> list[Any]:
    return ["null", avro_type]


def field(field_id: int | None, name: str, avro_type: Any, **more: Any) -> Json:
    node = {"name": name, "type": avro_type, **more}
    if isinstance(avro_type, list) and avro_type[0] == "null":
        node["default"] = None
    return node if field_id is None else {**node, "field-id": field_id}


def record(name: str, *fields: Json) -> Json:
    return {"type": "record", "name": name, "fields": list(fields)}


def pairs(key_id: int, value_id: int, value: Any) -> list[Any]:
    """A map as Iceberg stores it in Avro."""
    item = record(f"k{key_id}_v{value_id}", field(key_id, "key", "int"), field(value_id, "value", value))
    return optional({"type": "array", "logicalType": "map", "items": item})


SUMMARY = record(
    "r508",
    field(509, "contains_null", "boolean"),
    field(518, "contains_nan", optional("boolean")),
    field(510, "lower_bound", optional("bytes")),
    field(511, "upper_bound", optional("bytes")),
)

LIST_V1 = record(
    "manifest_file",
    field(500, "manifest_path", "string"),
    field(501, "manifest_length", "long"),
    field(502, "partition_spec_id", "int"),
    field(503, "added_snapshot_id", optional("long")),
    field(504, "added_data_files_count", optional("int")),
    field(505, "existing_data_files_count", optional("int")),
    field(506, "deleted_data_files_count", optional("int")),
    field(507, "partitions", optional({"type": "array", "items": SUMMARY, "element-id": 508})),
)

LIST_V3 = record(
    "manifest_file",
    field(500, "manifest_path", "string"),
    field(501, "manifest_length", "long"),
    field(502, "partition_spec_id", "int"),
    field(517, "content", "int"),
    field(515, "sequence_number", "long"),
    field(516, "min_sequence_number", "long"),
    field(503, "added_snapshot_id", "long"),
    field(504, "added_files_count", "int"),
    field(505, "existing_files_count", "int"),
    field(506, "deleted_files_count", "int"),
    field(512, "added_rows_count", "long"),
    field(513, "existing_rows_count", "long"),
    field(514, "deleted_rows_count", "long"),
    field(507, "partitions", optional({"type": "array", "items": SUMMARY, "element-id": 508})),
    field(519, "key_metadata", optional("bytes")),
    field(520, "first_row_id", optional("long")),
)


def manifest_schema(*partition: Json, extra: Sequence[Json] = (), extra_file: Sequence[Json] = ()) -> Json:
    """The Avro schema of a v2 or v3 manifest over the given partition fields."""
    data_file = record(
        "r2",
        field(134, "content", "int"),
        field(100, "file_path", "string"),
        field(101, "file_format", "string"),
        field(102, "partition", record("r102", *partition)),
        field(103, "record_count", "long"),
        field(104, "file_size_in_bytes", "long"),
        field(108, "column_sizes", pairs(117, 118, "long")),
        field(109, "value_counts", pairs(119, 120, "long")),
        field(110, "null_value_counts", pairs(121, 122, "long")),
        field(137, "nan_value_counts", pairs(138, 139, "long")),
        field(125, "lower_bounds", pairs(126, 127, "bytes")),
        field(128, "upper_bounds", pairs(129, 130, "bytes")),
        field(131, "key_metadata", optional("bytes")),
        field(132, "split_offsets", optional({"type": "array", "items": "long", "element-id": 133})),
        field(135, "equality_ids", optional({"type": "array", "items": "int", "element-id": 136})),
        field(140, "sort_order_id", optional("int")),
        field(142, "first_row_id", optional("long")),
        field(143, "referenced_data_file", optional("string")),
        field(144, "content_offset", optional("long")),
        field(145, "content_size_in_bytes", optional("long")),
        *extra_file,
    )
    return record(
        "manifest_entry",
        field(0, "status", "int"),
        field(1, "snapshot_id", optional("long")),
        field(3, "sequence_number", optional("long")),
        field(4, "file_sequence_number", optional("long")),
        field(2, "data_file", data_file),
        *extra,
    )


def entry(path: str = "s3://b/t/data/f.parquet", status: int = 1, **more: Any) -> Json:
    """A record for `manifest_schema`; names of the entry's own fields go there, all others into the data file."""
    own = {name: more.pop(name) for name in ("snapshot_id", "sequence_number", "file_sequence_number") if name in more}
    data_file = {
        "content": 0,
        "file_path": path,
        "file_format": "PARQUET",
        "partition": {},
        "record_count": 10,
        "file_size_in_bytes": 1000,
        **more,
    }
    return {"status": status, **own, "data_file": data_file}


def write_avro(
    path: Path,
    avro_schema: Json,
    records: Sequence[Mapping[str, Any]],
    *,
    codec: str = "deflate",
    metadata: Mapping[str, str] | None = None,
    sync_interval: int = 16000,
) -> str:
    with path.open("wb") as out:
        fastavro.writer(
            out,
            json.loads(json.dumps(avro_schema)),
            records,
            codec=codec,
            metadata=dict(metadata or {}),
            sync_interval=sync_interval,
            sync_marker=b"0123456789abcdef",
        )
    return str(path)
