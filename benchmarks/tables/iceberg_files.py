"""Write the metadata of Iceberg tables from any number of manifest entries. The data files need not exist."""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fastavro

Json = dict[str, Any]
ENTRIES_IN_A_MANIFEST = 1000


def avro(name: str, field_id: int, kind: Any) -> Json:
    """Return an Avro field with its Iceberg id. Its default is null if it may be null."""
    default = {"default": None} if isinstance(kind, list) and kind[0] == "null" else {}
    return {"name": name, "type": kind, "field-id": field_id, **default}


def optional(kind: Any) -> list[Any]:
    return ["null", kind]


def _map(key_id: int, value_id: int, value: str) -> list[Any]:
    fields = [avro("key", key_id, "int"), avro("value", value_id, value)]
    pair = {"type": "record", "name": f"k{key_id}_v{value_id}", "fields": fields}
    return optional({"type": "array", "logicalType": "map", "items": pair})


def _record(name: str, *fields: Json) -> Json:
    return {"type": "record", "name": name, "fields": list(fields)}


_SUMMARY = _record(
    "r508",
    avro("contains_null", 509, "boolean"),
    avro("contains_nan", 518, optional("boolean")),
    avro("lower_bound", 510, optional("bytes")),
    avro("upper_bound", 511, optional("bytes")),
)
MANIFEST_FILE = _record(
    "manifest_file",
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
    avro("partitions", 507, optional({"type": "array", "items": _SUMMARY, "element-id": 508})),
    avro("first_row_id", 520, optional("long")),
)


def _manifest_entry(partition: list[Json]) -> Json:
    data_file = _record(
        "r2",
        avro("content", 134, "int"),
        avro("file_path", 100, "string"),
        avro("file_format", 101, "string"),
        avro("partition", 102, _record("r102", *partition)),
        avro("record_count", 103, "long"),
        avro("file_size_in_bytes", 104, "long"),
        avro("column_sizes", 108, _map(117, 118, "long")),
        avro("value_counts", 109, _map(119, 120, "long")),
        avro("null_value_counts", 110, _map(121, 122, "long")),
        avro("lower_bounds", 125, _map(126, 127, "bytes")),
        avro("upper_bounds", 128, _map(129, 130, "bytes")),
        avro("split_offsets", 132, optional({"type": "array", "items": "long", "element-id": 133})),
        avro("first_row_id", 142, optional("long")),
    )
    return _record(
        "manifest_entry",
        avro("status", 0, "int"),
        avro("snapshot_id", 1, optional("long")),
        avro("sequence_number", 3, optional("long")),
        avro("file_sequence_number", 4, optional("long")),
        avro("data_file", 2, data_file),
    )


class TableFiles:
    """A table to which schemas and entries are added. `finish` writes its metadata file.

    Parameters
    ----------
    folder:
        The folder of the table.
    spec:
        The fields of its partition spec, in spec JSON, all of them over longs.
    format_version:
        2, or 3 for defaults.
    """

    def __init__(self, folder: Path, spec: Sequence[Json] = (), format_version: int = 2) -> None:
        self.folder = folder
        self._version = format_version
        self._next_row_id = 0
        self.location = f"file://{folder}"
        self._spec = list(spec)
        self._schemas: list[Json] = []
        self._manifests: list[Json] = []
        self._snapshots: list[Json] = []
        (folder / "metadata").mkdir(parents=True, exist_ok=True)

    def evolve(self, fields: list[Json]) -> None:
        """Make these fields the current schema."""
        self._schemas.append({"type": "struct", "schema-id": len(self._schemas), "fields": fields})

    def append(self, data_files: Sequence[Json], content: int = 0) -> None:
        """Append a snapshot that adds data (0) or delete (1) files, given as manifest entries."""
        number = len(self._snapshots) + 1
        first_row_id = self._next_row_id
        for start in range(0, len(data_files), ENTRIES_IN_A_MANIFEST):
            self._write_manifest(number, data_files[start : start + ENTRIES_IN_A_MANIFEST], content)
        name = f"metadata/snap-{number}.avro"
        self._write_avro(name, MANIFEST_FILE, self._manifests, {"snapshot-id": str(number)})
        self._snapshots.append(
            {
                "snapshot-id": number,
                "sequence-number": number,
                "timestamp-ms": 1_700_000_000_000 + number,
                "manifest-list": f"{self.location}/{name}",
                "summary": {"operation": "delete" if content else "append"},
                "schema-id": len(self._schemas) - 1,
                **self._row_ids(first_row_id),
            }
        )

    def _row_ids(self, first: int) -> Json:
        return {} if self._version < 3 else {"first-row-id": first, "added-rows": self._next_row_id - first}

    def _write_manifest(self, snapshot: int, data_files: Sequence[Json], content: int) -> None:
        header = {
            "schema": json.dumps(self._schemas[-1]),
            "schema-id": str(len(self._schemas) - 1),
            "partition-spec": json.dumps(self._spec),
            "partition-spec-id": "0",
            "content": "deletes" if content else "data",
        }
        tuple_fields = [avro(part["name"], part["field-id"], optional("long")) for part in self._spec]
        entries = [{"status": 1, "snapshot_id": snapshot, "data_file": file} for file in data_files]
        name = f"metadata/m{len(self._manifests):06}.avro"
        rows = sum(file["record_count"] for file in data_files)
        self._manifests.append(
            {
                "manifest_path": f"{self.location}/{name}",
                "manifest_length": self._write_avro(name, _manifest_entry(tuple_fields), entries, header),
                "partition_spec_id": 0,
                "content": content,
                "sequence_number": snapshot,
                "min_sequence_number": snapshot,
                "added_snapshot_id": snapshot,
                "added_files_count": len(entries),
                "existing_files_count": 0,
                "deleted_files_count": 0,
                "added_rows_count": rows,
                "existing_rows_count": 0,
                "deleted_rows_count": 0,
                "partitions": [_summary([f["partition"][part["name"]] for f in data_files]) for part in self._spec],
                "first_row_id": None if content or self._version < 3 else self._next_row_id,
            }
        )
        self._next_row_id += 0 if content else rows

    def _write_avro(self, name: str, schema: Json, records: list[Json], header: dict[str, str]) -> int:
        out = io.BytesIO()
        marker = uuid.uuid5(uuid.NAMESPACE_URL, name).bytes
        metadata = {**header, "format-version": str(self._version)}
        fastavro.writer(out, schema, records, codec="deflate", metadata=metadata, sync_marker=marker)
        (self.folder / name).write_bytes(out.getvalue())
        return len(out.getvalue())

    def finish(self) -> str:
        """Write the metadata file, and return its path."""
        last = len(self._snapshots)
        metadata = {
            "format-version": self._version,
            **({"next-row-id": self._next_row_id} if self._version >= 3 else {}),
            "table-uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, "projector benchmark")),
            "location": self.location,
            "last-sequence-number": last,
            "last-updated-ms": 1_700_000_000_000 + last,
            "last-column-id": max(highest_id(schema) for schema in self._schemas),
            "current-schema-id": len(self._schemas) - 1,
            "schemas": self._schemas,
            "default-spec-id": 0,
            "partition-specs": [{"spec-id": 0, "fields": self._spec}],
            "last-partition-id": 999 + len(self._spec),
            "default-sort-order-id": 0,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "properties": {},
            "current-snapshot-id": last or -1,
            "refs": {"main": {"snapshot-id": last, "type": "branch"}} if last else {},
            "snapshots": self._snapshots[-1:],
        }
        path = self.folder / "metadata" / "v1.metadata.json"
        path.write_text(json.dumps(metadata))
        (self.folder / "metadata" / "version-hint.text").write_text("1")
        return str(path)


def eight(number: int) -> bytes:
    """Return a long in the binary form of single values."""
    return number.to_bytes(8, "little", signed=True)


def _summary(values: Sequence[int]) -> Json:
    return {
        "contains_null": False,
        "contains_nan": None,
        "lower_bound": eight(min(values)),
        "upper_bound": eight(max(values)),
    }


def highest_id(part: Any) -> int:
    """Return the highest field id in a schema."""
    if isinstance(part, dict):
        own = [part[key] for key in ("id", "element-id", "key-id", "value-id") if key in part]
        return max([*own, *(highest_id(value) for value in part.values())], default=0)
    if isinstance(part, list):
        return max((highest_id(entry) for entry in part), default=0)
    return 0
