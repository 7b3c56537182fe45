"""Changes given as SQL text, recorded updates in the wrong place, and blocks with every method of a recording."""

from __future__ import annotations

import copy
import inspect
from pathlib import Path

import pyarrow as pa
import pytest

import projector
from projector import ProjectorError, UpdateSchema
from projector.evolution.updates.pyiceberg_style import UpdateSchemaContext
from projector.schema.name_mapping import NameMapping
from projector.schema.types import IntegerType
from tests.check.tables import evolve, foreign, table

SQL = "ALTER TABLE t ADD COLUMN note string"
T = table("1 id int, 2 v int", [{"id": 1, "v": 2}])


def test_a_change_as_sql_text(tmp_path: Path) -> None:
    made = T(tmp_path)
    assert made.check(SQL).ok
    assert made.check(SQL).proposal == SQL
    assert [f.name for f in made.as_if(SQL).schema().fields] == ["id", "v", "note"]
    assert made.prepare(SQL).changed
    assert made.schema().find_id("note") is None


def test_sql_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProjectorError, match="several proposals"):
        projector.check(T(tmp_path), SQL, sql=SQL)


def test_a_recorded_update_does_not_open_a_block(tmp_path: Path) -> None:
    made = T(tmp_path)
    with pytest.raises(ProjectorError, match=r"takes no UpdateSchema.*commit\(update\)"):
        made.update_schema(UpdateSchema().add_column("x", "int"))  # type: ignore[arg-type]
    assert projector.load_table(made.location).schema().find_id("x") is None


def test_an_applied_schema_keeps_the_id_of_its_base(tmp_path: Path) -> None:
    base = T(tmp_path).schema()
    applied, last = UpdateSchema().add_column("x", "int").apply(base, 2)
    assert (applied.schema_id, last) == (base.schema_id, 3)


def test_a_copy_has_a_record_of_its_own() -> None:
    update = UpdateSchema(format_version=3, case_sensitive=False).add_column("a", "int")
    other = copy.copy(update).add_column("b", "int")
    assert (len(update.operations), len(other.operations)) == (1, 2)
    assert (other.format_version, other.case_sensitive) == (3, False)


def test_a_block_has_every_method_that_records() -> None:
    recording = {name for name, _ in inspect.getmembers(UpdateSchema, inspect.isfunction) if name[0] != "_"}
    recording -= {"apply", "is_empty", "record", "with_operations"}
    assert recording <= set(dir(UpdateSchemaContext))


def test_a_block_records_what_a_recording_does(tmp_path: Path) -> None:
    made = table("1 id int!, 2 s {3 x int}, 4 v int", version=3)(tmp_path)
    with made.update_schema(dry_run=True, allow_incompatible_changes=True) as block:
        block.add_nested_column("s", "y", "string").add_required_column("r", "int", 7)
        block.update_column_type("v", "long").update_column_doc("v", "a number").update_column_default("v", 5)
        block.require_column("v").add_column("n", "int", default=None)
    schema = block.commit.schema  # type: ignore[union-attr]
    assert schema.find_id("s.y") is not None
    fields = {f.name: f for f in schema.fields}
    assert (fields["r"].required, fields["r"].initial_default) == (True, 7)
    assert (str(fields["v"].field_type), fields["v"].doc, fields["v"].write_default) == ("long", "a number", 5)
    assert fields["v"].required
    assert fields["n"].initial_default is None


def test_an_explicit_null_is_not_the_same_as_no_default(tmp_path: Path) -> None:
    made = table("1 id int", version=3)(tmp_path)
    with pytest.raises(ProjectorError, match="default"), made.update_schema(dry_run=True) as block:
        block.add_column("r", "int", required=True, default_value=None)


def test_the_block_of_a_sort_order_has_nulls_last(tmp_path: Path) -> None:
    """As in pyiceberg, whose call it is; SQL has Spark's order."""
    made = T(tmp_path)
    with made.update_sort_order(dry_run=True) as block:
        block.asc("id").asc("v", null_order="nulls-first")
    orders = [field.null_order for field in block.operations]
    assert orders == ["nulls-last", "nulls-first"]
    (order,) = made.prepare("ALTER TABLE t WRITE ORDERED BY id").metadata.raw["sort-orders"][-1]["fields"]
    assert order["null-order"] == "nulls-first"


def test_a_new_name_is_not_empty(tmp_path: Path) -> None:
    with pytest.raises(projector.SchemaUpdateError, match=r"Invalid column name: \(empty\)"):
        T(tmp_path).prepare(UpdateSchema().rename_column("v", ""))


def test_unknown_and_void_in_sql(tmp_path: Path) -> None:
    made = table("1 id int, 2 v int", version=3)(tmp_path)
    for dialect in ("spark", "trino", "duckdb"):
        report = projector.check(made, sql="ALTER TABLE t ADD COLUMN u unknown", dialect=dialect)
        assert str(report.after.fields[-1].field_type) == "unknown"  # type: ignore[union-attr]
    spec = made.prepare("ALTER TABLE t ADD PARTITION FIELD void(v) AS gone").metadata.raw["partition-specs"][-1]
    assert [(f["name"], f["transform"], f["source-id"]) for f in spec["fields"]] == [("gone", "void", 2)]


def renamed(folder: Path) -> projector.Table:
    """An id-less file with a name that its column had before a rename, and a name that two columns had."""
    return table(
        "1 old int, 2 shared int",
        foreign({"old": pa.array([1], pa.int32()), "shared": pa.array([5], pa.int32())}),
        evolve("1 new int, 2 first int"),
        evolve("1 new int, 2 first int, 3 shared int"),
        evolve("1 new int, 2 first int, 3 second int"),
    )(folder)


@pytest.mark.parametrize("way", ["proposed_name_mapping", "repaired_name_mapping"])
def test_a_mapping_knows_the_names_that_columns_had(way: str, tmp_path: Path) -> None:
    made = renamed(tmp_path)
    mapping: NameMapping = getattr(made, way)()
    names = {entry.field_id: entry.names for entry in mapping.fields}
    assert names == {1: ("new", "old"), 2: ("first",), 3: ("second",)}
    changed = made.as_if(projector.Transaction().set_name_mapping(mapping))
    assert changed.scan().to_arrow().to_pylist() == [{"new": 1, "first": None, "second": None}]


def test_a_mapping_that_nobody_asked_for_names_has_the_current_ones(tmp_path: Path) -> None:
    """What Java's `MappingUtil.create` gives."""
    made = renamed(tmp_path)
    changed = made.as_if(projector.Transaction().set_name_mapping())
    assert {entry.names for entry in changed.metadata.name_mapping.fields} == {("new",), ("first",), ("second",)}  # type: ignore[union-attr]


def test_types_are_what_they_were() -> None:
    assert UpdateSchema().add_column("x", IntegerType()).operations[0].field_type == IntegerType()  # type: ignore[attr-defined]
