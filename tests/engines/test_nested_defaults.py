"""Defaults of lists and maps, in every engine: constants of more than one value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import projector
from projector.engines.plain_rows import to_plain_rows

STRUCT = {"type": "struct", "fields": [{"id": 20, "name": "q", "type": "int", "required": False}]}
ID = "f79c3e09-677c-4bbd-a479-3f349cb785e7"


def listed(element: Any) -> dict[str, Any]:
    return {"type": "list", "element-id": 10, "element": element, "element-required": False}


def mapped(key: Any, value: Any) -> dict[str, Any]:
    return {"type": "map", "key-id": 11, "key": key, "value-id": 12, "value": value, "value-required": False}


CASES: list[tuple[Any, Any, Any]] = [
    (listed("int"), [], []),
    (listed("int"), [None, 1], [None, 1]),
    (listed("boolean"), [True, None], [True, None]),
    (listed("string"), ["it's", "a, b", "", "null", '"', None], ["it's", "a, b", "", "null", '"', None]),
    (listed("date"), ["1970-01-02", None], [1, None]),
    (listed("time"), ["00:00:01.000002"], [1_000_002]),
    (listed("timestamp"), ["1970-01-01T00:00:01"], [1_000_000]),
    (listed("timestamptz_ns"), ["1970-01-01T00:00:00.000000001+00:00"], [1]),
    (listed("uuid"), [ID, None], [UUID(ID), None]),
    (listed("binary"), ["00ff", ""], [b"\x00\xff", b""]),
    (listed(STRUCT), [{"20": 5}, None], [{"q": 5}, None]),
    (mapped("string", "int"), {"keys": [], "values": []}, []),
    (mapped("string", "date"), {"keys": ["a", "b'"], "values": ["1970-01-02", None]}, [("a", 1), ("b'", None)]),
    (mapped("int", listed("uuid")), {"keys": [1], "values": [[ID]]}, [(1, [UUID(ID)])]),
]


@pytest.mark.parametrize("engine", ["arrow", "rows", "polars", "duckdb"])
@pytest.mark.parametrize(("field_type", "default", "expected"), CASES)
def test_every_row_of_an_old_file_has_the_default(
    tmp_path: Path, engine: str, field_type: Any, default: Any, expected: Any
) -> None:
    old = {"id": 1, "name": "a", "type": "int", "required": False}
    new = {"id": 2, "name": "c", "type": field_type, "required": False, "initial-default": default}
    schema = projector.Schema.from_json(json.dumps({"type": "struct", "fields": [old, new]}))
    file = tmp_path / "old.parquet"
    stored = pa.schema([pa.field("a", pa.int32(), metadata={"PARQUET:field_id": "1"})])
    pq.write_table(pa.table([pa.array([1, 2, None], pa.int32())], schema=stored), file)
    scan = projector.read_files(file, schema=schema)
    assert to_plain_rows(scan.to_arrow(engine), schema) == [{"a": a, "c": expected} for a in (1, 2, None)]


def test_a_view_and_a_frame_have_them_too(tmp_path: Path) -> None:
    new = {"id": 2, "name": "c", "type": listed("date"), "required": False, "initial-default": ["1970-01-02", None]}
    schema = projector.Schema.from_json(json.dumps({"type": "struct", "fields": [new]}))
    file = tmp_path / "old.parquet"
    stored = pa.schema([pa.field("a", pa.int32(), metadata={"PARQUET:field_id": "1"})])
    pq.write_table(pa.table([pa.array([1, 2], pa.int32())], schema=stored), file)
    scan = projector.read_files(file, schema=schema)
    query = "SELECT count(*) FROM v WHERE c = [DATE '1970-01-02', NULL]"
    assert scan.to_duckdb("v").execute(query).fetchall() == [(2,)]
    assert scan.to_polars()["c"].list.len().to_list() == [2, 2]
