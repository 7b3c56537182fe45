"""`projector query`."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from cli.main import run

SAMPLES = Path(__file__).parent.parent.parent / "sample_data"
ORDERS = str(SAMPLES / "orders")
engines = pytest.mark.parametrize("engine", ["duckdb", "polars"])


def output(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert run(["query", *args]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert run(["query", *args]) == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    return errors[0]


@pytest.mark.parametrize(
    ("engine", "name"),
    [("duckdb", "t"), ("duckdb", "orders"), ("duckdb", "ORDERS"), ("polars", "t"), ("polars", "orders")],
)
def test_the_table_has_two_names(capsys: pytest.CaptureFixture[str], engine: str, name: str) -> None:
    text = output(capsys, ORDERS, f"SELECT count(*) AS n FROM {name}", "--engine", engine, "--format", "csv")
    assert text == "n\n13\n"


@engines
def test_formats(capsys: pytest.CaptureFixture[str], tmp_path: Path, engine: str) -> None:
    sql = "SELECT order_id, price FROM t WHERE order_id <= 1002 ORDER BY order_id"
    assert output(capsys, ORDERS, sql, "--engine", engine).split()[:2] == ["order_id", "price"]
    assert output(capsys, ORDERS, sql, "--engine", engine, "--format", "table").count("1001") == 1
    document = json.loads(output(capsys, ORDERS, sql, "--engine", engine, "--format", "json"))
    assert document["schema_version"] == 1
    assert document["rows"][0] == {"order_id": 1001, "price": "12.99"}
    file = tmp_path / "rows.parquet"
    assert output(capsys, ORDERS, sql, "--engine", engine, "-o", str(file)) == ""
    assert pq.read_table(file).column("order_id").to_pylist() == [1001, 1002]
    assert output(capsys, ORDERS, sql, "--engine", engine, "-f", "csv", "--limit", "1").splitlines()[1:] == [
        "1001,12.99"
    ]


@engines
def test_as_if_a_change_were_committed(capsys: pytest.CaptureFixture[str], engine: str) -> None:
    sql = "SELECT max(amount) AS m, count(note) AS n FROM t"
    change = "ALTER TABLE t RENAME COLUMN price TO amount; ALTER TABLE t ADD COLUMN note string"
    common = (ORDERS, sql, "--engine", engine, "--format", "csv")
    assert output(capsys, *common, "--as-if", change).splitlines() == ["m,n", "1250000.00,0"]
    assert "amount" in refused(capsys, *common)
    assert "nothing" in refused(capsys, *common, "--as-if", "ALTER TABLE t DROP COLUMN nothing")


@engines
def test_further_tables(capsys: pytest.CaptureFixture[str], engine: str) -> None:
    more = ("--table", f"again={ORDERS}")
    sql = "SELECT count(*) AS n FROM t JOIN again ON t.order_id = again.order_id"
    assert output(capsys, ORDERS, sql, *more, "--engine", engine, "--format", "csv") == "n\n13\n"
    assert "cannot call" in refused(capsys, ORDERS, sql, "--table", f"t={ORDERS}").lower()
    assert "KEY=VALUE" in refused(capsys, ORDERS, sql, "--table", ORDERS)


@engines
@pytest.mark.parametrize("sql", ["SELECT nothing FROM t", "SELECT * FROM", "DROP TABLE t", "SELECT * FROM nobody"])
def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], engine: str, sql: str) -> None:
    assert refused(capsys, ORDERS, sql, "--engine", engine)


def test_explain_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert "READ_PARQUET" in output(capsys, ORDERS, "EXPLAIN SELECT order_id FROM t").upper()


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_a_long_chain_of_conditions(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    chain = " OR ".join(f"order_id <> {i}" for i in range(600))
    orders = str(Path(__file__).parents[2] / "sample_data" / "orders")
    assert run(["query", orders, f"SELECT count(*) AS n FROM t WHERE {chain}", "--engine", engine, "-f", "csv"]) == 0
    assert capsys.readouterr().out == "n\n13\n"


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    orders = str(Path(__file__).parents[2] / "sample_data" / "orders")
    monkeypatch.setattr("sys.stdin", None)
    assert run(["plan", orders, "--sql", "-"]) == 2
    assert "standard input is closed" in capsys.readouterr().err


def test_a_limit_beyond_64_bits(capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, ORDERS, "SELECT 1 AS a", "-n", str(10**23), "-f", "csv") == "a\n1\n"


def test_json_cannot_hold_two_columns_of_one_name(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    error = refused(capsys, ORDERS, "SELECT 1 AS a, 2 AS b, 3 AS a", "-o", str(file))
    assert error == "error: Cannot write JSON: more than one column is called a; rename one with AS, or write csv"
    assert not file.exists()
    assert output(capsys, ORDERS, "SELECT 1 AS a, 2 AS b, 3 AS a", "-f", "csv") == "a,b,a\n1,2,3\n"


def test_an_empty_path_is_not_the_current_folder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ORDERS)
    assert "The table's location is empty" in refused(capsys, "", "SELECT 1")
    assert "The table's location is empty" in refused(capsys, ".", "SELECT 1 FROM x", "--table", "x=")
    assert run(["bench", "make", ""]) == 2
    assert "it is empty" in capsys.readouterr().err


@pytest.mark.parametrize("scale", ["nan", "inf"])
def test_a_benchmark_of_no_finite_scale(capsys: pytest.CaptureFixture[str], scale: str) -> None:
    assert run(["bench", "run", "nope", "--scale", scale]) == 2
    assert f"{scale} is not a finite number" in capsys.readouterr().err
