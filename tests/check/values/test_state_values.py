"""Level `values`: faults in engines are found, sound tables raise nothing, and what was read is said."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import projector
from projector.check.values import state_values
from projector.check.values.expected import default_column, expected_columns
from projector.check.values.filters.candidates import filter_terms
from projector.check.values.filters.task import FilterTask, try_filters
from projector.engines.arrow.project import make_batch
from projector.engines.plain_rows import from_plain_rows, to_plain_rows
from projector.files.storage.storage import Storage
from projector.metadata.manifests import model as manifest_model
from projector.planning.scan import planner as snapshot_plan
from projector.planning.scan.source import SnapshotSource
from projector.schema.arrow_schema import arrow_schema
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, NestedField, StructType, VariantType
from tests.check import faults
from tests.check.tables import evolve, foreign, schema, table

ROWS = [
    {"id": 1, "big": 70_000, "s": {"a": 1, "b": 2}, "l": [1], "x": 0.25},
    {"id": 2, "big": -1, "s": None, "l": None, "x": None},
    {"id": 3, "big": None, "s": {"a": None, "b": 5}, "l": [], "x": 2.5},
]
T = table("1 id int, 2 big int, 3 s {4 a int, 5 b int}, 6 l [7 int], 8 x double", ROWS)


@pytest.mark.parametrize(
    ("fault", "path"),
    [
        (faults.wrong_cast, "big"),
        (faults.null_list_emptied, "l"),
        (faults.children_swapped, "s"),
        (faults.null_struct_filled, "s"),
        (faults.rounded, "x"),
    ],
)
def test_a_fault_that_is_there_before_and_after_is_found(fault: Any, path: str, tmp_path: Path) -> None:
    with faults.planted(fault):
        report = projector.check(T(tmp_path), level="values", engines=["spark"])
    found = {f.path: f for f in report.findings if f.code == "X901"}
    assert path in found
    assert found[path].evidence.samples[0].engine == "arrow"
    assert found[path].evidence.first_file is not None


def test_a_lost_row_is_found(tmp_path: Path) -> None:
    with faults.planted(batch_fault=faults.row_lost):
        report = projector.check(T(tmp_path), level="values", engines=["spark"])
    (finding,) = (f for f in report.findings if f.code == "X901")
    assert "3 rows became 2 rows" in finding.message


def test_a_fault_of_filters_alone_is_found(tmp_path: Path) -> None:
    with faults.planted(batch_fault=faults.row_lost, filtered_only=True):
        report = projector.check(T(tmp_path), level="values", engines=["spark"])
    assert {f.code for f in report.findings if f.code in ("X901", "F902")} == {"F902"}


def test_a_fault_is_introduced_only_where_the_change_brings_it(tmp_path: Path) -> None:
    with faults.planted(faults.children_swapped):
        report = projector.check(
            T(tmp_path), sql="ALTER TABLE t RENAME COLUMN s.a TO c", level="values", engines=["spark"]
        )
    assert [f.code for f in report.existing if f.code == "X901"] == ["X901"]


def test_a_sound_table_raises_nothing(tmp_path: Path) -> None:
    report = projector.check(
        T(tmp_path), sql="ALTER TABLE t ALTER COLUMN big TYPE bigint; ALTER TABLE t ADD COLUMN s.c int", level="values"
    )
    assert not [f for f in report.findings if f.severity != "info"]
    assert report.looked_at.values_rows == 3
    assert report.looked_at.values_files == 1
    assert {"rows", "arrow"} <= set(report.looked_at.engines)
    assert report.looked_at.filters > 10
    assert report.comparisons[0].before[0][2] == "70000"


def test_a_sample_covers_every_shape(tmp_path: Path) -> None:
    make = table(
        "1 id int",
        *([{"id": i}] for i in range(5)),
        evolve("1 id int, 2 b int"),
        *([{"id": i, "b": i}] for i in range(4)),
    )
    report = projector.check(make(tmp_path), level="values", sample=1, engines=["spark"])
    assert report.looked_at.values_files == 2
    assert report.looked_at.footers == 9
    assert any("values in 7 files" in text for text in report.not_looked_at)


def test_a_name_that_a_mapping_still_lists_moves_values(tmp_path: Path) -> None:
    mapping = '[{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["v"]}]'
    make = table(
        "1 id int, 2 v int",
        foreign({"id": pa.array([1], pa.int32()), "v": pa.array([5], pa.int32())}),
        properties={"schema.name-mapping.default": mapping},
    )
    sql = "ALTER TABLE t RENAME COLUMN v TO w; ALTER TABLE t ADD COLUMN v int"
    report = projector.check(make(tmp_path), sql=sql, level="values", engines=["spark"])
    told = {f.path: f for f in report.deciding if f.code == "F901"}
    assert set(told) == {"v", "w"}
    assert (told["w"].evidence.samples[0].before, told["w"].evidence.samples[0].after) == ("5", "null")
    assert not report.ok


def test_expected_rows_follow_ids_types_and_defaults() -> None:
    before = schema("1 a int, 2 s {3 x int, 4 y string}, 5 l [6 {7 z int}]")
    after = schema("5 l [6 {8 new int, 7 zz long}], 1 b long, 2 s {4 y string}")
    row = {"a": 1, "s": {"x": 1, "y": "u"}, "l": [{"z": 4}, None]}
    columns = expected_columns(from_plain_rows([row], before).columns, 1, before, after)
    found = to_plain_rows(make_batch(columns, arrow_schema(after), 1), after)
    assert found == [{"l": [{"new": None, "zz": 4}, None], "b": 1, "s": {"y": "u"}}]


def test_an_empty_struct_as_default_is_made_of_its_fields_defaults() -> None:
    inner = StructType((NestedField(2, "x", IntegerType(), initial_default=7), NestedField(3, "y", IntegerType())))
    assert default_column(NestedField(1, "s", inner, initial_default={}), 2).to_pylist() == [{"x": 7, "y": None}] * 2
    assert default_column(NestedField(1, "s", inner), 1).to_pylist() == [None]


def test_filters_are_tried_on_leaves_in_structs_and_not_in_lists() -> None:
    all_columns = schema("1 a int, 2 s {3 x int, 4 t {5 y string}}, 6 l [7 int], 8 m <9 int, 10 int>")
    assert [term.path for term in filter_terms(all_columns)] == [("a",), ("s", "x"), ("s", "t", "y")]


def test_filters_are_planned_on_the_files_of_the_sample_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = table("1 id int, 2 v int", *([{"id": i, "v": -i}] for i in range(40)))
    planned: list[str] = []
    task = snapshot_plan._Planner._data_file

    def counted(self: Any, spec: Any, entry: Any) -> Any:
        planned.append(entry.data_file.file_path)
        return task(self, spec, entry)

    monkeypatch.setattr(snapshot_plan._Planner, "_data_file", counted)
    monkeypatch.setattr(SnapshotSource, "plan", None)  # that of a whole snapshot
    report = projector.check(make(tmp_path), level="values", sample=2, cache=False)
    assert report.looked_at.values_files == 2
    assert report.looked_at.filters > 10
    assert len(set(planned)) == 2


def test_filters_are_tried_on_few_files_however_many_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = table("1 id int, 2 v int", *([{"id": i, "v": -i}] for i in range(20)))
    tasks: list[FilterTask] = []

    def noted(task: FilterTask, storage: Any) -> Any:
        tasks.append(task)
        return try_filters(task, storage)

    monkeypatch.setattr(state_values, "try_filters", noted)
    report = projector.check(make(tmp_path), level="values")
    assert report.looked_at.values_files == 20
    assert [len(task.reading.files) for task in tasks] == [3, 3]
    # The second column is read like the first one: what differs between them is what their bounds say.
    assert [len(task.filters) for task in tasks] == [20, 2]


def test_a_file_that_a_filter_left_out_and_that_has_rows_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = table("1 id int", *([{"id": i}] for i in range(2)))
    tasks: list[FilterTask] = []
    monkeypatch.setattr(state_values, "try_filters", lambda task, storage: tasks.append(task) or [])
    made = make(tmp_path)
    projector.check(made, level="values", engines=["spark"])
    (task,) = tasks
    nothing = replace(task, filters=tuple((row_filter, ()) for row_filter, _ in task.filters[1:2]))
    found = try_filters(nothing, Storage())
    assert [(each.engine, each.row_filter) for each in found] == [("planning", "id IS NOT NULL")] * 2


def bounds_that_lie(path: Path, monkeypatch: pytest.MonkeyPatch, wrong: int) -> projector.Table:
    """A table of which the bounds of column `v` are wrong in one file."""
    made = table("1 id int, 2 v int", *([{"id": i, "v": 100 + i}] for i in range(12)))(path)
    value = manifest_model.Metrics.value

    def lying(self: Any, name: str, field_id: int) -> Any:
        found = value(self, name, field_id)
        if field_id == 2 and name == "upper_bounds" and found == struct.pack("<i", 100 + wrong):
            return struct.pack("<i", 0)
        if field_id == 2 and name == "lower_bounds" and found == struct.pack("<i", 100 + wrong):
            return struct.pack("<i", 0)
        return found

    monkeypatch.setattr(manifest_model.Metrics, "value", lying)
    return made


def test_bounds_that_hide_the_rows_of_one_file_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = projector.check(bounds_that_lie(tmp_path, monkeypatch, 9), level="values", select=["F902"], cache=False)
    (finding,) = report.findings
    assert finding.evidence.files == 1
    assert finding.evidence.facts == ("1 filters, the first: v = 109",)
    assert "none, by the bounds or partition of the file for v = 109" in finding.message


def test_a_variant_is_not_looked_at_and_stops_nothing(tmp_path: Path) -> None:
    fields = schema("1 a int")
    made = table(
        Schema((*fields.fields, NestedField(2, "v", VariantType()))),
        foreign({"a": pa.array([1, 2], pa.int32())}, a=1),
        version=3,
    )
    report = projector.check(made(tmp_path), level="values", engines=["polars", "duckdb"])
    assert not [f for f in report.findings if f.code.startswith("F9")]
    assert report.looked_at.values_rows == 2
    assert any(said.startswith("values of v: ") for said in report.not_looked_at)
