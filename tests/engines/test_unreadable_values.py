"""Values that cannot be read: an error if their row is given out or is not decided without them, for every engine.

What a file holds is written down with its row numbers, and the outcome of each filter follows by hand (ADR 0011).
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from projector.api.scan import Scan
from projector.errors import ProjectionError
from projector.schema.schema import Schema
from projector.schema.types import (
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimeType,
)
from tests.planning.tables import TableBuilder

ENGINES = ("rows", "arrow", "polars", "duckdb")
INVALID = pa.array([b"good", b"\xff", b"other", b"more"], pa.binary())


@dataclass(frozen=True)
class Kind:
    """A column of four values of which the one at 1 cannot be read; `good` is a literal for the one at 0."""

    stored: pa.Array
    requested: IcebergType
    good: str
    required: bool = False


def text_that_is_none() -> pa.Array:
    return pa.Array.from_buffers(pa.string(), 4, INVALID.buffers())


KINDS = {
    "uint32": Kind(pa.array([7, 2**32 - 1, 8, 9], pa.uint32()), IntegerType(), "7"),
    "uint64": Kind(pa.array([7, 2**64 - 1, 8, 9], pa.uint64()), LongType(), "7"),
    "nanoseconds": Kind(pa.array([0, 1, 1000, 2000], pa.timestamp("ns")), TimestampType(), "'1970-01-01T00:00:00'"),
    "time": Kind(pa.array([0, 1, 1000, 2000], pa.time64("ns")), TimeType(), "'00:00:00'"),
    "date": Kind(pa.array([0, 10**6, 1, 2], pa.date32()), TimestampNanoType(), "'1970-01-01T00:00:00'"),
    "bytes": Kind(INVALID, StringType(), "'good'"),
    "text": Kind(text_that_is_none(), StringType(), "'good'"),
    "null": Kind(pa.array([7, None, 8, 9], pa.int32()), IntegerType(), "7", required=True),
}


def field(name: str, kind: pa.DataType, field_id: int) -> pa.Field:
    return pa.field(name, kind, metadata={"PARQUET:field_id": str(field_id)})


def builder_of(kind: Kind, folder: Path, nested: bool = False) -> TableBuilder:
    """A table of one file with `id` 0 to 3 and the column as `v`, or as `v` in a struct `s`."""
    stored, v = field("v", kind.stored.type, 2), NestedField(2, "v", kind.requested, kind.required)
    array = kind.stored
    if nested:
        array = pa.StructArray.from_arrays([array], fields=[stored])
        stored, v = field("s", array.type, 3), NestedField(3, "s", StructType((v,)))
    columns = [pa.array([0, 1, 2, 3], pa.int32()), array]
    content = io.BytesIO()
    schema = pa.schema([field("id", pa.int32(), 1), stored])
    pq.write_table(pa.Table.from_arrays(columns, schema=schema), content, write_statistics=False)
    builder = TableBuilder(folder, Schema((NestedField(1, "id", IntegerType()), v)), format_version=3)
    builder.commit(0, [builder.data_file([{}] * 4, content=content.getvalue(), bounds=False)])
    return builder


def ways(scan: Scan) -> dict[str, Callable[[], list[int]]]:
    """Every way to the rows of a scan, as their ids."""
    found: dict[str, Callable[[], list[int]]] = {
        engine: lambda engine=engine: scan.to_arrow(engine)["id"].to_pylist() for engine in ENGINES
    }
    found["to_polars"] = lambda: scan.to_polars()["id"].to_list()
    found["to_lazy"] = lambda: scan.to_lazy().collect()["id"].to_list()
    found["view"] = lambda: [row[0] for row in scan.to_duckdb("t").sql("SELECT * FROM t").fetchall()]
    return found


FILTERS = [
    # filter, rows with both columns selected, rows with `id` alone; None is an error
    (None, None, [0, 1, 2, 3]),
    ("id = 1", None, [1]),
    ("id <> 1", [0, 2, 3], [0, 2, 3]),
    ("v = {good}", None, None),
    ("id <> 1 AND v = {good}", [0], [0]),
    ("v = {good} AND id <> 1", [0], [0]),
    ("id = 1 OR v = {good}", None, [0, 1]),
    ("id = 2 AND (id = 1 OR v <> {good})", [2], [2]),
    ("id >= 1 AND v <> {good}", None, None),
    ("id = 0 OR (id > 1 AND v <> {good})", [0, 2, 3], [0, 2, 3]),
]


@pytest.mark.parametrize("nested", [False, True], ids=["top", "nested"])
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(("text", "both", "alone"), FILTERS)
def test_every_way_gives_one_answer(
    text: str | None, both: list[int] | None, alone: list[int] | None, name: str, nested: bool, tmp_path: Path
) -> None:
    kind = KINDS[name]
    row_filter = None if text is None else text.format(good=kind.good)
    if row_filter is not None and nested:
        row_filter = row_filter.replace("v ", "s.v ")
    table = builder_of(kind, tmp_path, nested).load()
    for columns, expected in ((("*",), both), (("id",), alone)):
        for way, read in ways(table.scan(row_filter, selected_fields=columns)).items():
            found = outcome(read)
            if way == "view" and name == "text" and found is None:
                continue  # DuckDB looks at all text that it decodes, and a view cannot ask anyone else
            assert found == expected, f"{way} of {columns}"
    assert outcome(lambda: list(range(table.scan(row_filter).count()))) == (
        None if alone is None else list(range(len(alone)))
    )


def outcome(read: Callable[[], list[int]]) -> list[int] | None:
    """The ids that are read, in order; None for an error about a value."""
    try:
        return sorted(read())
    except (ProjectionError, duckdb.Error):
        return None


@pytest.mark.parametrize(("value", "gone"), [(8, 2), (7, 0)])
def test_a_key_that_cannot_be_read_matters_only_to_rows_that_are_left(value: int, gone: int, tmp_path: Path) -> None:
    builder = builder_of(KINDS["uint32"], tmp_path)
    key = Schema((NestedField(2, "v", IntegerType()),))
    builder.delete_equal([{"v": value}], key)
    table = builder.load()
    for engine in ENGINES:
        found = sorted(table.scan("id <> 1", selected_fields=("id",)).to_arrow(engine)["id"].to_pylist())
        assert found == [i for i in (0, 2, 3) if i != gone], engine
        with pytest.raises(ProjectionError, match="4294967295"):
            table.scan(selected_fields=("id",)).to_arrow(engine)
        marked = table.scan("id <> 1", selected_fields=("id", "_deleted")).to_arrow(engine).to_pylist()
        assert sorted((row["id"], row["_deleted"]) for row in marked) == [(i, i == gone) for i in (0, 2, 3)], engine
        with pytest.raises(ProjectionError, match="4294967295"):
            table.scan(selected_fields=("id", "_deleted")).to_arrow(engine)
