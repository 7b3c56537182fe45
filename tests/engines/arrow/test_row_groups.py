"""Row groups that a filter cannot match are not read: statistics through the plan, never a row lost for it."""

from __future__ import annotations

import io
import uuid
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from projector.engines.arrow.row_groups import row_group_filter
from projector.files.storage.storage import Storage
from projector.planning.filters.bind import bind
from projector.planning.filters.parser import to_expression
from projector.planning.scan.metadata_columns import METADATA_FIELDS
from projector.planning.scan.projected_files import PlanCache, project_file
from projector.planning.scan.source import FileListSource
from projector.planning.scan.tasks import FileTask
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from tests.planning.tables import TableBuilder

C = "c"


def file_of(array: pa.Array, folder: Path, row_group_size: int = 2, **options: Any) -> str:
    """A Parquet file of one column, `c` with id 1."""
    field = pa.field(C, array.type, metadata={"PARQUET:field_id": "1"})
    path = folder / "f.parquet"
    pq.write_table(
        pa.Table.from_arrays([array], schema=pa.schema([field])), path, row_group_size=row_group_size, **options
    )
    return str(path)


def chosen(path: str, schema: Schema, row_filter: str, **task: Any) -> list[int] | None:
    """The row groups that are read; None where the whole file is skipped."""
    bound = bind(to_expression(row_filter), Schema((*schema.fields, *METADATA_FIELDS.values())))
    request = FileListSource((path,), schema, Storage()).request(schema, bound)
    projected = project_file(FileTask(path, path, **task), PlanCache(request.wide_schema), request.storage)
    found = row_group_filter(projected, request)
    return found.chosen(pq.read_metadata(path)) if found.might_match() else None


def one(kind: IcebergType, **how: Any) -> Schema:
    return Schema((NestedField(1, C, kind, **how),))


@pytest.mark.parametrize(
    ("array", "kind", "row_filter", "groups"),
    [
        (pa.array([1, 2, 3, 4], pa.int32()), IntegerType(), "c > 2", [1]),
        (pa.array([1, 2, 3, 4], pa.int32()), LongType(), "c > 2147483648", []),
        (pa.array([1, 2, 3, 4], pa.int32()), LongType(), "c < 2147483648", [0, 1]),
        (pa.array([1, 2, 3, 4], pa.int8()), IntegerType(), "c = 3", [1]),
        (pa.array([1, 2, 2**32 - 1, 5], pa.uint32()), LongType(), "c > 2147483648", [1]),
        (pa.array([1, 2, 2**63 - 1, 5], pa.uint64()), LongType(), "c = 2", [0]),
        (pa.array([0.1, 0.2, 1.1, 1.2], pa.float32()), DoubleType(), "c > 0.1", [0, 1]),
        (pa.array([0.1, 0.2, 1.1, 1.2], pa.float32()), FloatType(), "c < 1", [0]),
        (pa.array([0.5, 0.25, 1.5, 1.25], pa.float16()), FloatType(), "c < 1", [0]),
        (pa.array([-0.0, -0.0, 1.0, 1.0], pa.float64()), DoubleType(), "c >= 0 and c < 1", [0]),
        (pa.array([True, True, False, False]), BooleanType(), "c", [0]),
        (pa.array([Decimal("1.00"), Decimal("2.00"), Decimal("-3.00"), Decimal("-4.00")], pa.decimal128(9, 2)),
         DecimalType(20, 2), "c < 0", [1]),
        (pa.array([1, 2, 30, 40], pa.date32()), DateType(), "c >= date '1970-01-20'", [1]),
        (pa.array([1, 2, 30, 40], pa.date32()), TimestampType(), "c > timestamp '1970-01-03 00:00:00'", [1]),
        (pa.array([1, 2, 30, 40], pa.date32()), TimestampNanoType(), "c > timestamp '1970-01-03 00:00:00'", [1]),
        (pa.array([1, 2, 3000, 4000], pa.time32("ms")), TimeType(), "c > time '00:00:01'", [1]),
        (pa.array([1, 2, 3000, 4000], pa.timestamp("ms")), TimestampType(), "c > timestamp '1970-01-01 00:00:01'", [1]),
        (pa.array([1001, 2999, 10**10, 10**11], pa.timestamp("ns")), TimestampType(),
         "c = timestamp '1970-01-01 00:00:00.000003'", [0]),
        (pa.array([1, 2, 10**9, 10**9], pa.timestamp("us", "UTC")), TimestamptzType(),
         "c > timestamp '1970-01-01 00:01:00+00:00'", [1]),
        (pa.array(["a", "b", "é", "ü"]), StringType(), "c = 'é'", [1]),
        (pa.array(["a", "b", "é", "ü"]), StringType(), "c like 'b%'", [0]),
        (pa.array([b"a", b"b", b"\xff", b"\xfe"]), BinaryType(), "c > X'f0'", [1]),
        (pa.array([b"a", b"b", b"\xff", b"\xfe"]), StringType(), "c = 'b'", [0, 1]),  # the second is no UTF-8
        (pa.array([b"ab", b"ac", b"zz", b"zy"], pa.binary(2)), FixedType(2), "c = X'6162'", [0]),
        (pa.array([None, None, 1, 2], pa.int32()), IntegerType(), "c is null", [0]),
        (pa.array([None, None, 1, 2], pa.int32()), IntegerType(), "c is not null", [1]),
        (pa.array([None, None, 1, None], pa.int32()), IntegerType(), "c != 1", []),
    ],
)  # fmt: skip
def test_statistics_by_type(
    tmp_path: Path, array: pa.Array, kind: IcebergType, row_filter: str, groups: list[int]
) -> None:
    assert chosen(file_of(array, tmp_path), one(kind), row_filter) == groups


def test_uuids(tmp_path: Path) -> None:
    values = [uuid.UUID(int=n) for n in (1, 2, 2**127, 2**128 - 1)]
    array = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([v.bytes for v in values], pa.binary(16)))
    path = file_of(array, tmp_path)
    assert chosen(path, one(UUIDType()), f"c = '{values[0]}'") == [0]
    plain = file_of(pa.array([v.bytes for v in values], pa.binary(16)), tmp_path)
    assert chosen(plain, one(UUIDType()), f"c = '{values[3]}'") == [1]


def test_decimals_as_bytes(tmp_path: Path) -> None:
    array = pa.array([Decimal(1), Decimal(2), Decimal(-3), Decimal(-40000)], pa.decimal128(38, 0))
    path = file_of(array, tmp_path, store_decimal_as_integer=False)
    assert chosen(path, one(DecimalType(38, 0)), "c < 0") == [1]
    assert chosen(path, one(DecimalType(38, 0)), "c = -40000") == [1]


def test_int96_says_nothing(tmp_path: Path) -> None:
    array = pa.array([1, 2, 10**15, 10**15], pa.timestamp("us"))
    path = file_of(array, tmp_path, use_deprecated_int96_timestamps=True)
    assert chosen(path, one(TimestampType()), "c > timestamp '2400-01-01 00:00:00'") == [0, 1]


def test_files_without_statistics_are_read(tmp_path: Path) -> None:
    path = file_of(pa.array([1, 2, 3, 4], pa.int32()), tmp_path, write_statistics=False)
    assert chosen(path, one(IntegerType()), "c > 100") == [0, 1]
    assert chosen(path, one(IntegerType()), "c is null") == [0, 1]


def test_nan_is_above_every_bound(tmp_path: Path) -> None:
    path = file_of(pa.array([1.0, float("nan"), 2.0, 3.0]), tmp_path)
    assert chosen(path, one(DoubleType()), "c > 100") == [0, 1]  # nobody counts NaNs, and they are above 100
    assert chosen(path, one(DoubleType()), "c = 2.5") == [1]
    nothing_else = file_of(pa.array([float("nan"), float("nan"), 2.0, 3.0]), tmp_path)
    assert chosen(nothing_else, one(DoubleType()), "c = 2.5") == [0, 1]


class FakeStatistics:
    """Statistics as a broken or foreign writer may have left them."""

    def __init__(self, low: Any, high: Any, nulls: int | None = 0) -> None:
        self.min_raw, self.max_raw, self.null_count = low, high, nulls
        self.has_min_max = low is not None
        self.has_null_count = nulls is not None


class FakeMetadata:
    """A footer with one column in one row group of ten rows."""

    num_row_groups = 1
    num_rows = 10

    def __init__(self, statistics: FakeStatistics | Exception | None, created_by: str = "test") -> None:
        self._statistics = statistics
        self.created_by = created_by

    def row_group(self, _: int) -> FakeMetadata:
        return self

    def column(self, _: int) -> FakeMetadata:
        return self

    @property
    def statistics(self) -> FakeStatistics | None:
        if isinstance(self._statistics, Exception):
            raise self._statistics
        return self._statistics


def might(tmp_path: Path, array: pa.Array, kind: IcebergType, row_filter: str, metadata: FakeMetadata) -> bool:
    path = file_of(array, tmp_path)
    schema = one(kind)
    bound = bind(to_expression(row_filter), schema)
    request = FileListSource((path,), schema, Storage()).request(schema, bound)
    projected = project_file(FileTask(path, path), PlanCache(request.wide_schema), request.storage)
    return row_group_filter(projected, request).chosen(metadata) == [0]  # type: ignore[arg-type]


INT = (pa.array([1], pa.int32()), IntegerType())
TEXT = (pa.array(["a"]), StringType())
DECIMAL = (pa.array([Decimal(1)], pa.decimal128(38, 0)), DecimalType(38, 0))


@pytest.mark.parametrize(
    ("column", "row_filter", "statistics", "read"),
    [
        (INT, "c = 7", FakeStatistics(1, 5), False),
        (INT, "c = 7", FakeStatistics(9, 5), True),  # inverted
        (INT, "c is null", FakeStatistics(1, 5, 0), False),
        (INT, "c is null", FakeStatistics(1, 5, None), True),
        (INT, "c is null", FakeStatistics(1, 5, 11), True),  # more nulls than rows
        (INT, "c is not null", FakeStatistics(1, 5, 10), True),  # nothing but nulls, and bounds
        (INT, "c = 7", FakeStatistics(None, None, 10), False),
        (INT, "c = 7", None, True),
        (INT, "c = 7", OSError("cannot decode"), True),
        (TEXT, "c = 'b'", FakeStatistics(b"a", b"\xff"), True),  # a bound that is no UTF-8
        (TEXT, "c = 'aaaaaaaaaaaaaaaaaaaaa'", FakeStatistics(b"a" * 16, b"a" * 16), True),  # cut, not rounded up
        (DECIMAL, "c = 7", FakeStatistics(b"\x00", b"\x05"), False),
        (DECIMAL, "c = 7", FakeStatistics(b"", b""), True),
    ],
)
def test_statistics_that_cannot_be_right_say_nothing(
    tmp_path: Path, column: tuple[pa.Array, IcebergType], row_filter: str, statistics: Any, read: bool
) -> None:
    assert might(tmp_path, *column, row_filter, FakeMetadata(statistics)) is read


@pytest.mark.parametrize(
    ("created_by", "read"),
    [("parquet-mr version 1.9.0 (build x)", True), ("parquet-mr version 1.10.1 (build x)", False), ("", False)],
)
def test_java_compared_bytes_as_signed_before_1_10(tmp_path: Path, created_by: str, read: bool) -> None:
    metadata = FakeMetadata(FakeStatistics(b"\x00", b"\x05"), created_by)
    assert might(tmp_path, *DECIMAL, "c = 7", metadata) is read
    assert might(tmp_path, *INT, "c = 7", FakeMetadata(FakeStatistics(1, 5), created_by)) is False


# ---------------------------------------------------------------------------------------------------------- constants


def test_columns_that_the_file_lacks_decide_for_all_of_it(tmp_path: Path) -> None:
    path = file_of(pa.array([1, 2, 3, 4], pa.int32()), tmp_path)
    schema = Schema(
        (
            NestedField(1, C, IntegerType()),
            NestedField(2, "d", StringType(), initial_default="US"),
            NestedField(3, "n", IntegerType()),
            NestedField(4, "p", IntegerType()),
            NestedField(5, "s", StructType((NestedField(6, "x", IntegerType(), initial_default=5),))),
        )
    )
    assert chosen(path, schema, "d = 'DE'") is None
    assert chosen(path, schema, "d = 'US' and c > 2") == [1]
    assert chosen(path, schema, "n is null and c < 3") == [0]
    assert chosen(path, schema, "n > 0 or c < 3") == [0]
    assert chosen(path, schema, "n != 0") is None
    assert chosen(path, schema, "p = 7", identity_partition={4: 8}) is None
    assert chosen(path, schema, "p = 8 and c = 1", identity_partition={4: 8}) == [0]
    assert chosen(path, schema, "p is null", identity_partition={4: None}) == [0, 1]
    assert chosen(path, schema, "s.x = 5") is None  # no struct, no child
    assert chosen(path, schema, "s.x is null and s is null") == [0, 1]


def test_defaults_below_a_struct_of_the_file(tmp_path: Path) -> None:
    x = NestedField(3, "x", IntegerType())
    table = TableBuilder(tmp_path, Schema((NestedField(2, "s", StructType((x,))),)), 3)
    path = table.append([{"s": {"x": 1}}, {"s": None}])
    schema = Schema((NestedField(2, "s", StructType((x, NestedField(4, "y", IntegerType(), initial_default=5)))),))
    assert chosen(path, schema, "s.y = 5") == [0]
    assert chosen(path, schema, "s.y is null") == [0]
    assert chosen(path, schema, "s.y = 6") is None
    assert chosen(path, schema, "s.x > 1") == []
    required = Schema((NestedField(2, "s", StructType((x,)), required=True),))
    assert chosen(path, required, "s.x is null") == [0]


def test_metadata_columns(tmp_path: Path) -> None:
    path = file_of(pa.array([1, 2, 3, 4, 5], pa.int32()), tmp_path)
    schema = one(IntegerType())
    assert chosen(path, schema, "_pos >= 2 and _pos < 4") == [1]
    assert chosen(path, schema, "_pos = 4") == [2]
    assert chosen(path, schema, "_pos > 4") == []
    assert chosen(path, schema, f"_file = '{path}'") == [0, 1, 2]
    assert chosen(path, schema, "_file = 'other'") is None
    assert chosen(path, schema, "_spec_id = 1", spec_id=1) == [0, 1, 2]
    assert chosen(path, schema, "_spec_id = 2", spec_id=1) is None
    assert chosen(path, schema, "_row_id = 102", first_row_id=100) == [1]
    assert chosen(path, schema, "_row_id = 102") is None  # no lineage: null
    assert chosen(path, schema, "_row_id is null") == [0, 1, 2]
    sequence = {"data_sequence_number": 3, "first_row_id": 0}
    assert chosen(path, schema, "_last_updated_sequence_number = 3", **sequence) == [0, 1, 2]
    assert chosen(path, schema, "_last_updated_sequence_number = 4", **sequence) is None


def test_row_ids_of_its_own_column_are_not_counted(tmp_path: Path) -> None:
    field = NestedField(1, C, IntegerType())
    table = TableBuilder(tmp_path, Schema((field, METADATA_FIELDS[2147483540])), 3)
    path = table.append([{"c": 1, "_row_id": 7}, {"c": 2, "_row_id": None}])
    assert chosen(path, Schema((field,)), "_row_id = 7", first_row_id=100) == [0]
    assert chosen(path, Schema((field,)), "_row_id = 101", first_row_id=100) == [0]


# -------------------------------------------------------------------------------------------------- through whole scans


def opened_rows(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[int] | None]:
    """What row groups pyarrow is asked for."""
    asked: list[Sequence[int] | None] = []
    original = pq.ParquetFile.iter_batches

    def iter_batches(self: Any, batch_size: int = 65536, row_groups: Any = None, *rest: Any, **more: Any) -> Any:
        asked.append(row_groups)
        return original(self, batch_size, row_groups, *rest, **more)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", iter_batches)
    return asked


def test_positions_and_deletes_are_right_where_row_groups_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = TableBuilder(tmp_path, Schema((NestedField(1, "id", IntegerType()),)), 3)
    file = table.append([{"id": n} for n in range(1000)], row_group_size=100, bounds=False)
    table.delete_vectors({file: [5, 555, 999]})
    asked = opened_rows(monkeypatch)
    scan = table.load().scan("id >= 550 and id < 560", selected_fields=("id", "_pos", "_row_id"))
    rows = scan.to_arrow().to_pylist()
    assert [r["id"] for r in rows] == [n for n in range(550, 560) if n != 555]
    assert all(r["id"] == r["_pos"] == r["_row_id"] for r in rows)
    assert asked == [[5]]
    assert rows == scan.to_arrow("rows").to_pylist()


def test_a_file_decided_by_a_constant_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = TableBuilder(tmp_path, Schema((NestedField(1, "id", IntegerType()),)), 3)
    table.append([{"id": n} for n in range(10)])
    table.evolve(Schema((*table.schema.fields, NestedField(2, "c", StringType(), initial_default="US"))))
    table.append([{"id": 10, "c": "DE"}])
    asked = opened_rows(monkeypatch)
    assert table.load().scan("c = 'DE'").to_arrow().column("id").to_pylist() == [10]
    assert asked == [[0]]


def test_many_row_groups_stream_one_after_the_other(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, Schema((NestedField(1, "id", IntegerType()),)), 2)
    table.append([{"id": n % 50} for n in range(1000)], row_group_size=10, bounds=False)
    reader = table.load().scan("id >= 20 and id < 30").to_arrow_batch_reader(batch_size=25)
    sizes = [batch.num_rows for batch in reader]
    assert sum(sizes) == 200
    assert max(sizes) <= 25


def test_bloom_filters_and_page_indexes_change_nothing(tmp_path: Path) -> None:
    array = pa.array([1, 2, 3, 4], pa.int32())
    path = file_of(array, tmp_path, write_page_index=True)
    assert chosen(path, one(LongType()), "c = 3") == [1]


def test_an_empty_file_and_empty_row_groups(tmp_path: Path) -> None:
    sink = io.BytesIO()
    schema = pa.schema([pa.field(C, pa.int32(), metadata={"PARQUET:field_id": "1"})])
    with pq.ParquetWriter(sink, schema) as writer:
        writer.write_table(pa.table({C: pa.array([1], pa.int32())}, schema=schema))
        writer.write_table(pa.table({C: pa.array([], pa.int32())}, schema=schema))
        writer.write_table(pa.table({C: pa.array([2], pa.int32())}, schema=schema))
    path = tmp_path / "g.parquet"
    path.write_bytes(sink.getvalue())
    found = chosen(str(path), one(IntegerType()), "c >= 1")
    kept_rows = pq.ParquetFile(path).read_row_groups(found).column(C).to_pylist()
    assert kept_rows == [1, 2]


@pytest.mark.parametrize(
    ("array", "field_type", "row_filter", "read"),
    [
        (pa.array([1, 2, 3], pa.int32()), IntegerType(), "c = 9", []),
        (pa.array(["a", "b", "c"]), StringType(), "c = 'z'", [0, 1]),
    ],
)
def test_a_writer_whose_name_is_not_text(
    tmp_path: Path, array: pa.Array, field_type: IcebergType, row_filter: str, read: list[int]
) -> None:
    """Java ignores the statistics of bytes if it cannot parse who wrote the file; those of numbers count."""
    file = Path(file_of(array, tmp_path))
    content = file.read_bytes()
    file.write_bytes(content.replace(b"parquet-cpp-arrow", b"parquet-\xe5pp-arrow"))
    assert file.read_bytes() != content
    schema = Schema((NestedField(1, C, field_type, False),))
    assert chosen(str(file), schema, row_filter) == read
