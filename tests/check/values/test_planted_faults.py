"""Faults planted inside the engines, and in what all of them share: level `values` finds each, where it shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import projector
from projector.check.report.report import Report
from projector.engines.arrow import cast as arrow_cast
from projector.engines.arrow import filter as arrow_filter
from projector.engines.arrow import scan as arrow_scan
from projector.engines.arrow.delete_files import DeleteReader
from projector.engines.duckdb import lower as duckdb_lower
from projector.engines.polars import lower as polars_lower
from projector.files.parquet.file_schema import FileSchema
from projector.planning.filters.expressions import Op
from projector.planning.scan import projected_files
from projector.projection.plan import Cast, Plan
from projector.projection.resolve import resolve
from projector.schema.schema import Schema
from tests.check.tables import Maker, Step, evolve, schema, table
from tests.planning.tables import TableBuilder

ALONE = {"arrow": ["spark"], "polars": ["polars"], "duckdb": ["duckdb"]}
"""What to ask for so that one engine, and Arrow, is compared with the oracle."""

PROMOTED = table("1 id int, 2 n int", [{"id": 1, "n": 70_000}, {"id": 2, "n": None}], evolve("1 id int, 2 n long"))
DATES = table("1 d date", [{"d": 19_000}, {"d": -1}], evolve("1 d timestamp"), version=3)
FLOATS = table("1 f float", [{"f": 0.10000000149011612}, {"f": 2.5}], evolve("1 f double"))


def told(make: Maker, folder: Path, engine: str = "arrow", **how: Any) -> Report:
    return projector.check(make(folder), level="values", engines=ALONE[engine], **how)


def codes(report: Report, engine: str) -> set[str]:
    """Codes of the findings that values of an engine were the reason for."""
    return {f.code for f in report.findings for s in f.evidence.samples if s.engine == engine}


def one_too_many(make: Callable[..., Any]) -> Callable[..., Any]:
    """Spoil what widens integers."""

    def spoilt(step: Any, array: pa.Array, *more: Any) -> pa.Array:
        made = make(step, array, *more)
        return pc.add(made, pa.scalar(1, made.type)) if pa.types.is_int64(made.type) else made

    return spoilt


def test_a_wrong_cast_in_arrow(tmp_path: Path) -> None:
    from projector.engines.arrow import project as arrow_project

    with patch.object(arrow_project, "cast_leaf", one_too_many(arrow_cast.cast_leaf)):
        assert "X901" in codes(told(PROMOTED, tmp_path), "arrow")


def test_a_wrong_cast_in_polars(tmp_path: Path) -> None:
    read_leaf = polars_lower.read_leaf

    def spoilt(node: Any, own: pl.Expr, have: Any, want: Any) -> pl.Expr:
        made = read_leaf(node, own, have, want)
        return made + 1 if node.cast is Cast.WIDEN_INTEGER else made

    with patch.object(polars_lower, "read_leaf", spoilt):
        assert "X901" in codes(told(PROMOTED, tmp_path, "polars"), "polars")


def test_a_wrong_cast_in_duckdb(tmp_path: Path) -> None:
    cast = duckdb_lower._cast

    def spoilt(own: str, how: Cast, *more: Any) -> str:
        made = cast(own, how, *more)
        return f"({made} + 1)" if how is Cast.WIDEN_INTEGER else made

    with patch.object(duckdb_lower, "_cast", spoilt):
        assert "X901" in codes(told(PROMOTED, tmp_path, "duckdb"), "duckdb")


def test_dates_that_become_timestamps_of_the_wrong_day(tmp_path: Path) -> None:
    multiply = arrow_cast._multiply

    def spoilt(step: Any, numbers: pa.Array, factor: int, *more: Any) -> pa.Array:
        return multiply(step, pc.add(numbers, pa.scalar(1, numbers.type)), factor, *more)

    with patch.object(arrow_cast, "_multiply", spoilt):
        assert "X901" in codes(told(DATES, tmp_path), "arrow")


def upsert(builder: TableBuilder) -> None:
    builder.delete_equal([{"id": 1}], schema("1 id int"))


def delete_first(builder: TableBuilder) -> None:
    builder.delete_positions([(builder.append([{"id": 1}, {"id": 2}]), 0)])


@pytest.mark.parametrize(
    ("lost", "nothing", "step"),
    [("equality_deletes", (), upsert), ("deleted_positions", None, delete_first)],
)
def test_deletes_that_an_engine_does_not_apply(lost: str, nothing: Any, step: Step, tmp_path: Path) -> None:
    class Forgetful(DeleteReader):
        pass

    setattr(Forgetful, lost, lambda self, *of: nothing)
    make = table("1 id int", [{"id": 1}, {"id": 2}], step)
    with patch.object(arrow_scan, "DeleteReader", Forgetful):
        assert "X901" in codes(told(make, tmp_path), "arrow")


def test_a_filter_that_is_off_by_one(tmp_path: Path) -> None:
    kernels = {**arrow_filter._KERNELS, Op.GT: pc.greater_equal}
    with patch.object(arrow_filter, "_KERNELS", kernels):
        assert codes(told(PROMOTED, tmp_path), "arrow") == {"F902"}


def test_a_literal_that_is_rounded_to_the_type_in_old_files(tmp_path: Path) -> None:
    compare = arrow_filter._compare

    def spoilt(op: Op, column: pa.Array, literal: Any) -> pa.BooleanArray:
        if pa.types.is_float64(column.type):
            literal = pa.scalar(literal, pa.float32()).as_py()
        return compare(op, column, literal)

    make = table("1 f float", [{"f": 0.10000000149011612}, {"f": 2.5}], evolve("1 f double"), [{"f": 0.1}])
    with patch.object(arrow_filter, "_compare", spoilt):
        assert "F902" in codes(told(make, tmp_path), "arrow")


def test_absent_columns_that_are_pruned_as_if_they_were_null(tmp_path: Path) -> None:
    """Rows with the initial default vanish as soon as a filter names the column."""
    made = schema("1 id int, 2 c string")
    with_default = Schema((made.fields[0], dataclasses.replace(made.fields[1], initial_default="US")))
    make = table("1 id int", [{"id": 1}], evolve(with_default), [{"id": 2, "c": "US"}], version=3)
    row_group_filter = arrow_scan.row_group_filter

    class NothingMatches:
        def might_match(self) -> bool:
            return False

    def spoilt(file: Any, request: Any) -> Any:
        absent = len(file.plan.file_schema.columns) == 1
        return NothingMatches() if absent and "c" in str(request.row_filter) else row_group_filter(file, request)

    with patch.object(arrow_scan, "row_group_filter", spoilt):
        report = told(make, tmp_path)
    assert codes(report, "arrow") == {"F902"}


SWAP = """
ALTER TABLE t RENAME COLUMN a TO x;
ALTER TABLE t RENAME COLUMN b TO a;
ALTER TABLE t RENAME COLUMN x TO b
"""


def by_name(requested: Schema, file_schema: FileSchema, **how: Any) -> Plan:
    """A resolver of the wrong kind: it gives the file's columns the ids of the requested fields of their names."""
    ids = {field.name: field.field_id for field in requested.fields}
    columns = tuple(dataclasses.replace(c, field_id=ids.get(c.name, 9999)) for c in file_schema.columns)
    return dataclasses.replace(resolve(requested, FileSchema(columns), **how), file_schema=file_schema)


@pytest.mark.parametrize(
    ("sql", "path"),
    [
        ("ALTER TABLE t RENAME COLUMN a TO c", "c"),
        ("ALTER TABLE t DROP COLUMN a; ALTER TABLE t ADD COLUMN a int", "a"),
        (SWAP, "a"),
    ],
)
def test_a_plan_by_name_that_all_engines_share(sql: str, path: str, tmp_path: Path) -> None:
    """No engine differs from the oracle here: only before and after tell."""
    make = table("1 a int, 2 b int", [{"a": 1, "b": 2}])
    with patch.object(projected_files, "resolve", by_name):
        report = told(make, tmp_path, sql=sql)
    assert "X901" not in {f.code for f in report.findings}
    assert path in {f.path for f in report.deciding if f.code == "F901"}
    assert not report.ok


def test_a_default_that_all_engines_share_and_that_is_wrong(tmp_path: Path) -> None:
    def spoilt(requested: Schema, file_schema: FileSchema, **how: Any) -> Plan:
        plan = resolve(requested, file_schema, **how)
        nodes = tuple(dataclasses.replace(n, value="EU") if hasattr(n, "value") else n for n in plan.fields)
        return dataclasses.replace(plan, fields=nodes)

    make = table("1 id int", [{"id": 1}], version=3)
    with patch.object(projected_files, "resolve", spoilt):
        report = told(make, tmp_path, sql="ALTER TABLE t ADD COLUMN c string DEFAULT 'US'")
    (finding,) = (f for f in report.deciding if f.code == "F901")
    assert (finding.path, finding.evidence.samples[0].after) == ("c", "'EU'")


@pytest.mark.parametrize("make", [PROMOTED, DATES, FLOATS], ids=["integers", "dates", "floats"])
@pytest.mark.parametrize("engine", ALONE)
def test_without_a_fault_there_is_nothing(make: Maker, engine: str, tmp_path: Path) -> None:
    report = told(make, tmp_path, engine)
    assert not codes(report, engine)
    assert engine in report.looked_at.engines
