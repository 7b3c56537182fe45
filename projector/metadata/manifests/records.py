"""Decode the records of manifests and manifest lists: which fields are read, and how."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from typing import Any

from projector.errors import CorruptFileError
from projector.files.storage.storage import RandomAccess
from projector.metadata.avro.file import AvroHeader, read_blocks
from projector.metadata.avro.records import Decoder, compile_decoder
from projector.metadata.avro.schema import Field, PartitionColumn, Rewriter
from projector.metadata.manifests.model import (
    DataFile,
    EntryStatus,
    FieldSummary,
    FileContent,
    ManifestContent,
    ManifestEntry,
    ManifestFile,
    Metrics,
)
from projector.schema.types import IcebergType

_INTEGERS = ("long", "int")
_BYTES = ("bytes", "fixed")


def _fields(*fields: Field) -> dict[int, Field]:
    return {f.field_id: f for f in fields}


_SUMMARY = _fields(
    Field(509, "contains_null", ("boolean",), required=True),
    Field(518, "contains_nan", ("boolean",)),
    Field(510, "lower_bound", _BYTES),
    Field(511, "upper_bound", _BYTES),
)
_MANIFEST_FILE = _fields(
    Field(500, "manifest_path", ("string",), required=True),
    Field(501, "manifest_length", _INTEGERS, required=True),
    Field(502, "partition_spec_id", _INTEGERS, required=True),
    Field(517, "content", _INTEGERS),
    Field(515, "sequence_number", _INTEGERS),
    Field(516, "min_sequence_number", _INTEGERS),
    Field(503, "added_snapshot_id", _INTEGERS),
    Field(504, "added_files_count", _INTEGERS),
    Field(505, "existing_files_count", _INTEGERS),
    Field(506, "deleted_files_count", _INTEGERS),
    Field(512, "added_rows_count", _INTEGERS),
    Field(513, "existing_rows_count", _INTEGERS),
    Field(514, "deleted_rows_count", _INTEGERS),
    Field(507, "partitions", holds="records", inner=_SUMMARY),
    Field(519, "key_metadata", _BYTES),
    Field(520, "first_row_id", _INTEGERS),
)
_DATA_FILE = _fields(
    Field(134, "content", _INTEGERS),
    Field(100, "file_path", ("string",), required=True),
    Field(101, "file_format", ("string",), required=True),
    Field(102, "partition", holds="partition"),
    Field(103, "record_count", _INTEGERS, required=True),
    Field(104, "file_size_in_bytes", _INTEGERS, required=True),
    Field(108, "column_sizes", _INTEGERS, holds="pairs"),
    Field(109, "value_counts", _INTEGERS, holds="pairs"),
    Field(110, "null_value_counts", _INTEGERS, holds="pairs"),
    Field(137, "nan_value_counts", _INTEGERS, holds="pairs"),
    Field(125, "lower_bounds", _BYTES, holds="pairs"),
    Field(128, "upper_bounds", _BYTES, holds="pairs"),
    Field(131, "key_metadata", _BYTES),
    Field(132, "split_offsets", _INTEGERS, holds="list"),
    Field(135, "equality_ids", _INTEGERS, holds="list"),
    Field(140, "sort_order_id", _INTEGERS),
    Field(142, "first_row_id", _INTEGERS),
    Field(143, "referenced_data_file", ("string",)),
    Field(144, "content_offset", _INTEGERS),
    Field(145, "content_size_in_bytes", _INTEGERS),
)
_ENTRY = _fields(
    Field(0, "status", _INTEGERS, required=True),
    Field(1, "snapshot_id", _INTEGERS),
    Field(3, "sequence_number", _INTEGERS),
    Field(4, "file_sequence_number", _INTEGERS),
    Field(2, "data_file", holds="record", required=True, inner=_DATA_FILE),
)


@dataclass(frozen=True, slots=True)
class Layout:
    """How the records of a file are decoded: a schema for fastavro, and the partition tuple's columns and types.

    A `decoder`, if set, replaces fastavro.
    """

    schema: Any
    decoder: Decoder | None = None
    columns: tuple[PartitionColumn, ...] = ()
    types: Mapping[int, IcebergType] = field(default_factory=dict)


def list_layout(header: AvroHeader, path: str) -> Layout:
    """Return how a manifest list is decoded. Raises `CorruptFileError`."""
    try:
        return _compiled(header.metadata["avro.schema"], None)
    except CorruptFileError as error:
        raise CorruptFileError(error.message, file=path) from None


def manifest_layout(header: AvroHeader, path: str) -> Layout:
    """Return how a manifest is decoded. Raises `CorruptFileError`."""
    try:
        return _compiled(header.metadata["avro.schema"], header.metadata.get("partition-spec", b"[]"))
    except CorruptFileError as error:
        raise CorruptFileError(error.message, file=path) from None


@lru_cache(maxsize=64)
def _compiled(schema_text: bytes, spec_text: bytes | None) -> Layout:
    """Return the layout of a writer's schema; a table's manifests have few different ones."""
    from fastavro import parse_schema

    try:
        schema = json.loads(schema_text)
        if spec_text is None:
            return Layout(parse_schema(Rewriter().record(schema, _MANIFEST_FILE, "manifest_file")))
        rewriter = Rewriter(_spec_fields(spec_text))
        plain = rewriter.record(schema, _ENTRY, "manifest_entry")
        record, decoder = parse_schema(plain), compile_decoder(plain)
    except CorruptFileError:
        raise
    except Exception as error:  # a damaged schema can be anything
        what = " ".join(str(error).split()) or type(error).__name__
        raise CorruptFileError(f"The Avro schema is damaged: {what}") from None
    types = {column.field_id: column.type for column in rewriter.partition}
    return Layout(record, decoder, rewriter.partition, types)


def _spec_fields(text: bytes) -> tuple[tuple[str, int], ...]:
    """Return names and ids of the partition fields by the manifest's own spec, for Avro fields without ids."""
    try:
        nodes = json.loads(text)
        return tuple((str(node["name"]), int(node.get("field-id", 1000 + i))) for i, node in enumerate(nodes))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ()


def read_records(source: RandomAccess, header: AvroHeader, layout: Layout) -> Iterator[dict[str, Any]]:
    """Yield the records of a file, decoded by its layout. Raises `CorruptFileError`."""
    decode = layout.decoder or _with_fastavro(layout.schema)
    for count, data in read_blocks(source, header):
        position = 0
        for _ in range(count):
            try:
                record, position = decode(data, position)
            except Exception as error:  # fastavro raises whatever damaged bytes lead to
                what = " ".join(str(error).split()) or type(error).__name__
                raise CorruptFileError(f"A record cannot be decoded: {what}", file=source.path) from None
            yield record
        if position != len(data):
            left = len(data) - position
            raise CorruptFileError(f"A block of {count} records has {left} bytes left", file=source.path)


def _with_fastavro(schema: Any) -> Decoder:
    from fastavro import schemaless_reader

    stream, current = BytesIO(), b""

    def decode(data: bytes, position: int) -> tuple[Any, int]:
        nonlocal stream, current
        if data is not current:
            stream, current = BytesIO(data), data
        return schemaless_reader(stream, schema, None), stream.tell()

    return decode


def manifest_file(record: Mapping[str, Any], path: str) -> ManifestFile:
    """Return a manifest from a record of a manifest list. Raises `CorruptFileError`."""
    get = record.get
    summaries = get("partitions")
    return ManifestFile(
        path=_required(record, "manifest_path", path),
        length=_required(record, "manifest_length", path),
        spec_id=_required(record, "partition_spec_id", path),
        content=_choice(ManifestContent, get("content"), "content", path),
        sequence_number=get("sequence_number") or 0,
        min_sequence_number=get("min_sequence_number") or 0,
        added_snapshot_id=get("added_snapshot_id"),
        added_files_count=get("added_files_count"),
        existing_files_count=get("existing_files_count"),
        deleted_files_count=get("deleted_files_count"),
        added_rows_count=get("added_rows_count"),
        existing_rows_count=get("existing_rows_count"),
        deleted_rows_count=get("deleted_rows_count"),
        partitions=None if summaries is None else tuple(_summary(s) for s in summaries),
        key_metadata=get("key_metadata"),
        first_row_id=get("first_row_id"),
    )


def _summary(record: Mapping[str, Any]) -> FieldSummary:
    # if a writer did not say, nulls must be expected
    contains_null = record.get("contains_null")
    return FieldSummary(
        True if contains_null is None else contains_null,
        record.get("contains_nan"),
        record.get("lower_bound"),
        record.get("upper_bound"),
    )


def manifest_entry(
    record: Mapping[str, Any], manifest: ManifestFile, layout: Layout, next_row_id: int | None, path: str
) -> tuple[ManifestEntry, int | None]:
    """Return an entry from a record of a manifest, with what it inherits, and the next first row id.

    Raises `CorruptFileError`.
    """
    status = _STATUS.get(record["status"])
    if status is None:
        status = _choice(EntryStatus, _required(record, "status", path), "status", path)
    node = record["data_file"]
    if node is None:
        node = _required(record, "data_file", path)
    get = node.get
    content = _CONTENT.get(get("content") or 0)
    if content is None:
        content = _choice(FileContent, get("content"), "content", path)
    file_path, file_format = node["file_path"], node["file_format"]
    record_count, file_size = node["record_count"], node["file_size_in_bytes"]
    if file_path is None or file_format is None or record_count is None or file_size is None:
        for name in ("file_path", "file_format", "record_count", "file_size_in_bytes"):
            _required(node, name, path)
    if record_count < 0:
        raise CorruptFileError(f"A data file has the record count {record_count}", file=path)
    first_row_id = None
    if next_row_id is not None and content is FileContent.DATA:
        first_row_id = get("first_row_id")
        if first_row_id is None and status is not EntryStatus.DELETED:
            first_row_id = next_row_id
            next_row_id += record_count
    # version 1 has no sequence numbers, which means 0; from version 2 on only added files inherit theirs
    inherited = manifest.sequence_number if status is EntryStatus.ADDED or manifest.sequence_number == 0 else None
    data_number, file_number = record.get("sequence_number"), record.get("file_sequence_number")
    snapshot_id = record.get("snapshot_id")
    data_file = DataFile(
        content,
        file_path,
        file_format if file_format == "PARQUET" else file_format.upper(),
        manifest.spec_id,
        _partition(get("partition"), layout, path),
        layout.types,
        record_count,
        file_size,
        Metrics(node, path),
        get("key_metadata"),
        _numbers(get("split_offsets")),
        _numbers(get("equality_ids")),
        get("sort_order_id"),
        first_row_id,
        get("referenced_data_file"),
        get("content_offset"),
        get("content_size_in_bytes"),
    )
    entry = ManifestEntry(
        status,
        manifest.added_snapshot_id if snapshot_id is None else snapshot_id,
        inherited if data_number is None else data_number,
        inherited if file_number is None else file_number,
        data_file,
    )
    return entry, next_row_id


_STATUS = {int(status): status for status in EntryStatus}
_CONTENT = {int(content): content for content in FileContent}


def _partition(stored: Mapping[str, Any] | None, layout: Layout, path: str) -> dict[int, Any]:
    values: dict[int, Any] = {}
    for column in layout.columns:
        value = None if stored is None else stored[column.name]
        if value is not None and column.convert is not None:
            try:
                value = column.convert(value)
            except ValueError as error:
                raise CorruptFileError(
                    f"A value of partition field {column.field_id} is no {column.type}: {error}", file=path
                ) from None
        values[column.field_id] = value
    return values


def _numbers(stored: list[int | None] | None) -> tuple[int, ...] | None:
    return None if stored is None else tuple([n for n in stored if n is not None])


def _required(record: Mapping[str, Any], name: str, path: str) -> Any:
    value = record[name]
    if value is None:
        raise CorruptFileError(f"{name} is null", file=path)
    return value


def _choice(kind: Any, number: int | None, name: str, path: str) -> Any:
    try:
        return kind(number or 0)
    except ValueError:
        raise CorruptFileError(f"{name} is {number}, which means nothing", file=path) from None
