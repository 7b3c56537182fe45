"""Snapshots, tags, branches and times, each with its schema (spec: Point in Time Reads, Snapshot References)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from projector.api.table import Table
from projector.errors import NotFoundError, ParseError, ProjectorError
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, LongType, NestedField, StringType
from tests.planning.tables import TableBuilder

ID = NestedField(1, "id", IntegerType())


@pytest.fixture
def table(tmp_path: Path) -> TableBuilder:
    """10: id, v. 20: v is w, and a key is deleted. 30: w is dropped, z added, id is a long, partitioned by id."""
    builder = TableBuilder(tmp_path, Schema((ID, NestedField(2, "v", StringType()))), 3)
    builder.append([{"id": 1, "v": "a"}, {"id": 2, "v": "b"}])
    builder.evolve(Schema((ID, NestedField(2, "w", StringType()))))
    builder.delete_equal([{"id": 1}], Schema((ID,)))
    builder.evolve(Schema((NestedField(1, "id", LongType()), NestedField(3, "z", StringType(), initial_default="?"))))
    builder.partition_by((1, 1000, "id_trunc", "truncate[10]"))
    builder.append([{"id": 2**40, "z": "c"}], partition={"id_trunc": 2**40 - 2**40 % 10})
    builder.refs = {
        "first": {"snapshot-id": 10, "type": "tag"},
        "audit": {"snapshot-id": 10, "type": "branch"},
        "second": {"snapshot-id": 20, "type": "tag"},
    }
    return builder


def rows(table: Table, row_filter: str | None = None, **point: Any) -> list[dict[str, Any]]:
    scan = table.scan(row_filter, **point)
    found = scan.to_arrow().to_pylist()
    assert found == scan.to_arrow("rows").to_pylist()
    assert scan.count() == len(found)
    return found


def test_each_point_is_read_with_its_own_schema(table: TableBuilder) -> None:
    loaded = table.load()
    first = [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}]
    assert rows(loaded, snapshot_id=10) == rows(loaded, ref="first") == first
    assert rows(loaded, snapshot_id=20) == rows(loaded, ref="second") == [{"id": 2, "w": "b"}]
    assert rows(loaded) == [{"id": 2, "z": "?"}, {"id": 2**40, "z": "c"}]
    assert rows(loaded, ref="main") == rows(loaded)
    # a branch has the table's schema, though its snapshot was written under another
    assert rows(loaded, ref="audit") == [{"id": 1, "z": "?"}, {"id": 2, "z": "?"}]


def test_filters_are_bound_to_the_schema_of_the_point(table: TableBuilder) -> None:
    loaded = table.load()
    assert rows(loaded, "v = 'b'", snapshot_id=10) == [{"id": 2, "v": "b"}]
    assert rows(loaded, "w = 'b'", ref="second") == [{"id": 2, "w": "b"}]
    assert rows(loaded, "id < 2147483648", ref="first") == rows(loaded, ref="first")
    assert rows(loaded, "z = '?' and id > 1", ref="audit") == [{"id": 2, "z": "?"}]
    for wrong, point in (("w = 'b'", {"snapshot_id": 10}), ("v = 'b'", {"ref": "audit"}), ("v = 'b'", {})):
        with pytest.raises(NotFoundError):
            loaded.scan(wrong, **point)


def test_a_time_goes_by_the_snapshot_log(table: TableBuilder) -> None:
    loaded = table.load()
    at = [snapshot.timestamp_ms for snapshot in loaded.snapshots]
    assert rows(loaded, as_of=at[0]) == rows(loaded, snapshot_id=10)
    assert rows(loaded, as_of=at[1] - 1) == rows(loaded, snapshot_id=10)
    assert rows(loaded, as_of=at[1]) == rows(loaded, snapshot_id=20)
    assert rows(loaded, as_of=datetime.fromtimestamp(at[1] / 1000, UTC)) == rows(loaded, snapshot_id=20)
    assert rows(loaded, as_of=datetime.fromtimestamp(at[1] / 1000, UTC).isoformat()) == rows(loaded, snapshot_id=20)
    with pytest.raises(NotFoundError, match="the snapshot log begins at"):
        loaded.scan(as_of=at[0] - 1)
    # after a rollback the log names the older snapshot again
    log = [*loaded.metadata.raw["snapshot-log"], {"timestamp-ms": at[2] + 5, "snapshot-id": 10}]
    back = table.load(**{"snapshot-log": log, "current-snapshot-id": 10, "refs": {}})
    assert rows(back, as_of=at[2] + 4)[0].keys() == {"id", "z"}
    assert rows(back, as_of=at[2] + 5) == rows(loaded, snapshot_id=10)


def test_a_snapshot_whose_schema_id_is_above_the_current_one(table: TableBuilder) -> None:
    # the table went back to its first schema; the last snapshot keeps the third
    loaded = table.load(**{"current-schema-id": 0})
    assert rows(loaded, snapshot_id=30) == [{"id": 2, "z": "?"}, {"id": 2**40, "z": "c"}]
    assert rows(loaded, snapshot_id=10) == [{"id": 1, "v": "a"}, {"id": 2, "v": "b"}]
    assert rows(loaded, "v = 'b'", ref="audit") == [{"id": 2, "v": "b"}]


def test_a_snapshot_that_records_no_schema_is_read_with_the_current_one(table: TableBuilder) -> None:
    snapshots = [{k: v for k, v in node.items() if k != "schema-id"} for node in table.metadata()["snapshots"]]
    assert rows(table.load(snapshots=snapshots), snapshot_id=10) == [{"id": 1, "z": "?"}, {"id": 2, "z": "?"}]


def test_specs_that_are_newer_than_the_snapshot(table: TableBuilder) -> None:
    loaded = table.load()
    scan = loaded.scan("id = 2", ref="first", selected_fields=("id", "_spec_id", "_partition"))
    assert scan.to_arrow().to_pylist() == [{"id": 2, "_spec_id": 0, "_partition": {"id_trunc": None}}]


@pytest.mark.parametrize(
    "point", [{"snapshot_id": 99}, {"ref": "nope"}, {"as_of": 0}, {"as_of": "1970-01-01"}, {"ref": ""}]
)
def test_unknown_points(table: TableBuilder, point: dict[str, Any]) -> None:
    with pytest.raises(NotFoundError):
        table.load().scan(**point)


def test_one_point_at_most(table: TableBuilder) -> None:
    with pytest.raises(ProjectorError, match="Cannot combine"):
        table.load().scan(snapshot_id=10, ref="first")
    with pytest.raises(ParseError, match="Invalid time"):
        table.load().scan(as_of="yesterday")


def test_a_scan_is_pinned(table: TableBuilder) -> None:
    loaded = table.load()
    scan = loaded.scan()
    before = scan.to_arrow().to_pylist()
    table.append([{"id": 5, "z": "later"}], partition={"id_trunc": 0})
    table.load()
    assert scan.to_arrow().to_pylist() == before


def test_a_table_without_a_snapshot(tmp_path: Path) -> None:
    empty = TableBuilder(tmp_path, Schema((ID,)), 2).load()
    assert rows(empty) == rows(empty, "id = 1") == []
    assert empty.scan().plan_files().tasks == ()
    assert [f.name for f in empty.scan(selected_fields=("id", "_pos")).schema().fields] == ["id", "_pos"]
    with pytest.raises(NotFoundError):
        empty.scan(ref="main")
