"""Catalogs that pyiceberg commits to by its own means: SQL for them all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table import StaticTable

import projector
from projector import CommitUnknownError, Transaction, UnsupportedError, UpdateSchema
from tests.catalogs.seaweed import SeaweedFS

ROWS = pa.table({"id": pa.array([1, 2], pa.int32()), "name": ["a", "b"]})


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    return {"type": "sql", "uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"file://{tmp_path}/warehouse"}


@pytest.fixture
def sql(settings: dict[str, str]) -> Iterator[Catalog]:
    catalog = load_catalog("sql", **settings)
    catalog.create_namespace("ns")
    catalog.create_table("ns.t", ROWS.schema).append(ROWS)
    yield catalog
    catalog.close()


def closing(table: projector.Table) -> None:
    table._home.catalog.close()  # type: ignore[union-attr]


def test_a_table_of_a_sql_catalog_evolves(sql: Catalog, settings: dict[str, str]) -> None:
    table = projector.load_table("ns.t", catalog="sql", catalog_properties=settings)
    with table.update_schema() as update:
        update.add_column("note", "string")
        update.rename_column("name", "title")
        update.update_column("id", "long")
    with table.transaction() as transaction:
        transaction.update_spec().add_field("id", "bucket[4]")
        transaction.update_sort_order().desc("id")
        transaction.set_properties(owner="ours")
    theirs = sql.load_table("ns.t")
    assert [(f.name, f.field_id) for f in theirs.schema().fields] == [("id", 1), ("title", 2), ("note", 3)]
    assert [str(f.transform) for f in theirs.spec().fields] == ["bucket[4]"]
    assert theirs.properties["owner"] == "ours"
    after = projector.load_table("ns.t", catalog=sql)
    assert after.scan().to_polars().rows() == [(1, "a", None), (2, "b", None)]
    assert theirs.scan().to_arrow().num_rows == 2
    closing(table)


def test_two_clients_racing(sql: Catalog, settings: dict[str, str]) -> None:
    def add(who: str) -> None:
        table = projector.load_table("ns.t", catalog="sql", catalog_properties=settings)
        for n in range(5):
            table.commit(UpdateSchema().add_column(f"{who}{n}", "int"))
        closing(table)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(add, ("a", "b")))
    fields = sql.load_table("ns.t").schema().fields
    assert sorted(f.field_id for f in fields) == list(range(1, 13))
    assert len({f.name for f in fields}) == 12


def test_a_lost_race_and_a_lost_answer(sql: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    real, outcomes = sql.commit_table, ["refused", "lost"]

    def commit_table(*arguments: Any) -> Any:
        outcome = outcomes.pop(0) if outcomes else None
        if outcome == "refused":
            raise CommitFailedException("another process")
        done = real(*arguments)
        if outcome == "lost":
            raise OSError("the database hung up")
        return done

    monkeypatch.setattr(sql, "commit_table", commit_table)
    committed = projector.load_table("ns.t", catalog=sql).commit(UpdateSchema().add_column("note", "string"))
    assert committed.attempts == 2
    assert [f.name for f in sql.load_table("ns.t").schema().fields] == ["id", "name", "note"]


def test_a_catalog_that_fails_at_every_commit(sql: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    def commit_table(*_: Any) -> Any:
        raise OSError("cannot connect to postgresql://user:hunter22@db/x")

    monkeypatch.setattr(sql, "commit_table", commit_table)
    with pytest.raises(CommitUnknownError, match="without an answer") as caught:
        projector.load_table("ns.t", catalog=sql).commit(UpdateSchema().add_column("note", "string"))
    assert "hunter22" not in str(caught.value)


def test_what_pyiceberg_cannot_write_is_refused_by_name(sql: Catalog) -> None:
    """It does not know the type."""
    table = projector.load_table("ns.t", catalog=sql)
    change = Transaction().upgrade_table_version(3)
    change.update_schema().add_column("shape", "geography(srid:4326, vincenty)")
    with pytest.raises(UnsupportedError, match="Cannot commit through SqlCatalog: pyiceberg"):
        table.commit(change)
    assert [f.name for f in sql.load_table("ns.t").schema().fields] == ["id", "name"]
    assert sql.load_table("ns.t").metadata.format_version == 2


def test_a_table_on_s3_in_a_sql_catalog(seaweed: SeaweedFS, tmp_path: Path) -> None:
    settings = {
        "type": "sql",
        "uri": f"sqlite:///{tmp_path}/catalog.db",
        "warehouse": "s3://plain/warehouse",
        **seaweed.storage(),
    }
    catalog = load_catalog("sql", **settings)
    catalog.create_namespace("ns")
    catalog.create_table("ns.t", ROWS.schema).append(ROWS)
    with projector.load_table("ns.t", catalog=catalog).update_schema() as update:
        update.add_column("note", "string")
    catalog.load_table("ns.t").append(pa.table({"id": pa.array([3], pa.int32()), "name": ["c"], "note": ["n"]}))
    table = projector.load_table(catalog.load_table("ns.t"))
    for engine in ("arrow", "rows", "polars", "duckdb"):
        assert sorted(table.scan().to_arrow(engine=engine)["note"].to_pylist(), key=str) == [None, None, "n"]
    catalog.close()


def test_a_static_table_has_no_catalog(sql: Catalog) -> None:
    static = StaticTable.from_metadata(sql.load_table("ns.t").metadata_location)
    table = projector.load_table(static)
    assert table.scan().count() == 2
    with pytest.raises(UnsupportedError, match="named by a catalog"):
        table.commit(UpdateSchema().add_column("note", "string"))


def test_without_pyiceberg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyiceberg.catalog", None)
    with pytest.raises(UnsupportedError, match=r"iceberg-projector\[catalog\]"):
        projector.load_table("ns.t", catalog="x")


def test_a_client_that_is_not_installed_is_named() -> None:
    with pytest.raises(UnsupportedError, match=r"Catalog 'h' needs a client that is not installed.*hive"):
        projector.load_table("ns.t", catalog="h", catalog_properties={"type": "hive", "uri": "thrift://127.0.0.1:1"})


def test_configured_as_pyiceberg_is(sql: Catalog, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    import pyiceberg.catalog
    from pyiceberg.utils.config import Config

    for key, value in settings.items():
        monkeypatch.setenv(f"PYICEBERG_CATALOG__SQL__{key.upper()}", value)
    monkeypatch.setattr(pyiceberg.catalog, "_ENV_CONFIG", Config())  # which pyiceberg reads when it is imported
    table = projector.load_table("ns.t", catalog="sql")
    assert table.scan().count() == 2
    closing(table)
