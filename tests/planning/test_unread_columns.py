"""Metrics that were recorded through a name mapping that is gone: they skip nothing that reading would give."""

from __future__ import annotations

import io
import tarfile
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import projector
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, NestedField, StructType
from tests.conformance.pack import ARCHIVE
from tests.planning.tables import TableBuilder

ROWS = [{"id": 1, "v": 5, "s": {"x": 7}}, {"id": 2, "v": 9, "s": {"x": 8}}]
DEFAULT = 6
FILTERS = [
    "v IS NULL",
    "v IS NOT NULL",
    "v = 5",
    "v = 6",
    "v > 5",
    "v >= 5",
    "v < 5",
    "v > 100",
    "v != 5",
    "NOT (v = 5)",
    "v IN (5, 6)",
    "v NOT IN (5, 9)",
    "v IS NULL OR v > 100",
    "id = 1 AND v IS NULL",
    "s.x IS NULL",
    "s.x = 7",
    "s IS NULL",
]


def schema(default: int | None) -> Schema:
    inside = StructType((NestedField(4, "x", IntegerType()),))
    return Schema(
        (
            NestedField(1, "id", IntegerType()),
            NestedField(2, "v", IntegerType(), initial_default=default),
            NestedField(3, "s", inside),
        )
    )


def imported(folder: Path, default: int | None = None, **listed: Any) -> projector.Table:
    """A file without ids, with the metrics that a mapping gave it, and one with ids; the mapping is gone."""
    builder = TableBuilder(folder, schema(default), 3)
    columns = [("id", pa.int32()), ("v", pa.int32()), ("s", pa.struct([("x", pa.int32())]))]
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS, schema=pa.schema(columns)), sink)
    change: Mapping[str, Any] = {"split_offsets": None, **listed}
    builder.commit(0, [builder.data_file(ROWS, content=sink.getvalue(), change=change)])
    builder.append([{"id": 3, "v": 1, "s": {"x": 1}}])
    return builder.load()


@pytest.mark.filterwarnings("ignore::projector.errors.ProjectorWarning")
@pytest.mark.parametrize("row_filter", FILTERS)
@pytest.mark.parametrize("default", [None, DEFAULT])
def test_a_filter_gives_the_rows_of_a_full_read(row_filter: str, default: int | None, tmp_path: Path) -> None:
    table = imported(tmp_path, default)
    scan = table.scan(row_filter)
    whole = table.scan().to_arrow(engine="rows").to_pylist()
    assert [row["id"] for row in whole] == [None, None, 3]
    # The rows oracle with all files kept, as a judge: it evaluates the filter row by row.
    kept = replace(table, metadata=_without_metrics(tmp_path, default).metadata)
    expected = kept.scan(row_filter).to_arrow(engine="rows").to_pylist()
    for engine in ("rows", "arrow", "polars", "duckdb"):
        assert scan.to_arrow(engine=engine).to_pylist() == expected, engine
    assert scan.count() == len(expected)


def _without_metrics(folder: Path, default: int | None) -> projector.Table:
    bare = dict.fromkeys(("value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds"))
    return imported(folder / "bare", default, **bare)


@pytest.mark.parametrize(
    ("row_filter", "files"), [("v > 100", 0), ("v = 7", 1), ("v IS NULL", 1), ("v >= 5", 1), ("v < 5", 1), ("v < 0", 0)]
)
def test_files_are_still_skipped_where_no_null_passes(row_filter: str, files: int, tmp_path: Path) -> None:
    assert len(list(imported(tmp_path).scan(row_filter).plan_files())) == files


def test_files_of_writers_are_skipped_as_ever(tmp_path: Path) -> None:
    table = imported(tmp_path, split_offsets=[4])
    assert list(table.scan("v IS NULL").plan_files()) == []


@pytest.mark.filterwarnings("ignore::projector.errors.ProjectorWarning")
@pytest.mark.parametrize("name", ["mapping_removed", "no_ids_no_mapping"])
def test_tables_of_java(name: str, tmp_path: Path) -> None:
    with tarfile.open(ARCHIVE) as archive:
        members = [m for m in archive.getmembers() if m.name.split("/")[0] == name]
        archive.extractall(tmp_path, members, filter="data")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = projector.load_table(str(tmp_path / name / "table"))
        whole = table.scan().to_arrow().to_pylist()
        for field in table.schema().fields:
            nulls = table.scan(f"{field.name} IS NULL")
            assert nulls.to_arrow().num_rows == nulls.count() == sum(row[field.name] is None for row in whole)
            others = table.scan(f"{field.name} IS NOT NULL")
            assert others.to_arrow().num_rows == others.count() == sum(row[field.name] is not None for row in whole)
