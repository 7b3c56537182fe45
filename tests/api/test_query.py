"""Queries over tables: what they read, what they open, and what they are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

import projector
from projector.api.query import query
from projector.api.query_needs import needs
from projector.api.query_text import parse_query
from projector.errors import NotFoundError, ParseError, ProjectorError, UnsupportedError
from projector.schema.schema import Schema
from projector.schema.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
)
from tests.planning.tables import TableBuilder

SCHEMA = Schema(
    (
        NestedField(1, "id", LongType(), True),
        NestedField(2, "name", StringType()),
        NestedField(3, "day", DateType()),
        NestedField(4, "price", DecimalType(9, 2)),
        NestedField(5, "ratio", DoubleType()),
        NestedField(6, "moment", TimestampType()),
        NestedField(7, "instant", TimestamptzType()),
        NestedField(8, "open", BooleanType()),
        NestedField(9, "place", StructType((NestedField(10, "zip", StringType()),))),
    )
)


def needed(sql: str, name: str = "t", schema: Schema = SCHEMA) -> tuple[tuple[str, ...] | None, str]:
    found = needs(parse_query(sql, ["t", "u"]), name, schema)
    return found.columns, str(found.row_filter)


@pytest.mark.parametrize(
    ("where", "pushed"),
    [
        ("id > 5", "id > 5"),
        ("5 < t.id AND name = 'x'", "(id > 5 AND name = 'x')"),
        ("ID > 5 AND length(name) > 2", "id > 5"),
        ("(id = 1 OR id = -2)", "(id = 1 OR id = -2)"),
        ("id = 1 OR length(name) = 2", "TRUE"),
        ("NOT id = 1", "id != 1"),
        ("id IN (1, 2, 3)", "id IN (1, 2, 3)"),
        ("id NOT IN (1, 2)", "id NOT IN (1, 2)"),
        ("id IN (SELECT id FROM u)", "TRUE"),
        ("id BETWEEN 2 AND 4", "(id >= 2 AND id <= 4)"),
        ("name LIKE 'ab%'", "name LIKE 'ab%'"),
        ("name LIKE 'a_b%'", "TRUE"),
        (r"name LIKE 'a\%b%'", "TRUE"),
        ("name NOT LIKE 'ab%'", "name NOT LIKE 'ab%'"),
        ("NOT name NOT LIKE 'ab%'", "name LIKE 'ab%'"),
        ("name NOT LIKE '%ab'", "TRUE"),
        ("name LIKE 'ab%' ESCAPE 'a'", "TRUE"),
        ("name ILIKE 'ab%'", "TRUE"),
        ("id NOT BETWEEN 2 AND 4", "(id < 2 OR id > 4)"),
        ("name IS NULL", "name IS NULL"),
        ("name IS NOT NULL", "name IS NOT NULL"),
        ("day >= DATE '2024-01-02'", "day >= DATE '2024-01-02'"),
        ("day >= '2024-01-02'", "day >= DATE '2024-01-02'"),
        ("moment < TIMESTAMP '2024-01-02 03:04:05'", "moment < TIMESTAMP '2024-01-02T03:04:05'"),
        ("instant < TIMESTAMP '2024-01-02 03:04:05'", "TRUE"),
        ("price = 1.50", "price = 1.50"),
        ("price = 1.505", "TRUE"),
        ("ratio > 0.1", "TRUE"),
        ("id > 1.5", "TRUE"),
        ("id > '5'", "TRUE"),
        ("id > 99999999999999999999", "TRUE"),
        ("open = true", "open = TRUE"),
        ("place.zip = 'x'", "place.zip = 'x'"),
        ("t.place.zip = 'x'", "place.zip = 'x'"),
        ("nothing = 1", "TRUE"),
        ("id = random()", "TRUE"),
    ],
)
def test_conditions_that_reach_the_planner(where: str, pushed: str) -> None:
    assert needed(f"SELECT id FROM t WHERE {where}")[1] == pushed


@pytest.mark.parametrize(
    ("sql", "t", "u"),
    [
        ("SELECT * FROM t JOIN u USING (id) WHERE t.id > 5 AND u.id < 3", "id > 5", "id < 3"),
        ("SELECT * FROM t, u WHERE t.id > 5 AND id < 3", "id > 5", "TRUE"),
        ("SELECT * FROM t LEFT JOIN u USING (id) WHERE t.id > 5 AND u.name IS NULL", "id > 5", "TRUE"),
        ("SELECT * FROM t RIGHT JOIN u USING (id) WHERE t.id > 5 AND u.id > 5", "TRUE", "id > 5"),
        ("SELECT * FROM t FULL JOIN u USING (id) WHERE t.id > 5 AND u.id > 5", "TRUE", "TRUE"),
        ("SELECT * FROM t ASOF JOIN u USING (id) WHERE t.id > 5 AND u.id > 5", "TRUE", "TRUE"),
        ("SELECT * FROM t POSITIONAL JOIN u WHERE t.id > 5 AND u.id > 5", "TRUE", "TRUE"),
        ("SELECT * FROM t TABLESAMPLE 10% WHERE id > 5", "TRUE", "TRUE"),
        ("SELECT * FROM t AS a JOIN t AS b USING (id) WHERE a.id > 5 AND b.id < 3", "(id > 5 OR id < 3)", "TRUE"),
        ("SELECT * FROM t WHERE id = 1 UNION ALL SELECT * FROM t WHERE id = 2", "(id = 1 OR id = 2)", "TRUE"),
        ("SELECT * FROM t WHERE id = 1 UNION ALL SELECT * FROM t", "TRUE", "TRUE"),
        ("WITH x AS (SELECT * FROM t WHERE id = 1) SELECT * FROM x WHERE id = 2", "id = 1", "TRUE"),
        ("WITH t AS (SELECT * FROM u WHERE id = 1) SELECT * FROM t WHERE id = 2", "TRUE", "id = 1"),
        ("SELECT * FROM (SELECT * FROM t) WHERE id = 1", "TRUE", "TRUE"),
        ("SELECT count(*) FROM t GROUP BY name HAVING name = 'x'", "TRUE", "TRUE"),
        ("SELECT * FROM t AS a(name, id) JOIN u ON a.id = u.id WHERE a.id > 5 AND u.id > 5", "TRUE", "id > 5"),
        ("SELECT id FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.id = u.id AND t.name = 'x')", "name = 'x'", "TRUE"),
    ],
)
def test_conditions_of_joins_and_of_several_mentions(sql: str, t: str, u: str) -> None:
    assert (needed(sql)[1], needed(sql, "u")[1]) == (t, u)


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT * FROM t", None),
        ("FROM t", None),
        ("SELECT count(*) FROM t", ("id",)),
        ("SELECT NAME FROM t WHERE day IS NULL", ("name", "day")),
        ("SELECT t.place.zip FROM t", ("place",)),
        ("SELECT columns('i.*') FROM t", None),
        ("SELECT t FROM t", None),
        ("SELECT x.* FROM t AS x", None),
        ("SELECT x FROM t AS x", None),
        ("SELECT id FROM t NATURAL JOIN u", None),
        ("SELECT #1, day FROM t", None),
        ("SELECT x.day FROM t AS x(day)", None),
        ("SELECT name FROM t ORDER BY #1", None),
        ("SELECT sum(price) FROM t ORDER BY max(ratio)", ("price", "ratio")),
    ],
)
def test_columns_that_are_read(sql: str, columns: tuple[str, ...] | None) -> None:
    assert needed(sql)[0] == columns


@pytest.mark.parametrize(
    ("sql", "error", "says"),
    [
        ("COPY t TO 'x.csv'", UnsupportedError, "Cannot run COPY"),
        ("INSERT INTO t VALUES (1)", UnsupportedError, "Cannot run INSERT"),
        ("DELETE FROM t", UnsupportedError, "Cannot run DELETE"),
        ("CREATE TABLE x AS SELECT 1", UnsupportedError, "Cannot run CREATE"),
        ("DROP VIEW t", UnsupportedError, "Cannot run DROP"),
        ("ATTACH 'x.db'", UnsupportedError, "Cannot run ATTACH"),
        ("INSTALL httpfs", UnsupportedError, "Cannot run INSTALL"),
        ("LOAD httpfs", UnsupportedError, "Cannot run"),
        ("SET enable_external_access = true", UnsupportedError, "Cannot run SET"),
        ("PRAGMA version", UnsupportedError, "Cannot run PRAGMA"),
        ("CALL x()", UnsupportedError, "Cannot run CALL"),
        ("ALTER TABLE t FOO BAR", UnsupportedError, "Cannot run ALTER"),
        ("WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x", UnsupportedError, "Cannot run INSERT"),
        ("SELECT * FROM read_csv('/etc/passwd')", UnsupportedError, "READ_CSV"),
        ("SELECT * FROM glob('*')", UnsupportedError, "(?i)glob"),
        ("SELECT * FROM read_text('/etc/passwd')", UnsupportedError, "(?i)read_text"),
        ("SELECT * FROM parquet_scan('x')", UnsupportedError, "(?i)parquet"),
        ("SELECT * FROM '/etc/passwd'", NotFoundError, "no table '/etc/passwd'"),
        ('SELECT * FROM "x.parquet"', NotFoundError, "no table"),
        ("SELECT * FROM other.t", NotFoundError, "no table 'other.t'"),
        ("SELECT * FROM information_schema.tables", NotFoundError, "no table"),
        ("SELECT 1; SELECT 2", ParseError, "2 statements"),
        ("EXPLAIN COPY t TO 'x'", UnsupportedError, "Cannot run COPY"),
        ("", ParseError, "0 statements"),
        ("selct", ParseError, "Cannot parse"),
        ("SELECT * FROM (", ParseError, "Cannot parse"),
    ],
)
def test_what_is_no_query_is_refused_by_name(
    sql: str, error: type[ProjectorError], says: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(error, match=says) as caught:
        query(sql, {"t": None, "u": None})  # type: ignore[dict-item]
    assert "\n" not in str(caught.value)
    assert caplog.records == []  # the parser's own warnings say less


def test_columns_by_other_names_or_by_place_are_those_of_the_whole_table(tmp_path: Path) -> None:
    table, _ = two_files(tmp_path)
    assert query("SELECT x.day FROM t AS x(day, id) WHERE x.id = 'n2'", {"t": table}).read_all().to_pylist() == [
        {"day": 2}
    ]
    assert query("SELECT #1 AS a, name FROM t WHERE id = 10", {"t": table}).read_all().to_pylist() == [
        {"a": 10, "name": "n10"}
    ]


@pytest.mark.parametrize(
    "where",
    ["name NOT LIKE 'n1%'", "NOT name NOT LIKE 'n1%'", "id NOT IN (1, 2)", "id NOT BETWEEN 1 AND 10", "name !~~ 'n1%'"],
)
def test_a_negated_condition_keeps_its_rows(where: str, tmp_path: Path) -> None:
    table, _ = two_files(tmp_path)
    plain = duckdb.connect()
    plain.execute("CREATE TABLE t AS SELECT id, 'n' || id AS name FROM (VALUES (0), (1), (2), (10), (11), (12)) x(id)")
    expected = plain.sql(f"SELECT id FROM t WHERE {where} ORDER BY id").fetchall()
    found = query(f"SELECT id FROM t WHERE {where} ORDER BY id", {"t": table}).read_all()
    assert found.column("id").to_pylist() == [row[0] for row in expected]


def two_files(folder: Path) -> tuple[projector.Table, list[str]]:
    table = TableBuilder(folder, SCHEMA)
    blank = dict.fromkeys(f.name for f in SCHEMA.fields)
    paths = [table.append([{**blank, "id": i, "name": f"n{i}"} for i in ids]) for ids in (range(3), range(10, 13))]
    return table.load(), paths


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_files_that_the_where_excludes_are_not_opened(tmp_path: Path, engine: str) -> None:
    table, paths = two_files(tmp_path)
    Path(paths[0]).unlink()
    found = query("SELECT id, name FROM t WHERE id >= 11 ORDER BY id", {"t": table}, engine=engine)
    assert found.read_all().to_pylist() == [{"id": 11, "name": "n11"}, {"id": 12, "name": "n12"}]
    with pytest.raises(ProjectorError):
        query("SELECT id FROM t", {"t": table}, engine=engine).read_all()


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_several_tables(tmp_path: Path, engine: str) -> None:
    one, _ = two_files(tmp_path / "one")
    two, _ = two_files(tmp_path / "two")
    sql = "SELECT count(*) AS n FROM t JOIN other ON t.id = other.id WHERE other.name <> 'n1'"
    assert query(sql, {"t": one, "other": two}, engine=engine).read_all().to_pylist() == [{"n": 5}]


def test_columns_that_are_not_named_may_be_unreadable(tmp_path: Path) -> None:
    table, _ = two_files(tmp_path)
    update = projector.UpdateSchema()
    update.delete_column("price")
    update.add_column("more", "long")
    assert query("SELECT sum(more) AS s, count(*) AS n FROM t", {"t": table.as_if(update)}).read_all().to_pylist() == [
        {"s": None, "n": 6}
    ]
    with pytest.raises(ProjectorError, match=r"^No such column: more"):
        query("SELECT more FROM t", {"t": table})


def test_the_connection_of_a_query_is_shut(tmp_path: Path) -> None:
    # What the parser might not see, the database refuses all the same.
    from projector.engines.duckdb.view import shut

    table, paths = two_files(tmp_path / "f[1]*'")
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    connection: Any = duckdb.connect()
    opened: list[str] = []
    table.scan()._make_view("t", connection, opened)
    shut(connection, opened)
    assert set(opened) >= set(paths)
    assert connection.execute("SELECT count(*) FROM t").fetchall() == [(6,)]
    for sql in (
        f"SELECT * FROM read_csv('{secret}')",
        f"SELECT * FROM '{secret}'",
        f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
        f"ATTACH '{tmp_path / 'x.db'}'",
        "SET enable_external_access = true",
        "SET allowed_paths = ['/']",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(sql)
    local = {"secret": 1}
    assert local
    with pytest.raises(duckdb.Error):
        connection.execute("SELECT * FROM local")


def test_an_engine_that_there_is_not() -> None:
    with pytest.raises(UnsupportedError, match="Cannot query with engine 'rows'"):
        query("SELECT 1", {}, engine="rows")
