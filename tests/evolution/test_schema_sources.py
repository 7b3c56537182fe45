"""Schemas from files and from a table's history."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from projector.check.change.proposal import from_schema
from projector.errors import NotFoundError, ParseError, UnsupportedError
from projector.evolution.diff.schema_sources import (
    diff_operands,
    diff_sources,
    load_schema,
    read_schema_file,
    schema_at,
    source_from_arrow,
)
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, LongType, NestedField, StringType

INT, LONG, STRING = IntegerType(), LongType(), StringType()
CURRENT = Schema((NestedField(1, "id", LONG, True, "key"), NestedField(2, "n", INT, write_default=3)), 1, (1,))


def spec_json(*fields: dict[str, Any], schema_id: int = 0) -> dict[str, Any]:
    return {"type": "struct", "schema-id": schema_id, "fields": list(fields)}


def column(field_id: int, name: str, type_: str = "int") -> dict[str, Any]:
    return {"id": field_id, "name": name, "type": type_, "required": False}


def metadata_json() -> dict[str, Any]:
    snapshots = [
        {"snapshot-id": n, "timestamp-ms": n, "manifest-list": f"/t/{n}.avro", "summary": {"operation": "append"},
         "sequence-number": n, "schema-id": n - 10}
        for n in (10, 11)
    ]  # fmt: skip
    return {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": "/t",
        "last-sequence-number": 11,
        "last-updated-ms": 11,
        "last-column-id": 3,
        "current-schema-id": 2,
        "schemas": [
            spec_json(column(1, "a")),
            spec_json(column(1, "a", "long"), schema_id=1),
            spec_json(column(1, "a", "long"), column(3, "c"), schema_id=2),
        ],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "last-partition-id": 999,
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": {},
        "current-snapshot-id": 11,
        "refs": {
            "main": {"snapshot-id": 11, "type": "branch"},
            "old": {"snapshot-id": 10, "type": "tag"},
        },
        "snapshots": snapshots,
        "snapshot-log": [],
        "metadata-log": [],
    }


def with_ids(type_: pa.DataType, name: str, field_id: int) -> pa.Field:
    return pa.field(name, type_, metadata={"PARQUET:field_id": str(field_id)})


def test_schema_json(tmp_path: Path) -> None:
    file = tmp_path / "proposed.json"
    file.write_text(json.dumps(spec_json(column(1, "a"))))
    source = read_schema_file(str(file))
    assert (source.kind, source.has_ids, source.partial) == ("schema", True, False)
    assert source.schema.fields == (NestedField(1, "a", INT),)


@pytest.mark.parametrize("packed", [False, True])
def test_table_metadata(tmp_path: Path, packed: bool) -> None:
    text = json.dumps(metadata_json()).encode()
    file = tmp_path / "v1.metadata.json"
    file.write_bytes(gzip.compress(text) if packed else text)
    assert read_schema_file(str(file)).schema.schema_id == 2


@pytest.mark.parametrize(
    ("selector", "schema_id"),
    [
        ("current", 2), ("schema:0", 0), ("snapshot:11", 1), ("10", 0), ("old", 0), ("main", 2), ("ref:old", 0),
    ],
)  # fmt: skip
def test_history(tmp_path: Path, selector: str, schema_id: int) -> None:
    assert schema_at(TableMetadata.from_json(metadata_json()), selector).schema_id == schema_id
    folder = tmp_path / "t@x"
    (folder / "metadata").mkdir(parents=True)
    (folder / "metadata" / "v1.metadata.json").write_text(json.dumps(metadata_json()))
    assert load_schema(f"{folder}@{selector}").schema.schema_id == schema_id
    assert load_schema(str(folder)).schema.schema_id == 2


@pytest.mark.parametrize("selector", ["nope", "schema:9", "snapshot:9", "9", "ref:nope"])
def test_what_history_has_not(selector: str) -> None:
    with pytest.raises(NotFoundError):
        schema_at(TableMetadata.from_json(metadata_json()), selector)


def test_not_a_number() -> None:
    with pytest.raises(ParseError, match="Not a schema id: x"):
        schema_at(TableMetadata.from_json(metadata_json()), "schema:x")


@pytest.mark.parametrize("content", [b"", b"[1]", b"{}", b"PAR1 but nothing more", b"ARROW1\0\0", b"\x93NUMPY", b'"x"'])
def test_what_is_no_schema(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x"
    file.write_bytes(content)
    with pytest.raises(ParseError) as raised:
        read_schema_file(str(file))
    assert "\n" not in str(raised.value)


def test_parquet_and_arrow_files(tmp_path: Path) -> None:
    arrow = pa.schema([with_ids(pa.int64(), "id", 1), with_ids(pa.list_(with_ids(pa.int32(), "element", 3)), "l", 2)])
    parquet, ipc, stream = (str(tmp_path / name) for name in ("a.parquet", "a.arrow", "a.stream"))
    pq.write_table(arrow.empty_table(), parquet)
    with pa.OSFile(ipc, "wb") as sink, pa.ipc.new_file(sink, arrow):
        pass
    with pa.OSFile(stream, "wb") as sink, pa.ipc.new_stream(sink, arrow):
        pass
    for path, kind in ((parquet, "parquet"), (ipc, "arrow"), (stream, "arrow")):
        source = read_schema_file(path)
        assert (source.kind, source.has_ids, source.partial) == (kind, True, True)
        assert [(field.field_id, name) for name, field in source.schema.walk()] == [
            (1, ("id",)),
            (2, ("l",)),
            (3, ("l", "element")),
        ]
    assert diff_operands(parquet, ipc).is_empty()


def test_ids_that_are_not_on_every_field_mean_nothing() -> None:
    source = source_from_arrow(pa.schema([with_ids(pa.list_(pa.int32()), "l", 7)]))
    assert not source.has_ids
    with pytest.raises(UnsupportedError, match="has no field ids; compare by name"):
        from_schema(source, CURRENT, 2, "id")
    with pytest.raises(UnsupportedError):
        diff_sources(source, source)


def test_an_arrow_schema_is_a_proposal_by_name() -> None:
    arrow = pa.schema(
        [pa.field("n", pa.int64()), pa.field("id", pa.int64(), nullable=False), pa.field("x", pa.string())]
    )
    made, last = from_schema(source_from_arrow(arrow), CURRENT, 2).update.apply(CURRENT, 2)
    assert made.fields == (
        NestedField(2, "n", LONG, write_default=3),
        NestedField(1, "id", LONG, True, "key"),
        NestedField(3, "x", STRING),
    )
    assert (made.identifier_field_ids, last) == ((1,), 3)


def test_what_a_file_cannot_say_is_no_difference() -> None:
    source = source_from_arrow(pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("n", pa.int32())]))
    table = read_from(CURRENT)
    assert diff_sources(table, source, "name").is_empty()
    assert diff_sources(source, table, "name").is_empty()


def read_from(schema: Schema) -> Any:
    from projector.evolution.diff.schema_sources import SchemaSource

    return SchemaSource("t", "table", schema)
