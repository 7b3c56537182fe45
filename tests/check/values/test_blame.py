"""A wrong value is found wherever it is in a file and whichever engine gives it, and that engine is blamed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import projector
from projector import ExhaustedError, Progress, StoreError
from projector.check.values import judge
from projector.engines.plain_rows import from_plain_rows
from tests.check import faults
from tests.check.tables import schema, table
from tests.planning.tables import TableBuilder

ROWS = 5_000
COLUMNS = "1 v int, 2 id long, 3 s {4 x double, 5 l [6 string]}"
CHANGE = "ALTER TABLE t ALTER COLUMN v TYPE bigint"


def row(i: int) -> dict[str, Any]:
    return {"v": i * 3 % 1000, "id": i, "s": {"x": i / 4, "l": [str(i)] * (i % 3)} if i % 7 else None}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One file of several row groups, more rows than the oracle judges."""
    assert ROWS > judge.JUDGED_WHOLE
    builder = TableBuilder(tmp_path_factory.mktemp("large"), schema(COLUMNS))
    rows = [row(i) for i in range(ROWS)]
    builder.commit(0, [builder.data_file(rows, row_group_size=1_100)])
    return builder.load().location


def blamed(report: projector.Report) -> set[tuple[str | None, str | None, int | None]]:
    """The engine, field and row of every wrong value that was found."""
    found = [f for f in report.findings if f.code == "X901"]
    return {(s.engine, f.path, s.row) for f in found for s in f.evidence.samples}


@pytest.mark.parametrize("position", [0, 1, 1_099, 1_100, 2_500, 4_998, 4_999])
@pytest.mark.parametrize("engine", ["arrow", "polars", "duckdb"])
def test_one_wrong_value_anywhere_in_any_engine(engine: str, position: int, large: str) -> None:
    with faults.planted(batch_fault=faults.row_changed(position), engine=engine):
        report = projector.check(large, sql=CHANGE, level="values", all_columns=True, cache=False)
    assert blamed(report) == {(engine, "v", position)}


@pytest.mark.parametrize("engine", ["arrow", "polars", "duckdb"])
def test_a_wrong_value_that_nothing_marks(engine: str, large: str) -> None:
    """Among 5,000 rows, no extreme: the oracle is asked because the engines differ there."""
    with faults.planted(batch_fault=faults.row_changed(2_503, to=500), engine=engine):
        report = projector.check(large, sql=CHANGE, level="values", all_columns=True, cache=False)
    assert blamed(report) == {(engine, "v", 2_503)}


@pytest.mark.parametrize("engine", ["arrow", "polars", "duckdb"])
def test_a_filter_that_gives_a_row_too_many(engine: str, large: str) -> None:
    def one_more(batch: pa.RecordBatch) -> pa.RecordBatch:
        return pa.concat_batches([batch, batch.slice(batch.num_rows - 1)])

    with faults.planted(batch_fault=one_more, filtered_only=True, engine=engine):
        report = projector.check(large, sql=CHANGE, level="values", cache=False)
    assert {s.engine for f in report.findings if f.code == "F902" for s in f.evidence.samples} == {engine}


@pytest.mark.parametrize("engine", ["arrow", "polars", "duckdb"])
def test_lost_rows_in_any_engine(engine: str, large: str) -> None:
    with faults.planted(batch_fault=faults.row_lost, engine=engine):
        report = projector.check(large, sql=CHANGE, level="values", cache=False)
    findings = [f for f in report.findings if f.code == "X901"]
    assert {s.engine for f in findings for s in f.evidence.samples} == {engine}


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_row_too_many_in_an_engine(engine: str, large: str) -> None:
    def one_more(batch: pa.RecordBatch) -> pa.RecordBatch:
        ids = batch.schema.names.index("id")
        if batch.column(ids)[batch.num_rows - 1].as_py() != ROWS - 1:
            return batch
        return pa.concat_batches([batch, batch.slice(batch.num_rows - 1)])

    with faults.planted(batch_fault=one_more, engine=engine):
        report = projector.check(large, sql=CHANGE, level="values", all_columns=True, cache=False, engines=[engine])
    (finding,) = (f for f in report.findings if f.code == "X901")
    assert f"{engine}: {ROWS} rows became {ROWS + 1} rows" in finding.message


def test_a_row_that_arrow_loses_in_a_file_that_nobody_judges(tmp_path: Path) -> None:
    def without_7(batch: pa.RecordBatch) -> pa.RecordBatch:
        return batch.filter(pc.not_equal(batch.column("id"), 7)) if "id" in batch.schema.names else batch

    # The oracle judges the smallest and the largest file.
    made = table("1 id long", [{"id": 1}], [{"id": 6}, {"id": 7}], [{"id": 8}, {"id": 9}, {"id": 10}])(tmp_path)
    with faults.planted(batch_fault=without_7):
        report = projector.check(made, level="values", engines=["spark"], cache=False)
    (finding,) = (f for f in report.findings if f.code == "X901")
    assert "2 rows became 1 rows" in finding.message


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_deletes_that_change_the_order_of_rows_are_no_difference(engine: str, tmp_path: Path) -> None:
    def deleted(builder: TableBuilder) -> None:
        for start in (0, 500, 1_000):
            file = builder.append([row(start + i) for i in range(500)])
            builder.delete_positions([(file, i) for i in range(0, 500, 9)])
        builder.delete_equal([{"id": i} for i in range(3, 1_500, 50)], schema("2 id long"))

    made = table(COLUMNS, deleted)(tmp_path)
    report = projector.check(made, level="values", engines=[engine], cache=False)
    assert not [f for f in report.findings if f.code in ("X901", "F902", "F903")]
    gone = {i for start in (0, 500, 1_000) for i in range(start, start + 500, 9)} | set(range(3, 1_500, 50))
    assert report.looked_at.rows_by_engine["arrow"] == 1_500 - len(gone)
    assert report.looked_at.rows_by_engine["rows"] == 1_000  # the smallest and the largest file, deleted rows too
    # A wrong value among reordered rows is found all the same, at its position in its file.
    with faults.planted(batch_fault=faults.row_changed(601), engine=engine):
        spoilt = projector.check(made, level="values", engines=[engine], cache=False)
    assert blamed(spoilt) == {(engine, "v", 101)}


def failing(error: Exception) -> Callable[..., Iterator[pa.RecordBatch]]:
    def scan_batches(files: Any, request: Any, batch_size: int) -> Iterator[pa.RecordBatch]:
        yield from_plain_rows([], request.schema)
        raise error

    return scan_batches


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError("no memory"), ExhaustedError),
        (RuntimeError("can't start new thread"), ExhaustedError),
        (OSError(24, "Too many open files"), ExhaustedError),
        (StoreError("The store failed"), StoreError),
    ],
)
@pytest.mark.parametrize("engine", ["arrow", "polars", "duckdb"])
def test_trouble_of_the_machine_is_no_finding(
    engine: str, error: Exception, expected: type[Exception], large: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from projector.check.values import reading

    sound = reading.executor
    monkeypatch.setattr(reading, "executor", lambda name: failing(error) if name == engine else sound(name))
    with pytest.raises(expected):
        projector.check(large, sql=CHANGE, level="values", cache=False)


def test_an_engine_that_fails_alone_is_blamed(large: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from projector.check.values import reading

    sound = reading.executor
    failure = failing(ValueError("out of luck"))
    monkeypatch.setattr(reading, "executor", lambda name: failure if name == "polars" else sound(name))
    report = projector.check(large, sql=CHANGE, level="values", cache=False)
    told = {f.code: f.message for f in report.findings if f.code in ("X901", "F901", "F902", "F903")}
    assert told["X901"] == "an engine differs: polars: ValueError: out of luck"
    assert told.keys() == {"X901", "F902"}


def test_progress_counts_every_file_and_row(large: str) -> None:
    told: list[Progress] = []
    projector.check(large, sql=CHANGE, level="values", cache=False, progress=told.append)
    stages = {each.stage: each for each in told}
    assert list(stages) == ["footers", "values", "filters"]
    assert (stages["values"].done, stages["values"].total) == (1, 1)
    assert (stages["values"].rows, stages["values"].total_rows) == (ROWS, ROWS)
    assert stages["filters"].done == stages["filters"].total


def test_a_sample_covers_every_shape_spec_and_kind_of_deletes(tmp_path: Path) -> None:
    def history(builder: TableBuilder) -> None:
        for i in range(4):
            builder.append([{"id": i}] * (i + 1))
        builder.partition_by((1, 1000, "id", "identity"))
        for i in range(4):
            builder.append([{"id": i}] * (i + 1), partition={"id": i})
        builder.delete_equal([{"id": 3}], schema("1 id int"), partition={"id": 3})

    made = table("1 id int", history)(tmp_path)
    report = projector.check(made, level="values", engines=["spark"], sample=1, cache=False)
    # One file of each spec without deletes, and the one in the partition of the delete.
    assert report.looked_at.values_files == 3
    assert any("values in 5 files with" in text for text in report.not_looked_at)
    by_rows = projector.check(made, level="values", engines=["spark"], sample_rows=3, cache=False)
    assert by_rows.looked_at.values_files == 5  # 1 + 2 rows of each spec, and that file


def test_what_is_proved_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from projector.check.values import state_values

    monkeypatch.setattr(state_values, "CELLS_READ_ANYWAY", 0)
    made = table("1 a int, 2 b int, 3 c int", [{"a": 1, "b": 2, "c": 3}])(tmp_path)
    report = projector.check(made, sql="ALTER TABLE t ALTER COLUMN a TYPE bigint", level="values", cache=False)
    assert report.looked_at.proved_columns == 2
    assert "whether 2 columns that the change cannot alter can be read" in report.not_looked_at


def test_checks_warn_of_nothing_that_they_read(large: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert projector.check(large, sql=CHANGE, level="values", cache=False).ok
