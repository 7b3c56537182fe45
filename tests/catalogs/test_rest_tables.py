"""Tables of a real REST catalog: made by pyiceberg, evolved here, read by pyiceberg, Polars and DuckDB."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

import projector
from projector import NotFoundError, ProjectorError, UpdateSchema
from tests.catalogs.seaweed import SeaweedFS

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int32()), "name": ["a", "b", None]})


def load(seaweed: SeaweedFS, name: str) -> projector.Table:
    return projector.load_table(name, catalog="lake", catalog_properties=seaweed.catalog())


def test_a_table_evolves_and_everyone_reads_it(seaweed: SeaweedFS, lake: Catalog, name: str) -> None:
    lake.create_table(name, ROWS.schema).append(ROWS)
    with load(seaweed, name).update_schema() as update:
        update.add_column("note", "string", doc="why")
        update.rename_column("name", "title")
        update.update_column("id", "long")
    assert update.commit.schema.schema_id == 1
    lake.load_table(name).append(pa.table({"id": [4], "title": ["d"], "note": ["new"]}))
    table = load(seaweed, name)
    expected = [
        {"id": 1, "title": "a", "note": None},
        {"id": 2, "title": "b", "note": None},
        {"id": 3, "title": None, "note": None},
        {"id": 4, "title": "d", "note": "new"},
    ]

    def ordered(rows: list[dict[str, object]]) -> list[dict[str, object]]:
        return sorted(rows, key=lambda row: str(row["id"]))

    assert ordered(lake.load_table(name).scan().to_arrow().to_pylist()) == expected
    for engine in ("arrow", "rows", "polars", "duckdb"):
        assert ordered(table.scan().to_arrow(engine=engine).to_pylist()) == expected, engine
    assert ordered(table.scan().to_polars().to_dicts()) == expected
    lazy = table.scan().to_lazy().filter(pl.col("id") > 3).collect()
    assert lazy.to_dicts() == expected[3:]
    view = table.scan().to_duckdb("t").sql("select title from t where note = 'new'")
    assert view.fetchall() == [("d",)]
    assert table.scan("id < 3").count() == 2


def test_a_transaction_is_one_commit(seaweed: SeaweedFS, lake: Catalog, name: str) -> None:
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "region", StringType()))
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "region"))
    lake.create_table(name, schema, partition_spec=spec).append(pa.table({"id": [1, 2], "region": ["EU", "US"]}))
    table = load(seaweed, name)
    with table.transaction() as transaction:
        transaction.update_schema().add_column("day", "date")
        transaction.update_spec().add_field("day", "month")
        transaction.update_sort_order().asc("id")
        transaction.set_properties(owner="ours")
    theirs = lake.load_table(name)
    assert theirs.metadata.current_schema_id == 1
    assert [(f.source_id, str(f.transform)) for f in theirs.spec().fields] == [(2, "identity"), (3, "month")]
    assert [(f.source_id, str(f.direction)) for f in theirs.sort_order().fields] == [(1, "ASC")]
    assert theirs.properties["owner"] == "ours"
    after = load(seaweed, name)
    assert len(after.metadata.metadata_log) == len(table.metadata.metadata_log) + 1
    assert sorted(after.scan("region = 'EU'").to_polars()["id"]) == [1]
    assert len(after.scan("region = 'EU'").plan_files().tasks) == 1


def test_nothing_changed_is_not_posted(seaweed: SeaweedFS, lake: Catalog, name: str) -> None:
    lake.create_table(name, ROWS.schema)
    table = load(seaweed, name)
    committed = table.commit(UpdateSchema().make_column_optional("id"))
    assert not committed.commit.changed
    assert load(seaweed, name).metadata_file == table.metadata_file


def test_a_table_at_hand_that_is_behind_commits_to_what_is_current(
    seaweed: SeaweedFS, lake: Catalog, name: str
) -> None:
    lake.create_table(name, ROWS.schema)
    behind = load(seaweed, name)
    with load(seaweed, name).update_schema() as update:
        update.add_column("first", "int")
    seen: list[projector.Table] = []
    committed = behind.commit(UpdateSchema().add_column("second", "int"), recheck=seen.append)
    assert [(f.name, f.field_id) for f in committed.commit.schema.fields][2:] == [("first", 3), ("second", 4)]
    assert [table.schema().find_field("first").field_id for table in seen] == [3]


def test_what_the_check_finds_in_the_state_that_won_stops_the_commit(
    seaweed: SeaweedFS, lake: Catalog, name: str
) -> None:
    lake.create_table(name, ROWS.schema)
    behind = load(seaweed, name)
    with load(seaweed, name).update_schema() as update:
        update.add_column("first", "int")

    def refuse(table: projector.Table) -> None:
        raise ProjectorError(f"no more than {len(table.schema().fields)} columns")

    with pytest.raises(ProjectorError, match="no more than 3 columns"):
        behind.commit(UpdateSchema().add_column("second", "int"), recheck=refuse)
    assert len(load(seaweed, name).schema().fields) == 3


def test_a_table_of_pyiceberg_is_taken_as_it_is(seaweed: SeaweedFS, lake: Catalog, name: str) -> None:
    theirs = lake.create_table(name, ROWS.schema)
    theirs.append(ROWS)
    table = projector.load_table(theirs)
    assert table.scan().count() == 3
    theirs.append(ROWS)
    assert table.scan().count() == 3  # pinned
    with table.update_schema() as update:
        update.add_column("note", "string")
    assert [f.name for f in lake.load_table(name).schema().fields] == ["id", "name", "note"]


def test_names_and_catalogs_as_objects(seaweed: SeaweedFS, lake: Catalog, name: str) -> None:
    lake.create_table(name, ROWS.schema)
    parts = name.split(".")
    assert projector.load_table(parts, catalog=lake).location == projector.load_table(name, catalog=lake).location


@pytest.mark.parametrize(
    ("given", "message"),
    [("ns.not_there", "No such table in catalog 'lake': ns.not_there"), ("nons.t", "nons.t"), ("t", "write ns.table")],
)
def test_what_is_not_there(seaweed: SeaweedFS, lake: Catalog, given: str, message: str) -> None:
    with pytest.raises(NotFoundError, match=message) as caught:
        load(seaweed, given)
    assert "\n" not in str(caught.value)


def test_an_unknown_catalog_is_said_in_a_line() -> None:
    with pytest.raises(NotFoundError, match=r"No catalog 'no_such_catalog' is configured.*PYICEBERG_CATALOG"):
        projector.load_table("ns.t", catalog="no_such_catalog")


def test_a_file_of_the_store_without_its_catalog(seaweed: SeaweedFS, lake: Catalog, name: str) -> None:
    theirs = lake.create_table(name, ROWS.schema)
    theirs.append(ROWS)
    table = projector.load_table(theirs.metadata_location, properties=seaweed.storage())
    assert table.scan().to_polars().height == 3
    with pytest.raises(projector.UnsupportedError, match="only tables on a local file system"):
        table.commit(UpdateSchema().add_column("note", "string"))
