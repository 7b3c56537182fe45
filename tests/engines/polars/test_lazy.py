"""to_lazy and to_polars: the rows of the scan, and nothing opened that a filter excludes."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import projector
from projector.engines.polars import prepare as polars_prepare
from projector.engines.polars.io_predicate import implied_filter
from projector.errors import ProjectorError
from projector.planning.filters.expressions import TRUE
from projector.schema import types as t
from projector.schema.schema import Schema
from sample_data.table_writer import DataFile, TableWriter
from tests.planning.opens import Opens

FILES, ROWS = 12, 10


def json_field(field_id: int, name: str, kind: Any, **more: Any) -> dict[str, Any]:
    return {"id": field_id, "name": name, "required": False, "type": kind, **more}


PLACE = {"type": "struct", "fields": [json_field(5, "zip", "int")]}
OLD = {"fields": [json_field(1, "id", "long"), json_field(2, "n", "int"), json_field(4, "place", PLACE)]}
NEW = {
    "fields": [
        json_field(2, "amount", "long"),
        json_field(4, "place", PLACE),
        json_field(1, "id", "long"),
        json_field(6, "channel", "string", **{"initial-default": "till"}),
    ]
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table of twelve files, in two schemas, whose ids ascend from file to file."""
    root = tmp_path / "a [b]* c"
    writer = TableWriter(root, f"file://{root}", OLD, {"spec-id": 0, "fields": []}, {}, 1_700_000_000_000)
    writer.upgrade(1_700_000_000_001)
    for n in range(FILES):
        if n == FILES // 2:
            writer.evolve(1_700_000_000_100, NEW, [])
        writer.append(1_700_000_000_200 + n, 100 + n, [data_file(n)])
    return root


def data_file(n: int) -> DataFile:
    ids = list(range(n * ROWS, (n + 1) * ROWS))
    known = {"PARQUET:field_id": "5"}
    place = pa.array(
        [None if i % 4 == 0 else {"zip": i} for i in ids], pa.struct([pa.field("zip", pa.int32(), metadata=known)])
    )
    numbers = [None if i % 5 == 0 else i for i in ids]
    arrays = [(1, "id", pa.array(ids, pa.int64())), (4, "place", place)]
    if n < FILES // 2:
        arrays.append((2, "n", pa.array(numbers, pa.int32())))
    else:
        arrays += [(2, "amount", pa.array(numbers, pa.int64())), (6, "channel", pa.array(["web"] * ROWS))]
    fields = [pa.field(name, a.type, metadata={"PARQUET:field_id": str(i)}) for i, name, a in arrays]
    return DataFile(
        f"data/{n:02}.parquet", pa.Table.from_arrays([a for _, _, a in arrays], schema=pa.schema(fields)), 0, {}
    )


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> Opens:
    return Opens(monkeypatch)


def data_files(opens: Opens) -> list[str]:
    """The names of the data files that were opened."""
    return sorted({os.path.basename(path) for path in opens.paths if path.endswith(".parquet")})


c = pl.col
FILTERS: list[Callable[[], pl.Expr]] = [
    lambda: c.id == 42,
    lambda: (c.id > 15) & (c.id <= 33),
    lambda: pl.lit(100) <= c.id,
    lambda: c.id.is_between(18, 21, closed="left"),
    lambda: c.id.is_in([3, 77, 500]),
    lambda: (c.id < 3) | (c.id > 117),
    lambda: ~(c.id > 4),
    lambda: ~((c.id > 4) | c.amount.is_null()),
    lambda: c.amount.is_null(),
    lambda: c.amount.is_not_null() & (c.amount * 2 == 22),
    lambda: (c.amount * 2 == 22) | (c.id == 3),
    lambda: c.amount > 2**40,
    lambda: c.amount < 2.5,
    lambda: c.amount.eq_missing(None),
    lambda: c.amount.is_in([1, None]),
    lambda: c.channel == "till",
    lambda: c.channel.str.starts_with("w"),
    lambda: c.channel.str.contains("e"),
    lambda: c.place.struct.field("zip") == 7,
    lambda: c.place.is_null(),
    lambda: c.place.struct.field("zip").is_null() & (c.id < 30),
    lambda: pl.lit(False),
    lambda: c.id != c.amount,
]


@pytest.mark.parametrize("make", FILTERS, ids=lambda make: str(make())[:50])
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_a_filter_on_the_frame_gives_the_rows_of_the_same_filter_after_reading(
    make: Callable[[], pl.Expr], engine: Any, folder: Path
) -> None:
    scan = projector.load_table(str(folder)).scan()
    expected = scan.to_polars().filter(make())
    found = scan.to_lazy().filter(make()).collect(engine=engine)
    assert found.sort("id").equals(expected.sort("id"))
    assert found.schema == expected.schema
    some = scan.to_lazy().filter(make()).select("channel").collect(engine=engine)
    assert some.sort("channel").equals(expected.select("channel").sort("channel"))


@pytest.mark.parametrize(
    ("make", "files"),
    [
        (lambda: c.id == 42, ["04.parquet"]),
        (lambda: (c.id > 15) & (c.amount * 2 > 0) & (c.id < 22), ["01.parquet", "02.parquet"]),
        (lambda: c.id.is_in([3, 77, 500]), ["00.parquet", "07.parquet"]),
        (lambda: (c.id < 3) | (c.id > 117), ["00.parquet", "11.parquet"]),
        (lambda: c.amount > 118, ["11.parquet"]),
        (lambda: c.id > 500, []),
    ],
)
def test_excluded_files_are_not_opened(
    make: Callable[[], pl.Expr], files: list[str], folder: Path, opens: Opens
) -> None:
    scan = projector.load_table(str(folder)).scan()
    expected = scan.to_polars().filter(make())
    for file in (folder / "data").iterdir():
        if file.name not in files:
            file.unlink()  # Polars does not ask our storage, so this is how its own opens are counted
    opens.paths.clear()
    assert scan.to_lazy().filter(make()).collect().sort("id").equals(expected.sort("id"))
    assert data_files(opens) == files


def test_the_row_filter_of_the_scan_and_the_filter_of_the_frame_both_prune(folder: Path, opens: Opens) -> None:
    scan = projector.load_table(str(folder)).scan(row_filter="id >= 35 and amount > 0")
    found = scan.to_lazy().filter(c.id < 52).select("id").collect()
    assert sorted(found["id"].to_list()) == [i for i in range(35, 52) if i % 5]
    assert data_files(opens) == ["03.parquet", "04.parquet", "05.parquet"]


def test_only_columns_that_are_used_are_asked_for(folder: Path) -> None:
    frame = projector.load_table(str(folder)).scan().to_lazy()
    assert frame.select(pl.len()).collect().item() == FILES * ROWS
    assert frame.select(c.amount.sum()).collect().item() == sum(i for i in range(FILES * ROWS) if i % 5)
    assert frame.select(c.amount, c.id).head(3).collect().columns == ["amount", "id"]


def test_the_snapshot_is_pinned(folder: Path) -> None:
    frame = projector.load_table(str(folder)).scan().to_lazy()
    rows = frame.select(pl.len()).collect().item()
    writer_state = projector.load_table(str(folder))
    assert len(writer_state.snapshots) == FILES
    first = projector.load_table(str(folder)).scan(snapshot_id=100)
    assert first.to_lazy().select(pl.len()).collect().item() == ROWS
    assert first.to_lazy().collect_schema().names() == ["id", "n", "place"]
    assert frame.select(pl.len()).collect().item() == rows


@pytest.mark.parametrize("limit", [0, 1, 25, 1000])
def test_a_limit_comes_before_the_filter_of_the_frame(limit: int, folder: Path) -> None:
    scan = projector.load_table(str(folder)).scan(limit=limit)
    assert scan.to_polars().height == min(limit, FILES * ROWS)
    assert scan.to_lazy().filter(c.id >= 0).collect().height == min(limit, FILES * ROWS)


def test_an_error_says_what_the_other_engines_say(folder: Path) -> None:
    (folder / "data" / "03.parquet").unlink()
    scan = projector.load_table(str(folder)).scan()
    with pytest.raises(ProjectorError) as one:
        scan.to_arrow()
    with pytest.raises(ProjectorError) as other:
        scan.to_polars()
    assert str(one.value) == str(other.value)
    with pytest.raises(Exception, match=r"03\.parquet"):
        scan.to_lazy().collect()


SCHEMA = Schema(
    (
        t.NestedField(1, "i", t.IntegerType()),
        t.NestedField(2, "d", t.DateType()),
        t.NestedField(3, "z", t.TimestamptzType()),
        t.NestedField(4, "p", t.DecimalType(9, 2)),
        t.NestedField(5, "f", t.DoubleType()),
        t.NestedField(6, "b", t.BooleanType()),
        t.NestedField(7, "u", t.UUIDType()),
    )
)
UNDERSTOOD = [
    (c.d >= date(2020, 1, 1), "d >= DATE '2020-01-01'"),
    (c.z < datetime(2020, 1, 1, tzinfo=UTC), "z < TIMESTAMP '2020-01-01T00:00:00Z'"),
    (c.p > Decimal("1.50"), "p > 1.50"),
    (c.f.is_nan(), "f IS NAN"),
    (c.b, "b = TRUE"),
    (c.i.is_null(), "i IS NULL"),
]
NOT_UNDERSTOOD = [
    c.i.cast(pl.Int8) > 3,
    c.i.shift(1) == 3,
    c.f == float("nan"),
    c.i.cum_sum() > 5,
    c.u == b"short",
    (c.i == 1) | (c.i.hash() > 3),
    ~((c.i == 1) & (c.i.hash() > 3)),
    pl.when(c.b).then(c.i > 1).otherwise(c.i < 1),
]


def handed_over(predicate: pl.Expr) -> pl.Expr:
    """A predicate as Polars hands it to a source."""
    from polars.io.plugins import register_io_source

    from projector.engines.polars.types import polars_schema

    seen: list[pl.Expr | None] = []

    def source(columns: Any, given: pl.Expr | None, rows: Any, size: Any) -> Any:
        seen.append(given)
        frame = pl.DataFrame(schema=polars_schema(SCHEMA))
        yield frame if columns is None else frame.select(columns)

    register_io_source(source, schema=polars_schema(SCHEMA)).filter(predicate).collect()
    return pl.lit(True) if seen[-1] is None else seen[-1]


@pytest.mark.parametrize(("predicate", "spelled"), UNDERSTOOD, ids=[spelled for _, spelled in UNDERSTOOD])
def test_predicates_that_are_understood(predicate: pl.Expr, spelled: str) -> None:
    assert str(implied_filter(handed_over(predicate), SCHEMA)) == spelled


@pytest.mark.parametrize("predicate", NOT_UNDERSTOOD, ids=str)
def test_predicates_that_are_left_to_polars(predicate: pl.Expr) -> None:
    assert implied_filter(handed_over(predicate), SCHEMA) == TRUE


@pytest.mark.parametrize("first", [1, 2, 5, 12])
def test_portions_of_the_files_are_the_whole(first: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = projector.load_table(str(folder)).scan(row_filter="id != 3")
    expected = scan.to_polars()
    monkeypatch.setattr(polars_prepare, "_FIRST_PORTION", first)
    assert scan.to_polars().sort("id").equals(expected.sort("id"))
    assert scan.to_lazy().filter(c.amount > 5).collect().height == expected.filter(c.amount > 5).height
    assert scan.to_arrow(engine="polars").num_rows == expected.height
    assert next(iter(scan.to_arrow_batch_reader(engine="polars"))).num_rows  # given up in the middle
    (folder / "data" / "00.parquet").unlink()
    with pytest.raises(ProjectorError, match=r"00\.parquet"):
        scan.to_polars()
    with pytest.raises(ProjectorError, match=r"00\.parquet"):
        scan.to_arrow(engine="polars")
