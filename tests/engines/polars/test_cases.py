"""Files of odd manners: Polars gives what the row oracle gives, rows or error."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import projector
from projector.engines.plain_rows import to_plain_rows
from projector.engines.polars import scan as polars_scan
from projector.engines.polars.native_choice import native
from projector.engines.polars.prepare import PolarsFailedError
from projector.engines.polars.probe import native_works
from projector.engines.polars.storage import polars_path, storage_options
from projector.engines.polars.support import Reason, plan_reasons
from projector.errors import ProjectionError, ProjectorError
from projector.schema import types as t
from projector.schema.schema import Schema
from tests.engines.reading import assert_same, plan_of, written_table


def table(**columns: pa.Array) -> pa.Table:
    """A table whose columns have the ids 1, 2, ..."""
    fields = [
        pa.field(name, array.type, metadata={"PARQUET:field_id": str(i)})
        for i, (name, array) in enumerate(columns.items(), 1)
    ]
    return pa.Table.from_arrays(list(columns.values()), schema=pa.schema(fields))


def schema(*kinds: t.IcebergType, required: bool = False) -> Schema:
    return Schema(tuple(t.NestedField(i, f"c{i}", kind, required) for i, kind in enumerate(kinds, 1)))


def scan_of(folder: Path, wanted: Schema, *tables: pa.Table, **options: Any) -> Any:
    paths = []
    for i, one in enumerate(tables):
        paths.append(folder / f"{i} *?[a]{{b}}'\".parquet")
        pq.write_table(one, paths[-1], **options)
    return projector.read_files([str(path) for path in paths], schema=wanted)


def assert_rows_or_error(scan: Any) -> None:
    outcomes = []
    for engine in ("rows", "polars"):
        try:
            outcomes.append(to_plain_rows(scan.to_arrow(engine=engine), scan.schema()))
        except ProjectorError as error:
            outcomes.append(error)
    expected, found = outcomes
    if isinstance(expected, ProjectorError):
        assert type(found) is type(expected)
        assert str(found) == str(expected)
        with pytest.raises(type(expected)):
            scan.to_polars()
        return
    assert_same(sorted(found, key=repr), sorted(expected, key=repr))
    if scan.schema().fields:  # Polars before 2 knows no frame of rows without columns
        assert scan.to_polars().height == len(expected)


INVALID = pa.Array.from_buffers(
    pa.string(), 1, [None, pa.array([0, 1], pa.int32()).buffers()[1], pa.py_buffer(b"\xff")]
)
DATE = pa.array([2**31 - 1], pa.int32()).view(pa.date32())
CASES = [
    pytest.param(table(a=pa.array([1, 2**32 - 1], pa.uint32())), schema(t.LongType()), id="uint32 that fits"),
    pytest.param(table(a=pa.array([1, 2**32 - 1], pa.uint32())), schema(t.IntegerType()), id="uint32 that does not"),
    pytest.param(table(a=pa.array([2**63], pa.uint64())), schema(t.LongType()), id="uint64"),
    pytest.param(table(a=pa.array([-5, None], pa.int8())), schema(t.IntegerType()), id="int8"),
    pytest.param(table(a=pa.array([1.5, None], pa.float16())), schema(t.DoubleType()), id="float16"),
    pytest.param(table(a=INVALID), schema(t.StringType()), id="no UTF-8 in a string"),
    pytest.param(table(a=pa.array([b"\xff"])), schema(t.StringType()), id="no UTF-8 in bytes"),
    pytest.param(table(a=pa.array([b"a", None])), schema(t.StringType()), id="bytes as string"),
    pytest.param(table(a=pa.array(["a", None])), schema(t.BinaryType()), id="string as bytes"),
    pytest.param(table(a=pa.array([1, None], pa.timestamp("ms"))), schema(t.TimestampType()), id="ms"),
    pytest.param(table(a=pa.array([1, None], pa.timestamp("ns"))), schema(t.TimestampType()), id="ns that do not fit"),
    pytest.param(table(a=pa.array([2**62], pa.timestamp("us"))), schema(t.TimestampNanoType()), id="us out of range"),
    pytest.param(table(a=pa.array([1], pa.timestamp("us"))), schema(t.TimestamptzType()), id="another UTC flag"),
    pytest.param(table(a=pa.array([1], pa.timestamp("us", "Asia/Tokyo"))), schema(t.TimestamptzType()), id="zone"),
    pytest.param(table(a=DATE), schema(t.TimestampType()), id="a date that is no timestamp"),
    pytest.param(
        table(a=pa.array([20_000, None], pa.date32())), schema(t.TimestampNanoType()), id="date to timestamp_ns"
    ),
    pytest.param(table(a=pa.array([1, None], pa.time32("ms"))), schema(t.TimeType()), id="time in ms"),
    pytest.param(table(a=pa.array([1, None], pa.duration("us"))), schema(t.LongType()), id="duration"),
    pytest.param(table(a=pa.array(["x", None]).dictionary_encode()), schema(t.StringType()), id="dictionary"),
    pytest.param(
        table(a=pa.array([Decimal("-1.25"), None], pa.decimal256(40, 2))), schema(t.DecimalType(38, 2)), id="too wide"
    ),
    pytest.param(
        table(a=pa.array([Decimal("-1.25")], pa.decimal256(9, 2))), schema(t.DecimalType(38, 2)), id="decimal256"
    ),
    pytest.param(table(a=pa.array([bytes(16)], pa.binary(16))), schema(t.UUIDType()), id="uuid"),
    pytest.param(table(a=pa.array([b"abcd", None], pa.binary(4))), schema(t.FixedType(4)), id="fixed"),
    pytest.param(table(a=pa.array([1, None])), schema(t.LongType(), required=True), id="null under required"),
    pytest.param(table(a=pa.array([1, 2])), schema(t.LongType(), required=True), id="no null under required"),
    pytest.param(table(a=pa.array([1])), schema(t.IntegerType()), id="narrowing"),
    pytest.param(table(a=pa.array([], pa.int64())), schema(t.LongType()), id="no rows"),
    pytest.param(table(a=pa.array([1, 2])), schema(), id="no columns"),
    pytest.param(table(b=pa.array([1, 2])), Schema((t.NestedField(9, "new", t.LongType()),)), id="only a new column"),
    pytest.param(
        table(m=pa.array([[("k", 1), ("k", 2)], None, []], pa.map_(pa.string(), pa.int64()))),
        schema(t.MapType(8, t.StringType(), 9, t.LongType())),
        id="a key twice",
    ),
]


@pytest.mark.parametrize(("one", "wanted"), CASES)
@pytest.mark.parametrize("use_native", [False, True])
@pytest.mark.filterwarnings("ignore::projector.errors.ProjectorWarning")
def test_polars_gives_what_rows_gives(one: pa.Table, wanted: Schema, use_native: bool, tmp_path: Path) -> None:
    with native(use_native):
        assert_rows_or_error(scan_of(tmp_path, wanted, one))
        assert_rows_or_error(scan_of(tmp_path, wanted, one, one, store_schema=False))


def test_files_of_one_shape_whose_arrow_types_differ(tmp_path: Path) -> None:
    tables = [table(a=pa.array(["x"])), table(a=pa.array(["y"]).dictionary_encode()), table(a=pa.array(["z"]))]
    scan = scan_of(tmp_path, schema(t.StringType()), *tables)
    assert scan.to_polars()["c1"].sort().to_list() == ["x", "y", "z"]
    assert sorted(scan.to_arrow(engine="polars")["c1"].to_pylist()) == ["x", "y", "z"]
    assert scan.to_lazy().filter(pl.col("c1") > "x").collect()["c1"].sort().to_list() == ["y", "z"]


def test_rows_are_given_once_where_polars_fails_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = scan_of(tmp_path, schema(t.LongType()), *[table(a=pa.array(range(i, i + 10))) for i in range(0, 50, 10)])
    real = polars_scan.stream

    def failing(*arguments: Any) -> Any:
        yield next(real(*arguments)).head(7)
        raise PolarsFailedError

    monkeypatch.setattr(polars_scan, "stream", failing)
    assert scan.to_arrow(engine="polars")["c1"].to_pylist() == list(range(50))
    assert scan.to_lazy().collect()["c1"].to_list() == list(range(50))


def test_no_files() -> None:
    scan = projector.read_files([], schema=schema(t.LongType(), t.StringType()))
    assert scan.to_arrow(engine="polars").num_rows == 0
    assert dict(scan.to_polars().schema) == {"c1": pl.Int64, "c2": pl.String}
    assert scan.to_lazy().filter(pl.col("c1") > 1).collect().height == 0


def test_a_file_that_is_listed_twice_is_read_twice(tmp_path: Path) -> None:
    wanted = Schema((t.NestedField(1, "a", t.LongType()), t.NestedField(9, "p", t.StringType())))
    path = tmp_path / "f.parquet"
    pq.write_table(table(a=pa.array([1, 2])), path)
    scan = projector.read_files([str(path)] * 2, schema=wanted, partition={9: "x"})
    assert scan.to_polars().rows() == [(1, "x"), (2, "x")] * 2


def test_names_that_polars_takes_for_patterns(tmp_path: Path) -> None:
    wanted = Schema((t.NestedField(1, "*", t.LongType()), t.NestedField(2, "^.*$", t.LongType())))
    scan = scan_of(tmp_path, wanted, table(**{"^a.*$": pa.array([1]), "*": pa.array([2])}))
    assert scan.to_polars().rows() == [(1, 2)]
    assert scan.to_lazy().collect().rows() == [(1, 2)]


@pytest.mark.parametrize("other", ["*", "^.*$", "column_0", "x"])
def test_a_column_without_a_name_keeps_it(tmp_path: Path, other: str) -> None:
    """Also where Arrow reads the file: Polars calls such a column `column_0` as it takes it over."""
    wanted = Schema((t.NestedField(1, "", t.LongType()), t.NestedField(2, other, t.LongType())))
    scan = scan_of(tmp_path, wanted, table(**{"*": pa.array([1]), other + "y": pa.array([2])}))
    for frame in (scan.to_polars(), scan.to_lazy().collect(), scan.with_limit(1).to_polars()):
        assert (frame.columns, frame.rows()) == (["", other], [(1, 2)])


def test_the_native_way_is_tried_before_it_is_used() -> None:
    assert native_works() or pl.__version__ < "2.1"


@pytest.mark.parametrize(
    ("one", "kind", "reason"),
    [
        (pa.array([1], pa.timestamp("ms")), t.TimestampType(), Reason.RESCALE),
        (
            pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
            t.MapType(8, t.StringType(), 9, t.LongType()),
            Reason.MAP,
        ),
        (pa.array([1]), t.LongType(), None),
    ],
)
def test_reasons(one: pa.Array, kind: t.IcebergType, reason: Reason | None) -> None:
    plan = plan_of(written_table(table(a=one)), schema(kind))
    assert plan_reasons(plan) == (() if reason is None else (reason,))


def test_the_error_of_the_arrow_executor(tmp_path: Path) -> None:
    scan = scan_of(tmp_path, schema(t.IntegerType()), table(a=pa.array([7, 2**31], pa.uint32())))
    with pytest.raises(ProjectionError, match=r"Cannot read 2147483648 of type uint32 as int: out of range"):
        scan.to_polars()


def test_storage_options() -> None:
    properties = {
        "s3.endpoint": "http://localhost:9000",
        "s3.access-key-id": "me",
        "client.access-key-id": "not me",
        "s3.secret-access-key": "secret",
        "client.region": "eu-west-1",
        "s3.path-style-access": "true",
        "other": "x",
    }
    assert storage_options("s3", properties) == {
        "aws_endpoint_url": "http://localhost:9000",
        "aws_access_key_id": "me",
        "aws_secret_access_key": "secret",
        "aws_region": "eu-west-1",
        "aws_allow_http": "true",
        "aws_virtual_hosted_style_request": "false",
    }
    assert storage_options("s3", {}) == {}
    assert storage_options("file", properties) == {}


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("file:///a/b c", "/a/b c"),
        ("/a/%20*?[x]", "/a/%20*?[x]"),
        ("s3a://bucket/a/b.parquet", "s3://bucket/a/b.parquet"),
        ("s3://bucket/a%20b.parquet", None),
        ("s3://bucket/a[1].parquet", None),
        ("hdfs://host/a", None),
    ],
)
def test_paths(location: str, path: str | None) -> None:
    assert polars_path(location) == path
