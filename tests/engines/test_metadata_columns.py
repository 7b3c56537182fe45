"""Metadata columns by their reserved ids, beside a table's own (spec: Reserved Field IDs, Row Lineage)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from projector.api.table import Table
from projector.engines.duckdb.dataset import ScanDataset
from projector.engines.plain_rows import to_plain_rows
from projector.errors import NotFoundError
from projector.schema import reserved
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, LongType, NestedField, StringType, StructType
from tests.engines.reading import written
from tests.planning.opens import Opens
from tests.planning.tables import TableBuilder

ID = NestedField(1, "id", IntegerType())
P = NestedField(2, "p", StringType())
ALL = ("*", "_file", "_pos", "_spec_id", "_partition", "_deleted", "_row_id", "_last_updated_sequence_number")


def read(table: Table, fields: Sequence[Any], row_filter: str | None = None, **how: Any) -> list[dict[str, Any]]:
    """The rows of a scan, the same by both executors."""
    scan = table.scan(row_filter, selected_fields=fields, **how)
    arrow, rows = (to_plain_rows(scan.to_arrow(engine), scan.schema()) for engine in ("arrow", "rows"))
    assert arrow == rows
    assert scan.count() == len(rows)
    return rows


def two_specs(folder: Path, version: int) -> tuple[TableBuilder, list[str]]:
    table = TableBuilder(folder, Schema((ID, P)), version, [(2, 1000, "p", "identity")])
    files = [table.append([{"id": 1, "p": "a"}, {"id": 2, "p": "a"}], partition={"p": "a"})]
    table.partition_by((2, 1000, "p", "identity"), (1, 1001, "id_trunc", "truncate[10]"))
    files.append(table.append([{"id": 11, "p": None}], partition={"p": None, "id_trunc": 10}))
    return table, files


@pytest.mark.parametrize("version", [2, 3])
def test_all_of_them(tmp_path: Path, version: int) -> None:
    table, files = two_specs(tmp_path, version)
    table.delete_positions([(files[0], 0)], {"p": "a"}, 0) if version == 2 else table.delete_vectors({files[0]: [0]})
    lineage = version == 3
    own = [
        {"_file": files[0], "_pos": 0, "_spec_id": 0, "_partition": {"p": "a", "id_trunc": None}, "_deleted": True,
         "_row_id": 0 if lineage else None, "_last_updated_sequence_number": 1 if lineage else None},
        {"_file": files[0], "_pos": 1, "_spec_id": 0, "_partition": {"p": "a", "id_trunc": None}, "_deleted": False,
         "_row_id": 1 if lineage else None, "_last_updated_sequence_number": 1 if lineage else None},
        {"_file": files[1], "_pos": 0, "_spec_id": 1, "_partition": {"p": None, "id_trunc": 10}, "_deleted": False,
         "_row_id": 2 if lineage else None, "_last_updated_sequence_number": 2 if lineage else None},
    ]  # fmt: skip
    users = [{"id": 1, "p": "a"}, {"id": 2, "p": "a"}, {"id": 11, "p": None}]
    expected = [{**user, **more} for user, more in zip(users, own, strict=True)]
    assert read(table.load(), ALL) == expected
    schema = table.load().scan(selected_fields=ALL).schema()
    assert [f.field_id for f in schema.fields[2:]] == [
        reserved.FILE, reserved.POS, reserved.DELETED, reserved.SPEC_ID, reserved.ROW_ID,
        reserved.LAST_UPDATED_SEQUENCE_NUMBER, reserved.PARTITION,
    ]  # fmt: skip


def test_a_table_of_version_1_has_no_lineage(tmp_path: Path) -> None:
    table, files = two_specs(tmp_path, 2)
    metadata = {k: v for k, v in table.metadata().items() if k not in ("last-sequence-number",)}
    metadata |= {"format-version": 1, "schema": metadata["schemas"][0], "partition-spec": []}
    path = tmp_path / "metadata/v99.metadata.json"
    import json

    import projector

    path.write_text(json.dumps(metadata))
    rows = read(projector.load_table(str(path)), ("_file", "_row_id", "_last_updated_sequence_number", "_spec_id"))
    assert [row["_spec_id"] for row in rows] == [0, 0, 1]
    assert {row["_row_id"] for row in rows} == {row["_last_updated_sequence_number"] for row in rows} == {None}
    assert [row["_file"] for row in rows] == [files[0], files[0], files[1]]


def test_one_alone_and_none_of_the_table(tmp_path: Path) -> None:
    table, files = two_specs(tmp_path, 3)
    loaded = table.load()
    assert read(loaded, ("_pos",)) == [{"_pos": 0}, {"_pos": 1}, {"_pos": 0}]
    assert read(loaded, ("_file",), "id = 11") == [{"_file": files[1]}]
    assert read(loaded, ("_deleted",)) == [{"_deleted": False}] * 3


def test_names_follow_the_case_rule(tmp_path: Path) -> None:
    table, _ = two_specs(tmp_path, 3)
    loaded = table.load()
    with pytest.raises(NotFoundError, match="_FILE"):
        loaded.scan(selected_fields=("_FILE",))
    assert len(read(loaded, ("_FILE", "_Pos"), "_POS = 1", case_sensitive=False)) == 1


def test_a_column_of_the_same_name_wins(tmp_path: Path) -> None:
    mine = Schema((ID, NestedField(2, "_pos", StringType()), NestedField(3, "_file", StringType())))
    table = TableBuilder(tmp_path, mine, 3)
    file = table.append([{"id": 1, "_pos": "x", "_file": "y"}, {"id": 2, "_pos": "z", "_file": None}])
    table.delete_positions([(file, 1)])
    loaded = table.load()
    assert read(loaded, ("_pos", "_file")) == [{"_pos": "x", "_file": "y"}]
    assert read(loaded, ("id", "_pos"), "_pos = 'x'") == [{"id": 1, "_pos": "x"}]
    marked = read(loaded, ("_pos", "_deleted"))  # the executors still find the rows by their true position
    assert marked == [{"_pos": "x", "_deleted": False}, {"_pos": "z", "_deleted": True}]


def test_a_part_of_the_partition(tmp_path: Path) -> None:
    table, _ = two_specs(tmp_path, 3)
    assert read(table.load(), ("id", "_partition.id_trunc")) == [
        {"id": 1, "_partition": {"id_trunc": None}},
        {"id": 2, "_partition": {"id_trunc": None}},
        {"id": 11, "_partition": {"id_trunc": 10}},
    ]


@pytest.mark.parametrize(
    ("row_filter", "found", "files"),
    [
        ("_pos = 1", [2], 2),
        ("_pos > 0 or id = 11", [2, 11], 2),
        ("_spec_id = 1", [11], 1),
        ("_partition.p = 'a'", [1, 2], 1),
        ("_partition.p is null", [11], 1),
        ("_partition.id_trunc >= 10", [11], 1),
        ("_partition.id_trunc is null", [1, 2], 1),
        ("_row_id = 2", [11], 2),
        ("_last_updated_sequence_number < 2", [1, 2], 2),
        ("_file like '/nowhere%'", [], 0),
    ],
)
def test_filters(tmp_path: Path, row_filter: str, found: list[int], files: int) -> None:
    table, _ = two_specs(tmp_path, 3)
    loaded = table.load()
    assert [row["id"] for row in read(loaded, ("id",), row_filter)] == found
    assert len(loaded.scan(row_filter).plan_files().tasks) == files
    assert [row["id"] for row in read(loaded, ALL, row_filter)] == found


def test_a_filter_on_the_file_opens_that_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, files = two_specs(tmp_path, 3)
    loaded = table.load()
    opens = Opens(monkeypatch)
    assert read(loaded, ("id",), f"_file = '{files[1]}'") == [{"id": 11}]
    assert opens.count(".parquet") == 1


def test_a_filter_on_deleted_gives_deleted_rows_out(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, Schema((ID, P)), 3)
    file = table.append([{"id": n, "p": "a"} for n in range(6)])
    table.delete_vectors({file: [1, 4]})
    table.delete_equal([{"id": 0}], Schema((ID,)))
    loaded = table.load()
    assert [row["id"] for row in read(loaded, ("id",), "_deleted")] == [0, 1, 4]
    assert [row["id"] for row in read(loaded, ("id", "_deleted"), "_deleted = true and id > 0")] == [1, 4]
    assert [row["id"] for row in read(loaded, ("id",), "not _deleted")] == [2, 3, 5]


def test_the_ids_of_rows_are_their_own_where_the_file_has_them(tmp_path: Path) -> None:
    from projector.planning.scan.metadata_columns import METADATA_FIELDS

    rewritten = Schema((ID, METADATA_FIELDS[reserved.ROW_ID], METADATA_FIELDS[reserved.LAST_UPDATED_SEQUENCE_NUMBER]))
    rows = [
        {"id": 1, "_row_id": 70, "_last_updated_sequence_number": 1},
        {"id": 2, "_row_id": 71, "_last_updated_sequence_number": None},
        {"id": 3, "_row_id": None, "_last_updated_sequence_number": None},
    ]
    table = TableBuilder(tmp_path, Schema((ID,)), 3)
    table.append([{"id": 0}] * 10)
    table.append(rows, content=written(rows, rewritten), bounds=False)
    found = read(table.load(), ("id", "_row_id", "_last_updated_sequence_number"), "id > 0")
    assert [tuple(row.values()) for row in found] == [(1, 70, 1), (2, 71, 2), (3, 12, 2)]


def test_partition_fields_whose_ids_columns_have_too(tmp_path: Path) -> None:
    wide = Schema(
        (
            ID,
            P,
            NestedField(1000, "c", LongType()),
            NestedField(1001, "s", StructType((NestedField(1002, "x", LongType()),))),
        )
    )
    table = TableBuilder(tmp_path, wide, 3, [(2, 1000, "p", "identity"), (1000, 1001, "c_b", "truncate[10]")])
    table.append([{"id": 1, "p": "a", "c": 17, "s": {"x": 5}}], partition={"p": "a", "c_b": 10})
    loaded = table.load()
    expected = {"c": 17, "s": {"x": 5}, "_partition": {"p": "a", "c_b": 10}}
    assert read(loaded, ("c", "s.x", "_partition")) == [expected]
    assert read(loaded, ("c",), "_partition.c_b = 10 and c = 17 and s.x = 5") == [{"c": 17}]
    assert read(loaded, ("c",), "_partition.p = 'b'") == []
    assert loaded.scan("c > 20").plan_files().tasks == ()


def test_an_unpartitioned_table_has_an_empty_partition(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, Schema((ID,)), 2)
    table.append([{"id": 1}])
    assert read(table.load(), ("id", "_partition", "_spec_id")) == [{"id": 1, "_partition": {}, "_spec_id": 0}]


def test_a_star_is_the_table_alone(tmp_path: Path) -> None:
    table, _ = two_specs(tmp_path, 3)
    assert [f.name for f in table.load().scan().schema().fields] == ["id", "p"]
    assert [f.name for f in table.load().scan(selected_fields=("_pos", "*")).schema().fields] == ["id", "p", "_pos"]


def test_deleted_rows_stay_there_whichever_columns_an_engine_takes(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, Schema((NestedField(1, "id", IntegerType()),)), 2)
    file = table.append([{"id": n} for n in range(5)])
    table.delete_positions([(file, 1)])
    scan = table.load().scan(None, ("id", "_deleted"))
    frame = scan.to_lazy()
    assert frame.select("id").collect().to_series().to_list() == [0, 1, 2, 3, 4]
    assert frame.select(pl.len()).collect().item() == 5
    assert frame.filter(pl.col("id") > 0).select("id").collect().height == 4
    view = scan.to_duckdb("t")
    assert view.execute("SELECT count(*), sum(id) FROM t").fetchall() == [(5, 10)]
    assert view.execute("SELECT id FROM t WHERE _deleted").fetchall() == [(1,)]


def test_rows_that_are_fed_to_duckdb_count_without_columns(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, Schema((NestedField(1, "id", IntegerType()),)), 2)
    table.append([{"id": n} for n in range(5)])
    scan = table.load().scan()
    tasks = scan.plan_files().tasks
    request = scan._request(tasks)
    assert ScanDataset(list(scan._projected_files(tasks, request)), request).count_rows() == 5
