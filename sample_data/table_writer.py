"""A small writer of Iceberg tables, for samples: appends, schemas, partition specs, format versions 2 and 3.

Everything it writes is a function of its input: ids, times and names are given, so a script gives one table.
Only the sizes and bytes of Parquet files follow the version of pyarrow.
"""

from __future__ import annotations

import io
import json
import struct
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

Json = dict[str, Any]


@dataclass(frozen=True)
class DataFile:
    """A file to append: where it goes below the table, its rows as Arrow, and its partition by field name."""

    path: str
    rows: pa.Table
    spec_id: int
    partition: Mapping[str, Any]


def optional(kind: Any) -> list[Any]:
    """An Avro type that may be null."""
    return ["null", kind]


def avro(name: str, field_id: int, kind: Any) -> Json:
    """An Avro field with its Iceberg id; null by default where it may be null."""
    default = {"default": None} if isinstance(kind, list) and kind[0] == "null" else {}
    return {"name": name, "type": kind, "field-id": field_id, **default}


def avro_map(key_id: int, value_id: int, value: str) -> list[Any]:
    """An optional map with integer keys, which Avro spells as an array of pairs."""
    fields = [avro("key", key_id, "int"), avro("value", value_id, value)]
    pair = {"type": "record", "name": f"k{key_id}_v{value_id}", "fields": fields}
    return optional({"type": "array", "logicalType": "map", "items": pair})


MANIFEST_FILE = {
    "type": "record",
    "name": "manifest_file",
    "fields": [
        avro("manifest_path", 500, "string"),
        avro("manifest_length", 501, "long"),
        avro("partition_spec_id", 502, "int"),
        avro("content", 517, "int"),
        avro("sequence_number", 515, "long"),
        avro("min_sequence_number", 516, "long"),
        avro("added_snapshot_id", 503, "long"),
        avro("added_files_count", 504, "int"),
        avro("existing_files_count", 505, "int"),
        avro("deleted_files_count", 506, "int"),
        avro("added_rows_count", 512, "long"),
        avro("existing_rows_count", 513, "long"),
        avro("deleted_rows_count", 514, "long"),
        avro("first_row_id", 520, optional("long")),
    ],
}


def manifest_entry(partition: list[Json]) -> Json:
    """The Avro schema of a manifest whose files have this partition tuple."""
    data_file = [
        avro("content", 134, "int"),
        avro("file_path", 100, "string"),
        avro("file_format", 101, "string"),
        avro("partition", 102, {"type": "record", "name": "r102", "fields": partition}),
        avro("record_count", 103, "long"),
        avro("file_size_in_bytes", 104, "long"),
        avro("value_counts", 109, avro_map(119, 120, "long")),
        avro("null_value_counts", 110, avro_map(121, 122, "long")),
        avro("lower_bounds", 125, avro_map(126, 127, "bytes")),
        avro("upper_bounds", 128, avro_map(129, 130, "bytes")),
        avro("first_row_id", 142, optional("long")),
    ]
    fields = [
        avro("status", 0, "int"),
        avro("snapshot_id", 1, optional("long")),
        avro("sequence_number", 3, optional("long")),
        avro("file_sequence_number", 4, optional("long")),
        avro("data_file", 2, {"type": "record", "name": "r2", "fields": data_file}),
    ]
    return {"type": "record", "name": "manifest_entry", "fields": fields}


PARTITION_TYPES = {"identity": "string", "month": "int", "day": {"type": "int", "logicalType": "date"}}
"""Avro types of the partition values that the samples use."""


def bound(value: Any, kind: str) -> bytes:
    """A bound in the spec's binary form (Appendix D)."""
    if isinstance(value, Decimal):
        unscaled = int(value.scaleb(-int(value.as_tuple().exponent)))
        return unscaled.to_bytes((unscaled.bit_length() + 8) // 8, "big", signed=True)
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, float):
        return struct.pack("<f" if kind == "float" else "<d", value)
    return int(value).to_bytes(4 if kind == "int" else 8, "little", signed=True)


def metrics(rows: pa.Table, schema: Json) -> Json:
    """Counts and bounds of the top-level columns that carry a field id and are not nested."""
    counts, nulls, lower, upper = [], [], [], []
    for column in schema["fields"]:
        name, field_id, kind = column["name"], column["id"], column["type"]
        if isinstance(kind, dict) or name not in rows.column_names:
            continue
        values = rows.column(name)
        counts.append({"key": field_id, "value": len(values)})
        nulls.append({"key": field_id, "value": values.null_count})
        if values.null_count < len(values):
            plain = values.cast(pa.int64()) if pa.types.is_timestamp(values.type) else values
            least = pc.min_max(plain)
            lower.append({"key": field_id, "value": bound(least["min"].as_py(), kind)})
            upper.append({"key": field_id, "value": bound(least["max"].as_py(), kind)})
    return {"value_counts": counts, "null_value_counts": nulls, "lower_bounds": lower, "upper_bounds": upper}


@dataclass
class TableWriter:
    """A table on its way through its history. Every method that changes it writes the next metadata file.

    Parameters
    ----------
    folder:
        Where the table is written.
    location:
        The location that it records.
    properties:
        Its first table properties.
    """

    folder: Path
    location: str
    schema: Json
    spec: Json
    properties: dict[str, str]
    timestamp_ms: int
    _metadata: Json = field(init=False)
    _version: int = field(default=0, init=False)
    _manifests: list[Json] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._metadata = {
            "format-version": 2,
            "table-uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, self.location)),
            "location": self.location,
            "last-sequence-number": 0,
            "last-updated-ms": self.timestamp_ms,
            "last-column-id": 0,
            "current-schema-id": 0,
            "schemas": [],
            "default-spec-id": 0,
            "partition-specs": [],
            "last-partition-id": 999,
            "default-sort-order-id": 0,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "properties": self.properties,
            "current-snapshot-id": -1,
            "refs": {},
            "snapshots": [],
            "statistics": [],
            "snapshot-log": [],
            "metadata-log": [],
        }
        self._add_schema(self.schema)
        self._add_spec(self.spec)
        self._write(self.timestamp_ms)

    def evolve(self, timestamp_ms: int, schema: Json, name_mapping: list[Json]) -> None:
        """Make `schema` the current one, and follow it in the name mapping."""
        self._add_schema(schema)
        self._set_mapping(name_mapping)
        self._write(timestamp_ms)

    def partition_by(self, timestamp_ms: int, spec: Json) -> None:
        """Make `spec` the one that new files are written under."""
        self._add_spec(spec)
        self._write(timestamp_ms)

    def upgrade(self, timestamp_ms: int) -> None:
        """Go to format version 3."""
        self._metadata["format-version"] = 3
        self._metadata["next-row-id"] = 0
        self._write(timestamp_ms)

    def tag(self, timestamp_ms: int, name: str) -> None:
        """Give the current snapshot a name."""
        self._metadata["refs"][name] = {"snapshot-id": self._metadata["current-snapshot-id"], "type": "tag"}
        self._write(timestamp_ms)

    def append(self, timestamp_ms: int, snapshot_id: int, files: Sequence[DataFile]) -> None:
        """Write files, a manifest of them, and a snapshot that adds it to those before."""
        sequence = self._metadata["last-sequence-number"] + 1
        manifest = self._write_manifest(snapshot_id, sequence, files)
        self._manifests = [manifest, *self._manifests]
        lineage = self._assign_row_ids() if self._metadata["format-version"] >= 3 else {}
        name = f"metadata/snap-{snapshot_id}.avro"
        parent = self._metadata["current-snapshot-id"]
        records = sum(file.rows.num_rows for file in files)
        header = {"snapshot-id": str(snapshot_id), "sequence-number": str(sequence), "parent-snapshot-id": str(parent)}
        self._write_avro(name, MANIFEST_FILE, self._manifests, header, seed=name)
        self._metadata["snapshots"].append(
            {
                "snapshot-id": snapshot_id,
                **({"parent-snapshot-id": parent} if parent != -1 else {}),
                "sequence-number": sequence,
                "timestamp-ms": timestamp_ms,
                "manifest-list": f"{self.location}/{name}",
                "summary": {
                    "operation": "append",
                    "added-data-files": str(len(files)),
                    "added-records": str(records),
                    "total-records": str(sum(m["added_rows_count"] for m in self._manifests)),
                },
                "schema-id": self._metadata["current-schema-id"],
                **lineage,
            }
        )
        self._metadata["last-sequence-number"] = sequence
        self._metadata["current-snapshot-id"] = snapshot_id
        self._metadata["refs"]["main"] = {"snapshot-id": snapshot_id, "type": "branch"}
        self._metadata["snapshot-log"].append({"timestamp-ms": timestamp_ms, "snapshot-id": snapshot_id})
        self._write(timestamp_ms)

    def _add_schema(self, schema: Json) -> None:
        numbered = {"type": "struct", "schema-id": len(self._metadata["schemas"]), **schema}
        self._metadata["schemas"].append(numbered)
        self._metadata["current-schema-id"] = numbered["schema-id"]
        self._metadata["last-column-id"] = max(self._metadata["last-column-id"], highest_id(schema))

    def _add_spec(self, spec: Json) -> None:
        self._metadata["partition-specs"].append(spec)
        self._metadata["default-spec-id"] = spec["spec-id"]
        ids = [part["field-id"] for part in spec["fields"]]
        self._metadata["last-partition-id"] = max([self._metadata["last-partition-id"], *ids])

    def _set_mapping(self, name_mapping: list[Json]) -> None:
        self._metadata["properties"]["schema.name-mapping.default"] = json.dumps(name_mapping)

    def _assign_row_ids(self) -> Json:
        start = self._metadata["next-row-id"]
        assigned = 0
        for manifest in reversed(self._manifests):
            if manifest["first_row_id"] is None:
                manifest["first_row_id"] = start + assigned
                assigned += manifest["added_rows_count"]
        self._metadata["next-row-id"] = start + assigned
        return {"first-row-id": start, "added-rows": assigned}

    def _write_manifest(self, snapshot_id: int, sequence: int, files: Sequence[DataFile]) -> Json:
        (spec_id,) = {file.spec_id for file in files}
        spec = next(spec for spec in self._metadata["partition-specs"] if spec["spec-id"] == spec_id)
        schema = self._metadata["schemas"][self._metadata["current-schema-id"]]
        tuple_fields = [
            avro(part["name"], part["field-id"], optional(PARTITION_TYPES[part["transform"]]))
            for part in spec["fields"]
        ]
        entries = []
        for file in files:
            target = self.folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(file.rows, target, compression="zstd", store_schema=False, write_statistics=True)
            data_file = {
                "content": 0,
                "file_path": f"{self.location}/{file.path}",
                "file_format": "PARQUET",
                "partition": dict(file.partition),
                "record_count": file.rows.num_rows,
                "file_size_in_bytes": target.stat().st_size,
                **metrics(file.rows, schema),
                "first_row_id": None,
            }
            entries.append({"status": 1, "snapshot_id": snapshot_id, "data_file": data_file})
        name = f"metadata/{snapshot_id}-m0.avro"
        header = {
            "schema": json.dumps(schema),
            "schema-id": str(schema["schema-id"]),
            "partition-spec": json.dumps(spec["fields"]),
            "partition-spec-id": str(spec_id),
            "content": "data",
        }
        length = self._write_avro(name, manifest_entry(tuple_fields), entries, header, seed=name)
        return {
            "manifest_path": f"{self.location}/{name}",
            "manifest_length": length,
            "partition_spec_id": spec_id,
            "content": 0,
            "sequence_number": sequence,
            "min_sequence_number": sequence,
            "added_snapshot_id": snapshot_id,
            "added_files_count": len(files),
            "existing_files_count": 0,
            "deleted_files_count": 0,
            "added_rows_count": sum(file.rows.num_rows for file in files),
            "existing_rows_count": 0,
            "deleted_rows_count": 0,
            "first_row_id": None,
        }

    def _write_avro(self, name: str, schema: Json, records: list[Json], header: dict[str, str], seed: str) -> int:
        out = io.BytesIO()
        header = {**header, "format-version": str(self._metadata["format-version"])}
        marker = uuid.uuid5(uuid.NAMESPACE_URL, seed).bytes
        fastavro.writer(out, schema, records, codec="deflate", metadata=header, sync_marker=marker)
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(out.getvalue())
        return len(out.getvalue())

    def _write(self, timestamp_ms: int) -> None:
        if self._version:
            before = f"{self.location}/metadata/v{self._version}.metadata.json"
            entry = {"timestamp-ms": self._metadata["last-updated-ms"], "metadata-file": before}
            self._metadata["metadata-log"].append(entry)
        self._version += 1
        self._metadata["last-updated-ms"] = timestamp_ms
        folder = self.folder / "metadata"
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self._metadata, indent=1, ensure_ascii=False)
        (folder / f"v{self._version}.metadata.json").write_text(text + "\n", encoding="utf-8")
        (folder / "version-hint.text").write_text(str(self._version))


def highest_id(part: Any) -> int:
    """The highest field id anywhere in a schema."""
    if isinstance(part, dict):
        own = [part[key] for key in ("id", "element-id", "key-id", "value-id") if key in part]
        return max([*own, *(highest_id(value) for value in part.values())], default=0)
    if isinstance(part, list):
        return max((highest_id(entry) for entry in part), default=0)
    return 0
