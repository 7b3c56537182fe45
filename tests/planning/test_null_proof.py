"""Proofs that a column has no nulls: by counts, by reading, and what is no proof."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import ListType, LongType, NestedField, StringType, StructType

import projector
from tests.planning.opens import Opens

SCHEMA = Schema(
    NestedField(1, "id", LongType()),
    NestedField(2, "note", StringType()),
    NestedField(3, "s", StructType(NestedField(4, "x", LongType()))),
    NestedField(5, "l", ListType(6, LongType(), element_required=False)),
)


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> Opens:
    return Opens(monkeypatch)


@pytest.fixture
def table(tmp_path: Path) -> Any:
    catalog = InMemoryCatalog("test", warehouse=tmp_path.as_uri())
    catalog.create_namespace("db")
    made = catalog.create_table("db.t", SCHEMA)
    made.append(data([1, 2], ["a", "b"], [{"x": 1}, None]))
    made.append(data([3, 4], ["c", None], [{"x": 2}, {"x": 3}]))
    return made


def data(ids: list[int], notes: list[str | None], structs: list[Any]) -> pa.Table:
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "note": pa.array(notes, pa.string()),
            "s": pa.array(structs, pa.struct([("x", pa.int64())])),
            "l": pa.array([[1, None]] * len(ids), pa.list_(pa.int64())),
        }
    )


def test_counts_prove_it_without_opening_a_file(table: Any, opens: Opens) -> None:
    proof = projector.load_table(table.metadata_location).prove_no_nulls("id")
    assert (proof.proven, proof.proven_by_counts, proof.others) == (True, 2, ())
    assert opens.count(".parquet") == 0


def test_a_null_is_found(table: Any) -> None:
    proof = projector.load_table(table.metadata_location).prove_no_nulls("note")
    assert (proof.proven, proof.proven_by_counts, proof.nulls) == (False, 1, 1)
    unread = projector.load_table(table.metadata_location).prove_no_nulls("note", read_files=False)
    assert (unread.proven, len(unread.not_read)) == (False, 1)


def test_a_deleted_null_is_none(table: Any) -> None:
    table.delete("note is null")
    assert projector.load_table(table.metadata_location).prove_no_nulls("note").proven


def test_counts_that_are_missing_are_read(table: Any, opens: Opens) -> None:
    with table.transaction() as update:
        update.set_properties({"write.metadata.metrics.default": "none"})
    table.append(data([5], ["e"], [{"x": 4}]))
    proof = projector.load_table(table.metadata_location).prove_no_nulls("id")
    assert (proof.proven, proof.proven_by_counts, [file.nulls for file in proof.others]) == (True, 2, [0])
    assert opens.count(".parquet") == 1


def test_a_null_struct_is_no_null_of_its_field(table: Any) -> None:
    loaded = projector.load_table(table.metadata_location)
    assert loaded.prove_no_nulls("s.x").proven
    assert not loaded.prove_no_nulls("s").proven
    table.append(data([6], ["f"], [{"x": None}]))
    assert projector.load_table(table.metadata_location).prove_no_nulls("s.x").nulls == 1


def test_a_column_that_old_files_lack(table: Any) -> None:
    with table.update_schema() as update:
        update.add_column("late", LongType())
    proof = projector.load_table(table.metadata_location).prove_no_nulls("late")
    assert (proof.proven, proof.nulls) == (False, 4)


def test_what_is_not_said_at_all(table: Any) -> None:
    loaded = projector.load_table(table.metadata_location)
    proof = loaded.prove_no_nulls("l.element")
    assert (proof.proven, proof.unsupported is not None) == (False, True)
    with pytest.raises(projector.NotFoundError):
        loaded.prove_no_nulls("nope")


def test_an_empty_table_has_no_nulls(tmp_path: Path) -> None:
    catalog = InMemoryCatalog("test", warehouse=tmp_path.as_uri())
    catalog.create_namespace("db")
    made = catalog.create_table("db.e", SCHEMA)
    assert projector.load_table(made.metadata_location).prove_no_nulls("id").proven
