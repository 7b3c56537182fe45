"""Transforms: the vectors of the spec's Appendix B and of its table of truncations, and arithmetic."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projector.errors import InvalidMetadataError, UnsupportedError
from projector.metadata.transforms import (
    Bucket,
    Day,
    Hour,
    Identity,
    Month,
    Truncate,
    UnknownTransform,
    Void,
    Year,
    accepts,
    apply,
    hash_value,
    parse_transform,
    preserves_order,
    result_type,
)
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    GeometryType,
    IntegerType,
    ListType,
    LongType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
    VariantType,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INT_MIN, _INT_MAX = -(2**31), 2**31 - 1
_MICROS = timedelta(microseconds=1)


def _micros(text: str) -> int:
    return (datetime.fromisoformat(text).replace(tzinfo=UTC) - _EPOCH) // _MICROS


def _days(text: str) -> int:
    return (date.fromisoformat(text) - date(1970, 1, 1)).days


@pytest.mark.parametrize(
    ("value", "source", "expected"),
    [
        (34, IntegerType(), 2017239379),
        (34, LongType(), 2017239379),
        (Decimal("14.20"), DecimalType(9, 2), -500754589),
        (Decimal("14.20"), DecimalType(38, 2), -500754589),
        (_days("2017-11-16"), DateType(), -653330422),
        (81068000000, TimeType(), -662762989),
        (_micros("2017-11-16T22:31:08"), TimestampType(), -2047944441),
        (_micros("2017-11-16T22:31:08.000001"), TimestampType(), -1207196810),
        (_micros("2017-11-16T22:31:08"), TimestamptzType(), -2047944441),
        (_micros("2017-11-16T22:31:08.000001"), TimestamptzType(), -1207196810),
        (_micros("2017-11-16T22:31:08") * 1000, TimestampNanoType(), -2047944441),
        (_micros("2017-11-16T22:31:08.000001") * 1000 + 1, TimestampNanoType(), -1207196810),
        (_micros("2017-11-16T22:31:08.000001") * 1000 + 1, TimestamptzNanoType(), -1207196810),
        ("iceberg", StringType(), 1210000089),
        (UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7"), UUIDType(), 1488055340),
        (b"\x00\x01\x02\x03", FixedType(4), -188683207),
        (b"\x00\x01\x02\x03", BinaryType(), -188683207),
    ],
)
def test_hashes_of_appendix_b(value, source, expected):
    assert hash_value(value, source) == expected
    assert apply(Bucket(100), value, source) == (expected & 0x7FFFFFFF) % 100


def test_decimal_hash_takes_the_fewest_bytes():
    # one byte up to 127, and 128 needs a second for its sign
    assert hash_value(Decimal("1.28"), DecimalType(9, 2)) == hash_value(b"\x00\x80", BinaryType())
    assert hash_value(Decimal("-1.28"), DecimalType(9, 2)) == hash_value(b"\x80", BinaryType())
    assert hash_value(Decimal(0), DecimalType(9, 0)) == hash_value(b"\x00", BinaryType())
    digits = "9" * 38
    assert hash_value(Decimal(digits), DecimalType(38, 0)) == hash_value(int(digits).to_bytes(16, "big"), BinaryType())


@pytest.mark.parametrize("source", [FloatType(), DoubleType(), BooleanType(), VariantType()])
def test_bucket_refuses_what_is_not_hashed(source):
    with pytest.raises(InvalidMetadataError, match=r"Cannot bind: bucket\[4\] cannot transform"):
        apply(Bucket(4), 1.0, source)


@pytest.mark.parametrize(
    ("width", "value", "source", "expected"),
    [
        (10, 1, IntegerType(), 0),
        (10, -1, IntegerType(), -10),
        (10, -10, IntegerType(), -10),
        (10, -11, LongType(), -20),
        (10000, -1, LongType(), -10000),
        (10, _INT_MAX, IntegerType(), 2147483640),
        (10, _INT_MIN, LongType(), -2147483650),
        # v - (((v % W) + W) % W) in 32 bits, as Java computes it
        (10, _INT_MIN, IntegerType(), 2147483646),
        (10000, _INT_MIN, IntegerType(), -2147483648 - 6352 + 2**32),
        (50, Decimal("10.65"), DecimalType(9, 2), Decimal("10.50")),
        (10, Decimal("-0.05"), DecimalType(9, 2), Decimal("-0.10")),
        (10, Decimal("9" * 38), DecimalType(38, 0), Decimal("9" * 37 + "0")),
        (3, "iceberg", StringType(), "ice"),
        (3, "ic", StringType(), "ic"),
        (2, "𝄞é本", StringType(), "𝄞é"),
        (3, b"\x01\x02\x03\x04\x05", BinaryType(), b"\x01\x02\x03"),
    ],
)
def test_truncate(width, value, source, expected):
    found = apply(Truncate(width), value, source)
    assert found == expected
    assert str(found) == str(expected)  # a decimal keeps its scale


def test_truncate_of_the_smallest_int_wraps():
    for width in (10, 10000):
        exact = _INT_MIN - _INT_MIN % width
        assert apply(Truncate(width), _INT_MIN, IntegerType()) == exact + 2**32


@pytest.mark.parametrize(
    ("text", "year", "month", "day", "hour"),
    [
        ("1970-01-01T00:00:00", 0, 0, 0, 0),
        ("1969-12-31T23:59:59.999999", -1, -1, -1, -1),
        ("1969-12-31T00:00:00", -1, -1, -1, -24),
        ("1969-01-01T00:00:00", -1, -12, -365, -8760),
        ("1968-12-31T23:00:00", -2, -13, -366, -8761),
        ("2017-12-01T10:12:55.038194", 47, 575, 17501, 420034),
        ("2024-02-29T12:00:00", 54, 649, 19782, 474780),
        ("0001-01-01T00:00:00", -1969, -23628, -719162, -17259888),
    ],
)
def test_periods_are_floored(text, year, month, day, hour):
    micros = _micros(text)
    for source, value in (
        (TimestampType(), micros),
        (TimestamptzType(), micros),
        (TimestampNanoType(), micros * 1000),
        (TimestampNanoType(), micros * 1000 + 999),
        (TimestamptzNanoType(), micros * 1000),
    ):
        assert apply(Year(), value, source) == year
        assert apply(Month(), value, source) == month
        assert apply(Day(), value, source) == day
        assert apply(Hour(), value, source) == hour
    assert [apply(t, day, DateType()) for t in (Year(), Month(), Day())] == [year, month, day]


@settings(deadline=None)
@given(st.dates())
def test_periods_of_dates_are_the_calendars(value):
    days = (value - date(1970, 1, 1)).days
    assert apply(Year(), days, DateType()) == value.year - 1970
    assert apply(Month(), days, DateType()) == (value.year - 1970) * 12 + value.month - 1


def test_periods_beyond_python_dates():
    assert apply(Year(), 2**31 - 1, DateType()) == 5881580 - 1970  # LocalDate.ofEpochDay(Integer.MAX_VALUE)
    assert apply(Year(), -(2**31), DateType()) == -5877641 - 1970


def test_hours_wrap_at_32_bits():
    hours = (2**63 - 1) // 3_600_000_000
    assert hours == 2562047788
    assert apply(Hour(), 2**63 - 1, TimestampType()) == hours - 2**32
    assert apply(Hour(), -(2**63), TimestamptzType()) == 2**32 - hours - 1


def test_nulls_and_void():
    for transform in (Identity(), Bucket(4), Truncate(4), Void()):
        assert apply(transform, None, StringType()) is None
    assert apply(Day(), None, DateType()) is None
    assert apply(Void(), "x", StringType()) is None
    assert apply(Identity(), 1.5, DoubleType()) == 1.5


@pytest.mark.parametrize(
    ("text", "transform"),
    [
        ("identity", Identity()),
        ("bucket[16]", Bucket(16)),
        ("truncate[4]", Truncate(4)),
        ("year", Year()),
        ("month", Month()),
        ("day", Day()),
        ("hour", Hour()),
        ("void", Void()),
        ("Bucket[16]", Bucket(16)),
        ("DAY", Day()),
        ("zorder(a, b)", UnknownTransform("zorder(a, b)")),
        ("bucket", UnknownTransform("bucket")),
        ("bucket[-1]", UnknownTransform("bucket[-1]")),
        ("years", UnknownTransform("years")),
    ],
)
def test_parse(text, transform):
    assert parse_transform(text) == transform
    assert str(parse_transform(text)).lower() == text.lower()


@pytest.mark.parametrize("text", ["bucket[0]", "truncate[0]"])
def test_parse_refuses_zero(text):
    with pytest.raises(InvalidMetadataError, match="must be > 0"):
        parse_transform(text)


def test_unknown_transforms_are_not_applied():
    with pytest.raises(UnsupportedError, match="zorder"):
        apply(UnknownTransform("zorder"), 1, IntegerType())


def test_source_and_result_types():
    assert result_type(Bucket(4), StringType()) == IntegerType()
    assert result_type(Day(), TimestampType()) == DateType()
    assert result_type(Hour(), TimestampType()) == IntegerType()
    assert result_type(Truncate(4), DecimalType(9, 2)) == DecimalType(9, 2)
    assert result_type(Identity(), UUIDType()) == UUIDType()
    assert not accepts(Hour(), DateType())
    assert not accepts(Truncate(4), FixedType(4))
    assert not accepts(Identity(), GeometryType())
    assert not accepts(Identity(), ListType(1, IntegerType()))
    assert accepts(Void(), ListType(1, IntegerType()))
    with pytest.raises(InvalidMetadataError, match="hour cannot transform date values"):
        apply(Hour(), 1, DateType())
    assert [preserves_order(t) for t in (Identity(), Truncate(2), Hour(), Bucket(2), Void())] == [
        True,
        True,
        True,
        False,
        False,
    ]
