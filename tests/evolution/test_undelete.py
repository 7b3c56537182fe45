"""Dropped columns that come back under their old ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.memory import InMemoryCatalog

import projector
from projector.errors import SchemaUpdateError
from projector.evolution.updates.transaction import Transaction, prepare_transaction
from projector.evolution.updates.undelete import dropped_columns
from projector.metadata.table_metadata import TableMetadata
from projector.schema.name_mapping import create_mapping
from tests.evolution.tables import ORDERS, table_metadata


def dropped(*paths: str, metadata: TableMetadata | None = None) -> TableMetadata:
    transaction = Transaction()
    for path in paths:
        transaction.update_schema().delete_column(path)
    return prepare_transaction(metadata or table_metadata(), transaction).metadata


def undeleted(metadata: TableMetadata, path: Any, **how: Any) -> TableMetadata:
    return prepare_transaction(metadata, Transaction().undelete_column(path, **how)).metadata


def refused(metadata: TableMetadata, path: Any, **how: Any) -> SchemaUpdateError:
    with pytest.raises(SchemaUpdateError) as caught:
        undeleted(metadata, path, **how)
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("path", ["note", "buyer", "buyer.age", "lines.sku", "prices.net", "lines", ("buyer", "name")])
def test_it_is_the_schema_that_was(path: Any) -> None:
    name = path if isinstance(path, str) else ".".join(path)
    back = undeleted(dropped(name), path)
    assert back.current_schema_id == 0
    assert back.current_schema == ORDERS
    assert back.last_column_id == 13


def test_a_changed_schema_keeps_its_changes() -> None:
    transaction = Transaction()
    transaction.update_schema().rename_column("buyer", "customer").move_first("day").add_column("x", "int")
    metadata = prepare_transaction(dropped("note"), transaction).metadata
    back = undeleted(metadata, "note").current_schema
    assert [f.name for f in back.fields] == ["day", "id", "note", "customer", "lines", "prices", "x"]
    assert back.find_field("note").field_id == 2
    assert back.find_field("x").field_id == 14


def test_a_renamed_parent_is_found_by_its_id() -> None:
    transaction = Transaction()
    transaction.update_schema().delete_column("buyer.age").rename_column("buyer", "customer")
    metadata = prepare_transaction(table_metadata(), transaction).metadata
    assert undeleted(metadata, "buyer.age").current_schema.name_of(6) == "customer.age"


def test_the_last_of_one_name_comes_back_unless_an_id_says_otherwise() -> None:
    transaction = Transaction()
    transaction.update_schema().delete_column("note")
    transaction.update_schema().add_column("note", "int")
    transaction.update_schema().delete_column("note")
    metadata = prepare_transaction(table_metadata(), transaction).metadata
    assert [(d.field.field_id, d.name) for d in dropped_columns(metadata)] == [(14, "note"), (2, "note")]
    assert undeleted(metadata, "note").current_schema.find_field("note").field_id == 14
    both = undeleted(undeleted(metadata, "note"), "note", new_name="note_text")
    assert both.current_schema.find_field("note_text").field_id == 2


def test_what_cannot_come_back() -> None:
    assert refused(table_metadata(), "note").message == "Cannot undelete column, it is there: note"
    never = refused(dropped("note"), "nope")
    assert never.message == "Cannot undelete column that was never dropped: nope"
    assert never.hint == "dropped columns: note"
    gone = refused(dropped("buyer.age", "buyer"), "buyer.age")
    assert (gone.message, gone.hint) == ("Cannot find parent struct: buyer", "undelete buyer instead")
    transaction = Transaction()
    transaction.update_schema().rename_column("day", "note")
    taken = refused(prepare_transaction(dropped("note"), transaction).metadata, "note", new_name="note")
    assert taken.message == "Cannot undelete column, name already exists: note"


def test_a_struct_comes_back_as_it_was_last() -> None:
    back = undeleted(dropped("buyer.age", "buyer"), "buyer")
    assert [f.field_id for f in back.current_schema.find_field("buyer").field_type.fields] == [5]  # type: ignore[attr-defined]
    assert undeleted(back, "buyer.age").current_schema == ORDERS


def with_snapshot(metadata: TableMetadata, schema_id: int | None) -> TableMetadata:
    snapshot: dict[str, Any] = {"snapshot-id": 1, "timestamp-ms": 1_700_000_000_000, "manifest-list": "/m"}
    if schema_id is not None:
        snapshot["schema-id"] = schema_id
    return TableMetadata.from_json({**metadata.raw, "snapshots": [snapshot], "current-snapshot-id": 1})


def test_a_required_column_comes_back_where_the_table_has_not_moved() -> None:
    metadata = dropped("id")
    assert undeleted(metadata, "id").current_schema.find_field("id").required
    assert undeleted(with_snapshot(metadata, 0), "id").current_schema == ORDERS
    for moved in (with_snapshot(metadata, 1), with_snapshot(metadata, None)):
        error = refused(moved, "id")
        assert (
            error.message == "Cannot undelete required column: id: the table has been written to since it was dropped"
        )
        assert undeleted(moved, "id", as_optional=True).current_schema.find_field("id").required is False


def test_an_identifier_comes_back_as_a_column_like_any_other() -> None:
    transaction = Transaction()
    transaction.update_schema().set_identifier_fields("id")
    transaction.update_schema().set_identifier_fields().delete_column("id")
    metadata = prepare_transaction(table_metadata(), transaction).metadata
    assert undeleted(metadata, "id").current_schema.identifier_field_ids == ()


def test_the_mapping_that_kept_it_finds_it_again() -> None:
    mapping = create_mapping(ORDERS).to_json()
    metadata = dropped("note", metadata=table_metadata(properties={"schema.name-mapping.default": mapping}))
    assert undeleted(metadata, "note").properties["schema.name-mapping.default"] == mapping
    bare = table_metadata(properties={"schema.name-mapping.default": '[{"field-id": 1, "names": ["id"]}]'})
    back = undeleted(dropped("note", metadata=bare), "note")
    assert back.name_mapping is not None
    assert back.name_mapping.fields_by_id[2].names == ("note",)


def test_old_values_are_seen_again(tmp_path: Path) -> None:
    catalog = InMemoryCatalog("test", warehouse=tmp_path.as_uri())
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", pa.schema([("id", pa.int64()), ("note", pa.string())]))
    table.append(pa.table({"id": [1, 2], "note": ["a", None]}))
    with table.update_schema() as update:
        update.delete_column("note")
    table.append(pa.table({"id": pa.array([3], pa.int64())}))
    loaded = projector.load_table(table.metadata_location)
    commit = loaded.prepare(Transaction().undelete_column("note"))
    file = Path(loaded.metadata_file.removeprefix("file://")).parent / "back.metadata.json"
    file.write_text(commit.metadata.to_json())
    rows = projector.load_table(str(file)).scan().to_arrow().sort_by("id")
    assert rows.to_pydict() == {"id": [1, 2, 3], "note": ["a", None, None]}
