"""What `inspect` shows of specs, orders, partitions and files, and what errors say to do instead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from projector_cli.main import run

ORDERS = str(Path(__file__).parents[2] / "sample_data" / "orders")


def shown(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    assert run([*args, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def said(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert run(list(args)) == 2
    return capsys.readouterr().err.splitlines()[-1]


def test_specs_and_orders(capsys: pytest.CaptureFixture[str]) -> None:
    specs = shown(capsys, "inspect", ORDERS, "specs")["specs"]
    assert [(s["spec"], s["default"], s["name"], s["transform"], s["source_ids"], s["source"]) for s in specs] == [
        (0, False, "shop", "identity", [10], "shop"),
        (1, False, "ordered_at_month", "month", [3], "ordered_at"),
        (2, True, "ordered_at_day", "day", [3], "ordered_at"),
    ]
    orders = shown(capsys, "inspect", ORDERS, "orders")["orders"]
    assert [(o["order"], o["default"], o["source"]) for o in orders] == [(0, True, None)]


def test_partitions_and_files(capsys: pytest.CaptureFixture[str]) -> None:
    partitions = {p["partition"]: p for p in shown(capsys, "inspect", ORDERS, "partitions")["partitions"]}
    assert (partitions["shop=lisbon"]["files"], partitions["shop=lisbon"]["records"]) == (1, 3)
    assert (partitions["ordered_at_day=2024-04-03"]["spec"], partitions["ordered_at_day=2024-04-03"]["records"]) == (
        2,
        1,
    )
    files = shown(capsys, "inspect", ORDERS, "files")["files"]
    assert len(files) == sum(p["files"] for p in partitions.values())
    (lisbon,) = (f for f in files if f["partition"] == "shop=lisbon")
    assert lisbon["bounds"].startswith("order_id 1001..1003, buyer_id 501..502")


def test_the_last_column_id(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "inspect", ORDERS, "schema")["last_column_id"] == 13


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_metadata_columns_in_a_query(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    sql = "SELECT _pos, order_id FROM orders WHERE order_id > 1008 ORDER BY order_id LIMIT 2"
    assert run(["query", ORDERS, sql, "--engine", engine, "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines() == ["_pos,order_id", "0,1009", "1,1010"]


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_a_misspelt_column(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "query", ORDERS, "SELECT pric FROM orders", "--engine", engine)
    assert text == "error: No such column: pric; did you mean price?"


def test_what_is_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(next(Path(ORDERS).rglob("*.parquet")))
    assert "This is a Parquet file, not a table" in said(capsys, "inspect", file)
    assert "give --catalog NAME" in said(capsys, "inspect", "shop.events")
    assert "--catalog" not in said(capsys, "inspect", "nowhere/at_all")


def test_the_words_of_another_dialect(capsys: pytest.CaptureFixture[str]) -> None:
    sql = "ALTER TABLE orders ALTER COLUMN price SET DATA TYPE double"
    assert "--dialect trino" in said(capsys, "check", ORDERS, "--sql", sql)


def test_a_misspelt_table_of_a_catalog(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyiceberg.catalog.memory import InMemoryCatalog

    import projector

    catalog = InMemoryCatalog("lake", warehouse=tmp_path.as_uri())
    catalog.create_namespace("shop")
    catalog.create_table("shop.events", pa.schema([pa.field("id", pa.int64())]))
    with pytest.raises(projector.NotFoundError, match=r"shop.event; did you mean shop.events\?"):
        projector.load_table("shop.event", catalog=catalog)
    with pytest.raises(projector.NotFoundError, match=r"shops.events; did you mean the namespace shop\?"):
        projector.load_table("shops.events", catalog=catalog)
