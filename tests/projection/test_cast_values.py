"""What a file may hold under a field: every row of the table, with values from arithmetic."""

from __future__ import annotations

import struct
import uuid
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from projector.errors import ProjectionError
from projector.projection.plan import FailCode
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
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
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from tests.engines.reading import FILE, column, error_of, plan_of, read_both, written_table
from tests.files import craft

DAY = 86_400 * 10**6
UTC = "UTC"


def requested(iceberg_type: IcebergType, required: bool = False) -> Schema:
    return Schema((NestedField(1, "c", iceberg_type, required),))


def read(array: pa.Array, iceberg_type: IcebergType, **options: Any) -> list[Any]:
    return [row["c"] for row in read_both(written_table(column(array), **options), requested(iceberg_type))]


def refusal(array: pa.Array, iceberg_type: IcebergType, **options: Any) -> str:
    error = error_of(written_table(column(array), **options), requested(iceberg_type))
    assert isinstance(error, ProjectionError)
    assert (error.path, error.field_id, error.file) == ("c", 1, FILE)
    assert str(iceberg_type) in str(error)
    return str(error)


@pytest.mark.parametrize("signed", [pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint16()])
@pytest.mark.parametrize("wanted", [IntegerType(), LongType()])
def test_narrow_integers_are_widened(signed: pa.DataType, wanted: IcebergType) -> None:
    low = 0 if pa.types.is_unsigned_integer(signed) else -(2 ** (signed.bit_width - 1))
    high = low + 2**signed.bit_width - 1
    assert read(pa.array([low, None, high], signed), wanted) == [low, None, high]


def test_unsigned_integers_that_fit() -> None:
    assert read(pa.array([0, 2**31 - 1, None], pa.uint32()), IntegerType()) == [0, 2**31 - 1, None]
    assert read(pa.array([0, 2**32 - 1, None], pa.uint32()), LongType()) == [0, 2**32 - 1, None]
    assert read(pa.array([0, 2**63 - 1, None], pa.uint64()), LongType()) == [0, 2**63 - 1, None]
    assert read(pa.array([0, 2**31 - 1, None], pa.uint64()), IntegerType()) == [0, 2**31 - 1, None]


@pytest.mark.parametrize(
    ("stored", "wanted", "first_bad"),
    [
        (pa.array([1, None, 2**31, 2**32 - 1], pa.uint32()), IntegerType(), 2**31),
        (pa.array([1, 2**64 - 1, 2**63], pa.uint64()), LongType(), 2**64 - 1),
        (pa.array([2**31], pa.uint64()), IntegerType(), 2**31),
    ],
)
def test_unsigned_integers_that_do_not_fit(stored: pa.Array, wanted: IcebergType, first_bad: int) -> None:
    assert f"Cannot read {first_bad} of type {stored.type}" in refusal(stored, wanted)


def test_floats_are_widened() -> None:
    assert read(pa.array([0.1, None, -0.0], pa.float32()), DoubleType()) == [0.10000000149011612, None, -0.0]
    assert read(pa.array([1.5, None, 65504.0], pa.float16()), FloatType()) == [1.5, None, 65504.0]
    assert read(pa.array([1.5, None, 65504.0], pa.float16()), DoubleType()) == [1.5, None, 65504.0]


@pytest.mark.parametrize("as_integer", [True, False])
@pytest.mark.parametrize("precision", [4, 9, 10, 18, 19, 38])
def test_decimals_of_lower_precision(precision: int, as_integer: bool) -> None:
    values = [Decimal("12.34"), None, Decimal("-99.99"), Decimal("0.00")]
    stored = pa.array(values, pa.decimal128(precision, 2))
    for wanted in {precision, 38}:
        assert read(stored, DecimalType(wanted, 2), store_decimal_as_integer=as_integer) == values


@pytest.mark.parametrize("kind", [pa.decimal32(5, 2), pa.decimal64(5, 2), pa.decimal256(5, 2)])
def test_decimals_that_the_arrow_schema_gives_another_width(kind: pa.DataType) -> None:
    values = [Decimal("12.34"), None, Decimal("-999.99")]
    assert read(pa.array(values, kind), DecimalType(5, 2)) == values
    assert read(pa.array(values, kind), DecimalType(20, 2)) == values


def test_dates_become_timestamps() -> None:
    stored = pa.array([-1, None, 18_262], pa.date32())
    assert read(stored, TimestampType()) == [-DAY, None, 18_262 * DAY]
    assert read(stored, TimestampNanoType()) == [-DAY * 1000, None, 18_262 * DAY * 1000]
    # 2**63 microseconds are 106,751,991 days and some hours; nanoseconds a thousandth of that
    for wanted, most in ((TimestampType(), 106_751_991), (TimestampNanoType(), 106_751)):
        factor = DAY if wanted == TimestampType() else DAY * 1000
        assert read(pa.array([-most, most], pa.date32()), wanted) == [-most * factor, most * factor]
        assert f"Cannot read {most + 1} of type date" in refusal(pa.array([0, most + 1], pa.date32()), wanted)
        assert f"Cannot read {-most - 1} of type date" in refusal(pa.array([0, -most - 1], pa.date32()), wanted)


@pytest.mark.parametrize(("zone", "micros", "nanos"), [
    (None, TimestampType(), TimestampNanoType()), (UTC, TimestamptzType(), TimestamptzNanoType()),
])  # fmt: skip
def test_timestamps_of_another_unit(zone: str | None, micros: IcebergType, nanos: IcebergType) -> None:
    millis = pa.array([-1, None, 1_700_000_000_123], pa.timestamp("ms", zone))
    assert read(millis, micros) == [-1000, None, 1_700_000_000_123_000]
    assert read(millis, nanos) == [-1_000_000, None, 1_700_000_000_123_000_000]
    fine = pa.array([-5000, None, 7000], pa.timestamp("ns", zone))
    assert read(fine, micros) == [-5, None, 7]
    assert read(pa.array([-5, None], pa.timestamp("us", zone)), nanos) == [-5000, None]
    assert "Cannot read -1 of type timestamp[ns" in refusal(pa.array([-5000, -1, 2], pa.timestamp("ns", zone)), micros)
    far = pa.array([2**63 // 1000 + 1], pa.timestamp("us", zone))
    assert "out of range" in refusal(far, nanos)
    assert "out of range" in refusal(pa.array([-(2**63) // 1000 - 1], pa.timestamp("ms", zone)), micros)


def test_the_utc_flag_does_not_move_the_stored_number() -> None:
    assert read(pa.array([5, None], pa.timestamp("us")), TimestamptzType()) == [5, None]
    assert read(pa.array([5, None], pa.timestamp("us", UTC)), TimestampType()) == [5, None]
    assert read(pa.array([5, None], pa.timestamp("us", "Asia/Tokyo")), TimestamptzType()) == [5, None]


def test_times_of_another_unit() -> None:
    assert read(pa.array([1, None, 86_399_999], pa.time32("ms")), TimeType()) == [1000, None, 86_399_999_000]
    assert read(pa.array([1000, None], pa.time64("ns")), TimeType()) == [1, None]
    assert "Cannot read 1001 of type time[ns" in refusal(pa.array([1000, 1001], pa.time64("ns")), TimeType())


INT96 = {"use_deprecated_int96_timestamps": True}


def test_int96_is_exact_where_nanoseconds_overflow() -> None:
    # 0001-01-01, 9999-12-31T23:59:59.999999, and one second around the epoch
    values = [-62_135_596_800_000_000, 253_402_300_799_999_999, -1, 0, 1, None]
    stored = pa.array(values, pa.timestamp("us"))
    assert read(stored, TimestampType(), **INT96) == values
    assert read(stored, TimestamptzType(), **INT96) == values
    near = pa.array([-1, 0, 1_700_000_000_123_456_789, None], pa.timestamp("ns"))
    assert read(near, TimestampNanoType(), **INT96) == [-1, 0, 1_700_000_000_123_456_789, None]
    assert read(pa.array([-1000, None], pa.timestamp("ns")), TimestampType(), **INT96) == [-1, None]


def test_int96_that_cannot_be_exact() -> None:
    fine = pa.array([0, None, 1_700_000_000_123_456_789], pa.timestamp("ns"))
    assert "Cannot read 1700000000123456789 of type int96" in refusal(fine, TimestampType(), **INT96)
    far = pa.array([0, 253_402_300_799_999_999], pa.timestamp("us"))
    assert "Cannot read 253402300799999999000 of type int96" in refusal(far, TimestampNanoType(), **INT96)


def int96(*values: tuple[int, int]) -> bytes:
    """A file of int96 values, each a Julian day (that of 1970-01-01 is 2440588) and nanoseconds of it."""
    stored = pa.array([struct.pack("<qi", nanos, day) for day, nanos in values], pa.binary(12))
    data = written_table(column(stored), use_dictionary=False, write_statistics=False)
    return craft.edit(data, {("c",): {"physical": "int96", "length": None}})


def test_int96_with_negative_nanoseconds_of_the_day() -> None:
    # what Arrow C++ wrote for one microsecond, and for a day and a half, before 1970; and the end of 2299
    data = int96((2440588, -1000), (2440587, -43_200 * 10**9), (2561118, 86_399_999_999_000))
    end_of_2299 = (2561118 - 2440588) * DAY + 86_399_999_999
    expected = [-1, -DAY - DAY // 2, end_of_2299]
    assert [row["c"] for row in read_both(data, requested(TimestampType()))] == expected
    early = int96((2440588, -1000), (2440588, 5))
    assert [row["c"] for row in read_both(early, requested(TimestampNanoType()))] == [-1000, 5]
    for late in (int96((2561118, 86_399_999_999_000)), int96((2440588, -1001))):
        assert "out of range" in str(error_of(late, requested(TimestampNanoType())))


def test_int96_inside_lists_and_structs() -> None:
    values = [[{"t": -62_135_596_800_000_000, "u": 1}, None], None, [], [{"t": None, "u": None}]]
    inner = pa.struct([
        pa.field("u", pa.int32(), metadata={"PARQUET:field_id": "4"}),
        pa.field("t", pa.timestamp("us"), metadata={"PARQUET:field_id": "3"}),
    ])  # fmt: skip
    element = pa.field("element", inner, metadata={"PARQUET:field_id": "2"})
    data = written_table(column(pa.array(values, pa.list_(element))), **INT96)
    from projector.schema.types import ListType, StructType

    fields = (NestedField(3, "t", TimestampType()), NestedField(4, "u", LongType()))
    rows = read_both(data, requested(ListType(2, StructType(fields))))
    assert [row["c"] for row in rows] == values


@pytest.mark.parametrize("annotation", [None, "enum", "json"])
def test_bytes_are_text_where_they_are_utf8(annotation: str | None) -> None:
    logical = {None: None, "enum": craft.LOGICAL_ENUM, "json": craft.LOGICAL_JSON}[annotation]
    converted = {None: None, "enum": craft.ENUM, "json": craft.JSON}[annotation]

    def file(values: list[bytes | None]) -> bytes:
        data = written_table(column(pa.array(values, pa.binary())))
        return craft.edit(data, {("c",): {"logical": logical, "converted": converted}})

    rows = read_both(file(["é".encode(), None, b""]), requested(StringType()))
    assert [row["c"] for row in rows] == ["é", None, ""]
    error = error_of(file([b"ok", None, b"\xff\xfe"]), requested(StringType()))
    assert "invalid UTF-8" in str(error)
    assert r"b'\xff\xfe'" in str(error)


def test_a_string_column_that_is_not_utf8_is_refused() -> None:
    data = written_table(column(pa.array([b"ok", b"\xc3("], pa.binary())))
    data = craft.edit(data, {("c",): {"logical": craft.STRING, "converted": craft.UTF8}})
    assert "invalid UTF-8" in str(error_of(data, requested(StringType())))


def test_strings_are_bytes_where_bytes_are_asked_for() -> None:
    assert read(pa.array(["é", None, ""]), BinaryType()) == ["é".encode(), None, b""]


def test_sixteen_bytes_are_a_uuid() -> None:
    one = uuid.UUID(int=2**127 + 5)
    stored = pa.array([one.bytes, None], pa.binary(16))
    assert read(stored, UUIDType()) == [one, None]
    assert read(pa.ExtensionArray.from_storage(pa.uuid(), stored), UUIDType()) == [one, None]
    assert read(stored, FixedType(16)) == [one.bytes, None]


@pytest.mark.parametrize(
    ("stored", "wanted"),
    [
        (pa.array([1], pa.int64()), IntegerType()),
        (pa.array([1.0]), FloatType()),
        (pa.array([1.0]), LongType()),
        (pa.array([1]), DoubleType()),
        (pa.array(["1"]), IntegerType()),
        (pa.array([1]), StringType()),
        (pa.array([Decimal("1.00")]), DecimalType(9, 3)),
        (pa.array([Decimal("1.00")], pa.decimal128(9, 2)), DecimalType(8, 2)),
        (pa.array([1], pa.date32()), TimestamptzType()),
        (pa.array([1], pa.timestamp("us")), DateType()),
        (pa.array([b"1234"], pa.binary(4)), FixedType(5)),
        (pa.array([b"1234"], pa.binary(4)), UUIDType()),
    ],
)
def test_narrowing_and_changes_of_kind_are_refused_before_a_row_is_read(stored: pa.Array, wanted: IcebergType) -> None:
    error = error_of(written_table(column(stored)), requested(wanted))
    assert isinstance(error, ProjectionError)
    assert [node.code for node in error.failures] == [FailCode.TYPE]


def test_a_null_under_a_required_field_is_refused() -> None:
    data = written_table(column(pa.array([1, None], pa.int32())))
    error = error_of(data, requested(IntegerType(), required=True))
    assert (error.path, error.field_id, error.file) == ("c", 1, FILE)
    data = written_table(column(pa.array([1, 2], pa.int32())))
    assert [row["c"] for row in read_both(data, requested(IntegerType(), required=True))] == [1, 2]


def test_every_failure_is_told_at_once() -> None:
    data = written_table(column(pa.array([1.0])))
    schema = Schema((NestedField(1, "c", LongType()), NestedField(2, "d", LongType(), True)))
    error = error_of(data, schema)
    assert isinstance(error, ProjectionError)
    assert [node.code for node in error.failures] == [FailCode.TYPE, FailCode.REQUIRED]
    assert "c (id 1)" in str(error)
    assert "d (id 2)" in str(error)
    assert plan_of(data, schema).failures == error.failures
