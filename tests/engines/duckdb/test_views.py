"""Views on a DuckDB connection: pinned, re-read with every query, several at once, and called anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import projector
from projector.engines.duckdb import groups as duckdb_groups
from projector.engines.duckdb.types import duckdb_names, identifier, text
from projector.errors import NotFoundError, ProjectionError, ProjectorError, ProjectorWarning, UnsupportedError
from projector.schema.schema import Schema
from projector.schema.types import (
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestamptzNanoType,
    TimestamptzType,
    UnknownType,
    UUIDType,
)
from tests.planning.tables import TableBuilder

SCHEMA = Schema((NestedField(1, "id", LongType(), True), NestedField(2, "note", StringType())))
ODD = ("*", "?", "[a]", "'", '"', ";", "--", "\\", "{a,b}", "a=b", "~", "%41", "\n", "é", "$x", "`", "**")


def rows(connection: Any, sql: str) -> list[Any]:
    return sorted(connection.execute(sql).fetchall(), key=lambda row: [(value is None, value) for value in row])


def numbered(*ids: int) -> list[dict[str, Any]]:
    return [{"id": i, "note": f"n{i}"} for i in ids]


def test_a_view_keeps_its_snapshot_and_is_read_again_and_again(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, SCHEMA)
    first = table.append(numbered(1, 2, 3))
    connection = table.load().scan().to_duckdb("t")
    table.delete_positions([(first, 0)])
    table.append(numbered(4))
    assert rows(connection, "SELECT id FROM t") == [(1,), (2,), (3,)]
    assert rows(connection, "SELECT count(*) FROM t JOIN t AS u USING (id)") == [(3,)]
    assert table.load().scan().to_duckdb("t", connection) is connection
    assert rows(connection, "SELECT id FROM t") == [(2,), (3,), (4,)]
    left = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE temporary").fetchall()
    assert left == [(1,)], "what was made for the view that was replaced is gone"


def test_several_views_on_a_connection_of_the_users_own(tmp_path: Path) -> None:
    one, two = TableBuilder(tmp_path / "one", SCHEMA), TableBuilder(tmp_path / "two", SCHEMA)
    kept = one.append(numbered(1, 2))
    one.delete_positions([(kept, 1)])
    two.append(numbered(1, 5))
    with duckdb.connect(str(tmp_path / "own.db")) as connection:
        connection.execute("SET TimeZone = 'Asia/Tokyo'")
        connection.execute("CREATE TABLE mine AS SELECT 7 AS id")
        one.load().scan().to_duckdb("one", connection)
        two.load().scan().to_duckdb("two", connection)
        found = "SELECT id FROM one UNION ALL SELECT id FROM two UNION ALL SELECT id FROM mine"
        assert rows(connection, found) == [(1,), (1,), (5,), (7,)]
        assert rows(connection, "SELECT current_setting('TimeZone')") == [("Asia/Tokyo",)]
    with duckdb.connect(str(tmp_path / "own.db")) as connection:
        assert rows(connection, "SELECT view_name FROM duckdb_views() WHERE NOT internal") == []


@pytest.mark.parametrize("name", ['q"; DROP TABLE x; --', "a.b", "select", " ", "é", "A'b", "x\ny", "%s", "?"])
def test_names_of_views_are_literal(tmp_path: Path, name: str) -> None:
    table = TableBuilder(tmp_path, SCHEMA)
    kept = table.append(numbered(1, 2))
    table.delete_positions([(kept, 1)])
    connection = table.load().scan().to_duckdb(name)
    assert rows(connection, f"SELECT id FROM {identifier(name)}") == [(1,)]


def test_a_view_has_a_name_and_a_column(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, SCHEMA)
    with pytest.raises(ProjectorError, match="name of a view"):
        table.load().scan().to_duckdb("")
    with pytest.raises(UnsupportedError, match="without columns"):
        table.load().scan(selected_fields=()).to_duckdb("t")


def test_a_table_without_rows_is_a_view_without_rows(tmp_path: Path) -> None:
    connection = TableBuilder(tmp_path, SCHEMA).load().scan().to_duckdb("t")
    assert connection.execute("DESCRIBE t").fetchall()[0][:2] == ("id", "BIGINT")
    assert rows(connection, "SELECT * FROM t") == []


@pytest.mark.parametrize("odd", ODD)
def test_names_paths_and_values_are_data(tmp_path: Path, odd: str) -> None:
    schema = Schema(
        (
            NestedField(1, f"c{odd}", StringType()),
            NestedField(2, f"s{odd}", StructType((NestedField(3, f"x{odd}", StringType()),))),
            NestedField(4, "new", StringType(), initial_default=f"d{odd}"),
            NestedField(5, f"p{odd}", StringType()),
        )
    )
    written = pa.schema(
        [
            pa.field(f"c{odd}", pa.string(), metadata={"PARQUET:field_id": "1"}),
            pa.field(
                f"old{odd}",
                pa.struct([pa.field(f"y{odd}", pa.string(), metadata={"PARQUET:field_id": "3"})]),
                metadata={"PARQUET:field_id": "2"},
            ),
        ]
    )
    folder = tmp_path / f"k={odd.replace('/', '')}"
    folder.mkdir()
    path, decoy = folder / f"f{odd}.parquet", folder / "f.parquet"
    values = pa.table({f"c{odd}": [f"v{odd}", None], f"old{odd}": [{f"y{odd}": f"w{odd}"}, None]}, schema=written)
    pq.write_table(values, path)
    pq.write_table(pa.table({f"c{odd}": ["decoy"], f"old{odd}": [None]}, schema=written), decoy)
    scan = projector.read_files(path, schema=schema, partition={5: f"q{odd}"})
    expected = [(f"v{odd}", {f"x{odd}": f"w{odd}"}, f"d{odd}", f"q{odd}"), (None, None, f"d{odd}", f"q{odd}")]
    assert scan.to_duckdb("t").execute("SELECT * FROM t").fetchall() == expected
    assert scan.to_arrow("duckdb").equals(scan.to_arrow("rows"))


@pytest.mark.parametrize("odd", [*ODD, "\0"])
def test_filters_with_odd_values(tmp_path: Path, odd: str) -> None:
    table = TableBuilder(tmp_path, SCHEMA)
    table.append([{"id": 1, "note": f"a{odd}b"}, {"id": 2, "note": "a"}, {"id": 3, "note": None}])
    quoted = f"a{odd}b".replace("'", "''")
    for row_filter in (f"note = '{quoted}'", f"note in ('{quoted}', 'z')", f"note = '{quoted}' or id > 5"):
        scan = table.load().scan(row_filter)
        assert scan.to_arrow("duckdb").column("id").to_pylist() == [1] == scan.to_arrow("rows").column("id").to_pylist()


def test_text_is_quoted() -> None:
    for value in (*ODD, "'; DROP TABLE t; --", "a\0b"):
        assert duckdb.execute(f"SELECT {text(value)}").fetchall() == [(value,)]


def test_names_that_differ_in_case_get_a_suffix(tmp_path: Path) -> None:
    assert duckdb_names(("a", "A", "a_1", "", "x")) == ("a", "A_1", "a_1_1", "_", "x")
    both = Schema((NestedField(1, "a", LongType()), NestedField(2, "A", LongType())))
    table = TableBuilder(tmp_path, both)
    table.append([{"a": 1, "A": 2}])
    with pytest.warns(ProjectorWarning, match="'A' is 'A_1'"):
        connection = table.load().scan().to_duckdb("t")
    assert connection.execute("SELECT a, A_1 FROM t").fetchall() == [(1, 2)]
    assert table.load().scan().to_arrow("duckdb").to_pylist() == [{"a": 1, "A": 2}]


def test_types(tmp_path: Path) -> None:
    kinds = {
        "UUID": UUIDType(),
        "BLOB": FixedType(2),
        "TIMESTAMP WITH TIME ZONE": TimestamptzType(),
        "INTEGER": UnknownType(),
        "MAP(VARCHAR, FLOAT)": MapType(20, StringType(), 21, FloatType()),
        "STRUCT(_ BOOLEAN)": StructType(()),
    }
    schema = Schema(tuple(NestedField(i, f"c{i}", kind) for i, kind in enumerate(kinds.values(), 1)))
    described = projector.read_files([], schema=schema).to_duckdb("t").execute("DESCRIBE t").fetchall()
    assert [row[1].replace('"', "") for row in described] == list(kinds)


def test_files_that_duckdb_does_not_read_are_fed_to_it(tmp_path: Path) -> None:
    schema = Schema(
        (
            NestedField(1, "moment", TimestamptzType()),
            NestedField(2, "x", DoubleType()),
            NestedField(3, "n", LongType()),
        )
    )
    fields = [("moment", pa.timestamp("ns", "UTC"), "1"), ("x", pa.float64(), "2"), ("n", pa.int64(), "3")]
    arrow = pa.schema([pa.field(n, kind, metadata={"PARQUET:field_id": i}) for n, kind, i in fields])
    columns = {"moment": [0, 1000, None], "x": [float("nan"), 1.0, None], "n": [1, 2, 3]}
    odd, plain = tmp_path / "odd.parquet", tmp_path / "plain.parquet"
    pq.write_table(pa.table(columns, schema=arrow), odd, use_deprecated_int96_timestamps=True)
    us = arrow.set(0, pa.field("moment", pa.timestamp("us", "UTC"), metadata={"PARQUET:field_id": "1"}))
    pq.write_table(pa.table({**columns, "n": [4, 5, 6]}, schema=us), plain)
    scan = projector.read_files([odd, plain], schema=schema)
    connection = scan.to_duckdb("t")
    for _ in range(2):
        assert rows(connection, "SELECT n FROM t WHERE x > 5") == [(1,), (4,)], "NaN is greater than all numbers"
        assert rows(connection, "SELECT n FROM t WHERE moment IS NULL") == [(3,), (6,)]
        assert rows(connection, "SELECT count(*), sum(n) FROM t") == [(6, 21)]
    assert rows(scan.with_limit(2).to_duckdb("t"), "SELECT count(*) FROM t") == [(2,)]


def test_shapes_beyond_the_most_that_duckdb_plans_are_fed_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duckdb_groups, "MOST_GROUPS", 2)
    paths = []
    for i in range(6):
        field = pa.field(f"name{i}", pa.int32() if i % 2 else pa.int64(), metadata={"PARQUET:field_id": "1"})
        paths.append(tmp_path / f"{i}.parquet")
        pq.write_table(pa.table({field.name: [i] * (i + 1)}, schema=pa.schema([field])), paths[-1])
    scan = projector.read_files(paths, schema=Schema((NestedField(1, "n", LongType()),)))
    expected = sorted(i for i in range(6) for _ in range(i + 1))
    assert sorted(scan.to_arrow("duckdb").column("n").to_pylist()) == expected
    assert [n for (n,) in rows(scan.to_duckdb("t"), "SELECT n FROM t")] == expected


def test_deletes_of_all_kinds_beside_each_other(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, SCHEMA, format_version=3)
    one, two = table.append(numbered(1, 2, 3, 4)), table.append(numbered(5, 6, 7))
    table.append([{"id": 8, "note": None}, {"id": 9, "note": "n9"}])
    table.delete_equal([{"note": None}, {"note": "n3"}], Schema((SCHEMA.fields[1],)))
    table.delete_equal([{"id": 9, "note": "n9"}, {"id": 1, "note": "other"}], SCHEMA)
    table.delete_vectors({one: [0], two: [0, 2]})
    table.append([{"id": 10, "note": None}])
    scan = table.load().scan()
    left = [2, 4, 6, 10]
    assert sorted(scan.to_arrow("rows").column("id").to_pylist()) == left
    assert sorted(scan.to_arrow("duckdb").column("id").to_pylist()) == left
    assert [i for (i,) in rows(scan.to_duckdb("t"), "SELECT id FROM t")] == left
    assert rows(scan.to_duckdb("t"), "SELECT id FROM t WHERE note IS NULL") == [(10,)]


def test_the_sql_does_not_grow_with_partition_values_and_deletes(tmp_path: Path) -> None:
    def size(files: int) -> int:
        table = TableBuilder(tmp_path / str(files), SCHEMA, spec=((2, 1000, "note", "identity"),))
        for i in range(files):
            path = table.append([{"id": i, "note": f"n{i}"}] * 3, partition={"note": f"n{i}"})
            table.delete_positions([(path, 1)], partition={"note": f"n{i}"})
        connection = table.load().scan().to_duckdb("t")
        ((sql,),) = connection.execute("SELECT sql FROM duckdb_views() WHERE view_name = 't'").fetchall()
        assert rows(connection, "SELECT count(*) FROM t") == [(2 * files,)]
        return len(sql) - sum(len(f"'{task.location}', ") for task in table.load().scan().plan_files())

    assert size(9) == size(2)


def test_errors(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, Schema((NestedField(1, "id", IntegerType()),)))
    path = table.append([{"id": 1}])
    table.evolve(Schema((NestedField(1, "id", LongType(), True),)))
    nulls = pa.table({"id": pa.array([2, None], pa.int64())}).cast(
        pa.schema([pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "1"})])
    )
    odd = tmp_path / "odd.parquet"
    pq.write_table(nulls, odd)
    scan = projector.read_files(odd, schema=table.schema)
    for engine in ("rows", "duckdb"):
        with pytest.raises(ProjectionError, match="Required long is null"):
            scan.to_arrow(engine)
    with pytest.raises(duckdb.Error, match=r"Required long is null: .* \(id, field id 1\) in .*odd\.parquet"):
        scan.to_duckdb("t").execute("SELECT * FROM t").fetchall()
    narrowed = Schema((NestedField(1, "id", StringType()),))
    with pytest.raises(ProjectionError):
        projector.read_files(odd, schema=narrowed).to_duckdb("t")
    Path(path).unlink()
    with pytest.raises(NotFoundError):
        table.load().scan().to_duckdb("t")


def test_nanoseconds_keep_their_value(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, Schema((NestedField(1, "moment", TimestamptzNanoType()),)), format_version=3)
    table.append([{"moment": 1_700_000_000_123_456_789}])
    table.evolve(Schema((*table.schema.fields, NestedField(2, "more", TimestamptzNanoType(), initial_default=1))))
    scan = table.load().scan()
    assert scan.to_arrow("duckdb").equals(scan.to_arrow("rows"))
    assert rows(scan.to_duckdb("t"), "SELECT epoch_ns(moment), epoch_ns(more) FROM t") == [
        (1_700_000_000_123_456_789, 1)
    ]
