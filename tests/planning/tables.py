"""A small writer of Iceberg tables of versions 2 and 3, deletes and statistics included, for the tests of scans.

table = TableBuilder(folder, schema)
file = table.append([{"id": 1}, {"id": 2}])          # one data file, one manifest, one snapshot
table.evolve(new_schema)
table.delete_positions([(file, 0)])
table.load().scan(...)
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
from pyroaring import BitMap64

import projector
from projector.api.table import Table
from projector.engines.plain_rows import from_plain_rows
from projector.metadata.transforms import parse_transform, result_type
from projector.schema.binary_values import encode_bound
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from tests.metadata.build import LIST_V3, entry, manifest_schema, optional, write_avro
from tests.metadata.build import field as avro_field

Json = dict[str, Any]
Row = dict[str, Any]

BOUNDED = (
    BooleanType, IntegerType, LongType, FloatType, DoubleType, DecimalType, DateType, TimeType, TimestampType,
    TimestamptzType, StringType, UUIDType, FixedType, BinaryType,
)  # fmt: skip


@dataclass
class TableBuilder:
    """A table on its way through its history; every change writes a metadata file.

    `spec` is a list of (source id, partition field id, name, transform).
    """

    folder: Path
    schema: Schema
    format_version: int = 2
    spec: Sequence[tuple[int, int, str, str]] = ()
    schemas: list[Schema] = field(default_factory=list)
    specs: list[Sequence[tuple[int, int, str, str]]] = field(default_factory=list)
    snapshots: list[Json] = field(default_factory=list)
    manifests: list[Json] = field(default_factory=list)
    refs: dict[str, Json] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    sequence: int = 0
    next_row_id: int = 0
    files: int = 0

    def __post_init__(self) -> None:
        (self.folder / "metadata").mkdir(parents=True, exist_ok=True)
        (self.folder / "data").mkdir(exist_ok=True)
        self.schemas.append(self.schema)
        self.specs.append(self.spec)

    # ------------------------------------------------------------------------------------------------------ history

    def evolve(self, schema: Schema) -> None:
        self.schema = Schema(schema.fields, len(self.schemas), schema.identifier_field_ids)
        self.schemas.append(self.schema)

    def partition_by(self, *spec: tuple[int, int, str, str]) -> None:
        self.spec = spec
        self.specs.append(spec)

    def append(self, *batches: Sequence[Row], partition: Mapping[str, Any] | None = None, **how: Any) -> str:
        """One data file for each list of rows; the path of the last one."""
        records = [self.data_file(rows, partition, **how) for rows in batches]
        self.commit(0, records)
        return str(records[-1]["data_file"]["file_path"])

    def data_file(
        self,
        rows: Sequence[Row],
        partition: Mapping[str, Any] | None = None,
        *,
        content: bytes | None = None,
        bounds: bool = True,
        change: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Json:
        """Write a data file under the current schema; its manifest record."""
        path = self.new_path("parquet")
        if content is None:
            pq.write_table(pa.Table.from_batches([from_plain_rows(list(rows), self.schema)]), path, **options)
        else:
            Path(path).write_bytes(content)
        metrics = file_metrics(rows, self.schema) if bounds else {}
        fields: Json = {"partition": dict(partition or {}), "record_count": len(rows), "split_offsets": [4], **metrics}
        return entry(path, **{"file_size_in_bytes": Path(path).stat().st_size, **fields, **(change or {})})

    def delete_positions(
        self,
        positions: Sequence[tuple[str, int]],
        partition: Mapping[str, Any] | None = None,
        spec_id: int | None = None,
        **change: Any,
    ) -> str:
        """A position delete file; returns its path."""
        rows = sorted(positions)
        path = self.new_path("parquet")
        names = pa.schema(
            [
                pa.field("file_path", pa.string(), False, metadata={"PARQUET:field_id": "2147483546"}),
                pa.field("pos", pa.int64(), False, metadata={"PARQUET:field_id": "2147483545"}),
            ]
        )
        columns = {"file_path": [p for p, _ in rows], "pos": [n for _, n in rows]}
        pq.write_table(pa.table(columns, schema=names), path)
        size = Path(path).stat().st_size
        fields: Json = {"content": 1, "partition": dict(partition or {}), "record_count": len(rows)}
        fields |= {"file_size_in_bytes": size, **change}
        self.commit(1, [entry(path, **fields)], spec_id)
        return path

    def delete_vectors(self, vectors: Mapping[str, Sequence[int]], **change: Any) -> str:
        """One Puffin file with a deletion vector for each data file; returns its path."""
        path = self.new_path("puffin")
        content = b"PFA1"
        size = len(b"PFA1" + b"PFA1{}") + sum(len(vector_blob(positions)) for positions in vectors.values())
        records = []
        for data_file, positions in vectors.items():
            blob = vector_blob(positions)
            fields: Json = {
                "content": 1,
                "file_format": "PUFFIN",
                "record_count": len(set(positions)),
                "referenced_data_file": data_file,
                "content_offset": len(content),
                "content_size_in_bytes": len(blob),
                "partition": {},
                "file_size_in_bytes": size,
                **change,
            }
            records.append(entry(path, **fields))
            content += blob
        Path(path).write_bytes(content + b"PFA1{}")
        self.commit(1, records)
        return path

    def delete_equal(
        self,
        rows: Sequence[Row],
        schema: Schema,
        ids: Sequence[int] | None = None,
        partition: Mapping[str, Any] | None = None,
        **change: Any,
    ) -> str:
        """An equality delete file with the columns of `schema`, compared on `ids` (all of them if not given)."""
        path = self.new_path("parquet")
        pq.write_table(pa.Table.from_batches([from_plain_rows(list(rows), schema)]), path)
        fields: Json = {
            "content": 2,
            "equality_ids": list(ids) if ids is not None else [f.field_id for f in schema.fields],
            "partition": dict(partition or {}),
            "record_count": len(rows),
            "file_size_in_bytes": Path(path).stat().st_size,
            **change,
        }
        self.commit(1, [entry(path, **fields)])
        return path

    def commit(self, content: int, records: Sequence[Json], spec_id: int | None = None, **change: Any) -> None:
        """A manifest of some records, and a snapshot that adds it."""
        self.sequence += 1
        snapshot_id = self.sequence * 10
        spec_id = len(self.specs) - 1 if spec_id is None else spec_id
        manifest = self.write_manifest(content, records, spec_id, snapshot_id)
        rows = sum(r["data_file"]["record_count"] for r in records)
        self.manifests.append(
            {
                "manifest_path": manifest,
                "manifest_length": Path(manifest).stat().st_size,
                "partition_spec_id": spec_id,
                "content": content,
                "sequence_number": self.sequence,
                "min_sequence_number": self.sequence,
                "added_snapshot_id": snapshot_id,
                "added_files_count": sum(r["status"] == 1 for r in records),
                "existing_files_count": sum(r["status"] == 0 for r in records),
                "deleted_files_count": sum(r["status"] == 2 for r in records),
                "added_rows_count": rows,
                "existing_rows_count": 0,
                "deleted_rows_count": 0,
                "partitions": self.summaries(records, spec_id),
                "first_row_id": self.next_row_id if self.format_version >= 3 and content == 0 else None,
                **change,
            }
        )
        first_row_id = self.next_row_id
        if content == 0:
            self.next_row_id += rows
        listed = str(self.folder / f"metadata/snap-{snapshot_id}.avro")
        write_avro(Path(listed), LIST_V3, self.manifests)
        lineage = {"first-row-id": first_row_id, "added-rows": self.next_row_id - first_row_id}
        self.snapshots.append(
            {
                "snapshot-id": snapshot_id,
                "sequence-number": self.sequence,
                "timestamp-ms": 1_000_000 + self.sequence * 1000,
                "manifest-list": listed,
                "summary": {"operation": "append"},
                "schema-id": self.schema.schema_id,
                **(lineage if self.format_version >= 3 else {}),
            }
        )

    def new_path(self, ending: str) -> str:
        self.files += 1
        return str(self.folder / f"data/{self.files:05}.{ending}")

    # ------------------------------------------------------------------------------------------------------ writing

    def partition_types(self, spec_id: int) -> list[IcebergType]:
        newest = {i: f.field_type for schema in self.schemas for i, f in schema.fields_by_id.items()}
        found: list[IcebergType] = []
        for source, _, _, text in self.specs[spec_id]:
            transform = parse_transform(text)
            found.append(StringType() if str(transform) == "void" else result_type(transform, newest[source]))
        return found

    def write_manifest(self, content: int, records: Sequence[Json], spec_id: int, snapshot_id: int) -> str:
        spec = self.specs[spec_id]
        columns = [
            avro_field(field_id, name, optional(avro_type(kind, name)))
            for (_, field_id, name, _), kind in zip(spec, self.partition_types(spec_id), strict=True)
        ]
        path = self.folder / f"metadata/m-{snapshot_id}.avro"
        header = {
            "schema": json.dumps(self.schema.to_json_dict()),
            "schema-id": str(self.schema.schema_id),
            "partition-spec": json.dumps(spec_json(spec)),
            "partition-spec-id": str(spec_id),
            "format-version": str(self.format_version),
            "content": "deletes" if content else "data",
        }
        return write_avro(path, manifest_schema(*columns), [stored(r) for r in records], metadata=header)

    def summaries(self, records: Sequence[Json], spec_id: int) -> list[Json]:
        found: list[Json] = []
        for (_, _, name, _), kind in zip(self.specs[spec_id], self.partition_types(spec_id), strict=True):
            values = [r["data_file"]["partition"].get(name) for r in records]
            known = [v for v in values if v is not None and v == v]
            found.append(
                {
                    "contains_null": None in values,
                    "contains_nan": any(v != v for v in values),
                    "lower_bound": encode_bound(min(known), kind) if known else None,
                    "upper_bound": encode_bound(max(known), kind) if known else None,
                }
            )
        return found

    def metadata(self) -> Json:
        highest = max(schema.highest_field_id for schema in self.schemas)
        refs = dict(self.refs)
        if self.snapshots:
            refs["main"] = {"snapshot-id": self.snapshots[-1]["snapshot-id"], "type": "branch"}
        return {
            "format-version": self.format_version,
            "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
            "location": str(self.folder),
            "last-sequence-number": self.sequence,
            "last-updated-ms": 1_000_000 + self.sequence * 1000,
            "last-column-id": highest,
            "current-schema-id": self.schema.schema_id,
            "schemas": [schema.to_json_dict() for schema in self.schemas],
            "default-spec-id": len(self.specs) - 1,
            "partition-specs": [{"spec-id": i, "fields": spec_json(spec)} for i, spec in enumerate(self.specs)],
            "last-partition-id": max([999, *(part[1] for spec in self.specs for part in spec)]),
            "default-sort-order-id": 0,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "properties": self.properties,
            "current-snapshot-id": self.snapshots[-1]["snapshot-id"] if self.snapshots else -1,
            "refs": refs,
            "snapshots": self.snapshots,
            "snapshot-log": [
                {"timestamp-ms": s["timestamp-ms"], "snapshot-id": s["snapshot-id"]} for s in self.snapshots
            ],
            "metadata-log": [],
            **({"next-row-id": self.next_row_id} if self.format_version >= 3 else {}),
        }

    def load(self, **change: Any) -> Table:
        """Write the metadata and load the table."""
        path = self.folder / f"metadata/v{self.sequence + 1}.metadata.json"
        path.write_text(json.dumps({**self.metadata(), **change}))
        return projector.load_table(str(path))


def stored(record: Json) -> Json:
    """A manifest record as fastavro takes it: uuids as bytes."""
    data_file = record["data_file"]
    partition = {k: v.bytes if isinstance(v, UUID) else v for k, v in data_file["partition"].items()}
    return {**record, "data_file": {**data_file, "partition": partition}}


def spec_json(spec: Sequence[tuple[int, int, str, str]]) -> list[Json]:
    return [{"source-id": s, "field-id": i, "name": n, "transform": t} for s, i, n, t in spec]


def avro_type(kind: IcebergType, name: str) -> Any:
    match kind:
        case BooleanType():
            return "boolean"
        case IntegerType():
            return "int"
        case LongType():
            return "long"
        case FloatType():
            return "float"
        case DoubleType():
            return "double"
        case DateType():
            return {"type": "int", "logicalType": "date"}
        case TimestampType() | TimestamptzType():
            return {
                "type": "long",
                "logicalType": "timestamp-micros",
                "adjust-to-utc": isinstance(kind, TimestamptzType),
            }
        case StringType():
            return "string"
        case BinaryType():
            return "bytes"
        case UUIDType():
            return {"type": "fixed", "logicalType": "uuid", "size": 16, "name": f"uuid_{name}"}
        case UUIDType():
            return {"type": "fixed", "size": 16, "logicalType": "uuid", "name": f"uuid_{name}"}
        case FixedType(length):
            return {"type": "fixed", "size": length, "name": f"fixed_{name}"}
        case DecimalType(precision, scale):
            decimal = {"type": "fixed", "logicalType": "decimal", "size": 16, "name": f"decimal_{name}"}
            return {**decimal, "precision": precision, "scale": scale}
    raise AssertionError(kind)


def leaves(schema: Schema) -> Iterator[tuple[tuple[str, ...], NestedField]]:
    """Primitive fields outside lists and maps, with their paths."""

    def below(fields: Sequence[NestedField], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], NestedField]]:
        for f in fields:
            if isinstance(f.field_type, StructType):
                yield from below(f.field_type.fields, (*path, f.name))
            elif isinstance(f.field_type, BOUNDED):
                yield (*path, f.name), f

    return below(schema.fields, ())


def value_at(row: Any, path: Sequence[str]) -> Any:
    for name in path:
        row = None if row is None else row[name]
    return row


def file_metrics(rows: Sequence[Row], schema: Schema) -> Json:
    """Counts and bounds as a writer that keeps whole values records them (spec: Field-level Metrics)."""
    maps: dict[str, list[Json]] = {
        name: [] for name in ("value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds")
    }
    for path, f in leaves(schema):
        values = [value_at(row, path) for row in rows]
        known = [v for v in values if v is not None]
        maps["value_counts"].append({"key": f.field_id, "value": len(values)})
        maps["null_value_counts"].append({"key": f.field_id, "value": len(values) - len(known)})
        if isinstance(f.field_type, FloatType | DoubleType):
            nans = sum(math.isnan(v) for v in known)
            maps["nan_value_counts"].append({"key": f.field_id, "value": nans})
            known = [v for v in known if not math.isnan(v)]
        if known:
            low, high = min(known), max(known)
            maps["lower_bounds"].append({"key": f.field_id, "value": encode_bound(low, f.field_type)})
            maps["upper_bounds"].append({"key": f.field_id, "value": encode_bound(high, f.field_type)})
    return maps


def vector_blob(positions: Sequence[int], magic: bytes = b"\xd1\xd3\x39\x64") -> bytes:
    """A `deletion-vector-v1` blob (Puffin spec)."""
    body = magic + BitMap64(positions).serialize()
    return struct.pack(">I", len(body)) + body + struct.pack(">I", zlib.crc32(body))
