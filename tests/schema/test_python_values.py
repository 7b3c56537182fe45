"""Defaults as people give them, and plain values as people see them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.errors import SchemaUpdateError
from projector.schema.single_values import from_plain, to_json, to_plain
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    GeometryType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
    VariantType,
)
from tests.schema.strategies import plain_values, value_types

STRUCT = StructType((NestedField(1, "n", IntegerType()),))
BERLIN_IN_WINTER = timezone(timedelta(hours=1))

CONVERTED = [
    (BooleanType(), False, False),
    (IntegerType(), 5, 5),
    (LongType(), 5, 5),
    (LongType(), 2**40, 2**40),
    (FloatType(), 0.1, 0.10000000149011612),
    (FloatType(), 12, 12.0),
    (FloatType(), Decimal("0.5"), 0.5),
    (DoubleType(), 0.1, 0.1),
    (DoubleType(), 2**53, 2.0**53),
    (DoubleType(), Decimal("9.99"), 9.99),
    (DecimalType(9, 2), Decimal("14.2"), Decimal("14.20")),
    (DecimalType(9, 2), Decimal("14.2000"), Decimal("14.20")),
    (DecimalType(9, 2), Decimal("1E+3"), Decimal("1000.00")),
    (DecimalType(9, 2), 5, Decimal("5.00")),
    (DecimalType(9, 2), 9.99, Decimal("9.99")),
    (DecimalType(9, 2), "14.20", Decimal("14.20")),
    (DecimalType(9, 2), "14.2", Decimal("14.20")),
    (DecimalType(9, 2), Decimal("-0"), Decimal("0.00")),
    (DateType(), date(2024, 2, 29), 19782),
    (DateType(), "2024-02-29", 19782),
    (DateType(), 19000, 19000),
    (TimeType(), time(0, 0, 1, 5), 1_000_005),
    (TimeType(), "00:00:01.000005", 1_000_005),
    (TimestampType(), datetime(1970, 1, 2), 86_400_000_000),
    (TimestampType(), datetime.min, -62_135_596_800_000_000),
    (TimestampType(), datetime.max, 253_402_300_799_999_999),
    (TimestamptzType(), datetime(1970, 1, 1, 1, tzinfo=BERLIN_IN_WINTER), 0),
    (TimestamptzType(), datetime.min.replace(tzinfo=BERLIN_IN_WINTER), -62_135_596_800_000_000 - 3_600_000_000),
    (TimestamptzType(), "1970-01-01T01:00:00+01:00", 0),
    (TimestamptzType(), "1970-01-01T00:00:00Z", 0),
    (TimestampNanoType(), datetime(1970, 1, 1, 0, 0, 1), 1_000_000_000),
    (TimestampNanoType(), "1970-01-01T00:00:00.000000001", 1),
    (TimestamptzNanoType(), datetime(1970, 1, 1, tzinfo=UTC), 0),
    (StringType(), "x", "x"),
    (UUIDType(), UUID(int=7), UUID(int=7)),
    (UUIDType(), "00000000-0000-0000-0000-000000000007", UUID(int=7)),
    (FixedType(2), b"ab", b"ab"),
    (FixedType(2), bytearray(b"ab"), b"ab"),
    (FixedType(2), "6162", b"ab"),
    (BinaryType(), memoryview(b"ab"), b"ab"),
    (STRUCT, {}, {}),
    (ListType(1, IntegerType()), [1], [1]),
]


@pytest.mark.parametrize(
    ("iceberg_type", "value", "plain"),
    CONVERTED,
    ids=lambda v: "memoryview" if isinstance(v, memoryview) else str(v)[:40],
)
def test_converted_exactly(iceberg_type: IcebergType, value: Any, plain: Any) -> None:
    found = to_plain(value, iceberg_type)
    assert found == plain
    assert type(found) is type(plain)
    if isinstance(plain, Decimal):
        assert str(found) == str(plain)


REFUSED = [
    (BooleanType(), 0),
    (BooleanType(), "true"),
    (IntegerType(), True),
    (IntegerType(), 2**40),
    (IntegerType(), 5.0),
    (IntegerType(), "3"),
    (IntegerType(), Decimal(3)),
    (LongType(), 2**63),
    (LongType(), False),
    (FloatType(), 1e39),
    (FloatType(), 16777217),
    (FloatType(), True),
    (FloatType(), "0.1"),
    (FloatType(), Decimal("1e39")),
    (DoubleType(), float("nan")),
    (DoubleType(), float("-inf")),
    (DoubleType(), 2**53 + 1),
    (DoubleType(), Decimal("NaN")),
    (DoubleType(), 10**400),
    (DecimalType(9, 2), Decimal("14.205")),
    (DecimalType(9, 2), 14.205),
    (DecimalType(9, 2), 10**7),
    (DecimalType(9, 2), True),
    (DecimalType(9, 2), Decimal("Infinity")),
    (DecimalType(9, 2), Decimal("1e-50")),
    (DecimalType(9, 2), "x"),
    (DecimalType(9, 2), float("nan")),
    (DecimalType(9, 2), Decimal("sNaN")),
    (DateType(), datetime(2024, 2, 29)),
    (DateType(), "2024-02-30"),
    (DateType(), 2**31),
    (DateType(), True),
    (DateType(), 1.0),
    (TimeType(), time(1, tzinfo=UTC)),
    (TimeType(), 5),
    (TimeType(), datetime(2024, 2, 29)),
    (TimestampType(), datetime(2024, 2, 29, tzinfo=UTC)),
    (TimestampType(), date(2024, 2, 29)),
    (TimestampType(), "2024-02-29T00:00:00+00:00"),
    (TimestampType(), 5),
    (TimestamptzType(), datetime(2024, 2, 29)),
    (TimestamptzType(), "2024-02-29T00:00:00"),
    (TimestampNanoType(), datetime(2300, 1, 1)),
    (TimestamptzNanoType(), datetime(1600, 1, 1, tzinfo=UTC)),
    (StringType(), 5),
    (StringType(), b"x"),
    (StringType(), "\udc00"),
    (UUIDType(), "7"),
    (UUIDType(), b"0" * 16),
    (FixedType(2), b"abc"),
    (FixedType(2), "616263"),
    (BinaryType(), "xyz"),
    (BinaryType(), 5),
    (UnknownType(), 1),
    (VariantType(), {}),
    (GeometryType(), b"\x01"),
    (STRUCT, 1),
    (STRUCT, {"n": 1}),
    (ListType(1, IntegerType()), 1),
    (MapType(1, StringType(), 2, StringType()), {"a": "b"}),
]


@pytest.mark.parametrize(("iceberg_type", "value"), REFUSED, ids=lambda v: ascii(v)[:40])
def test_refused(iceberg_type: IcebergType, value: Any) -> None:
    with pytest.raises(SchemaUpdateError) as caught:
        to_plain(value, iceberg_type)
    assert str(iceberg_type) in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_javas_sentences() -> None:
    with pytest.raises(SchemaUpdateError) as caught:
        to_plain("3", IntegerType())
    assert caught.value.message == 'Cannot cast default value to int: "3"'
    with pytest.raises(SchemaUpdateError) as caught:
        to_plain(b"\x00", FixedType(4))
    assert caught.value.message == "Cannot cast default value to fixed[4]: X'00'"
    with pytest.raises(SchemaUpdateError) as caught:
        to_plain(1, STRUCT)
    assert caught.value.message == "Invalid default value for struct<1: n: optional int>: 1 (must be null)"


def test_none_is_a_default_of_every_type() -> None:
    for iceberg_type in (IntegerType(), STRUCT, UnknownType(), VariantType()):
        assert to_plain(None, iceberg_type) is None


def test_a_subclass_with_nanoseconds_keeps_them_or_is_refused() -> None:
    class Stamp(datetime):
        nanosecond = 7

    assert to_plain(Stamp(1970, 1, 1), TimestampNanoType()) == 7
    with pytest.raises(SchemaUpdateError, match="nanoseconds"):
        to_plain(Stamp(1970, 1, 1), TimestampType())


SEEN = [
    (DateType(), 19782, date(2024, 2, 29)),
    (DateType(), 2932897, "+10000-01-01"),
    (DateType(), -719163, "0000-12-31"),
    (TimeType(), 1_000_005, time(0, 0, 1, 5)),
    (TimestampType(), -1, datetime(1969, 12, 31, 23, 59, 59, 999999)),
    (TimestamptzType(), 0, datetime(1970, 1, 1, tzinfo=UTC)),
    (TimestampType(), 2**63 - 1, "+294247-01-10T04:00:54.775807"),
    (TimestampNanoType(), 1000, datetime(1970, 1, 1, 0, 0, 0, 1)),
    (TimestampNanoType(), 1, "1970-01-01T00:00:00.000000001"),
    (TimestamptzNanoType(), -1, "1969-12-31T23:59:59.999999999+00:00"),
    (STRUCT, {"n": 1}, {"n": 1}),
    (ListType(1, DateType()), [0, None], [date(1970, 1, 1), None]),
    (MapType(1, StringType(), 2, DateType()), [("a", 0)], {"a": date(1970, 1, 1)}),
    (MapType(1, STRUCT, 2, DateType()), [({"n": 1}, 0)], [({"n": 1}, date(1970, 1, 1))]),
    (IntegerType(), None, None),
]


@pytest.mark.parametrize(("iceberg_type", "plain", "seen"), SEEN, ids=lambda v: str(v)[:40])
def test_seen_by_people(iceberg_type: IcebergType, plain: Any, seen: Any) -> None:
    assert from_plain(plain, iceberg_type) == seen


@given(st.data())
def test_what_people_see_and_the_json_form_are_taken_back(data: st.DataObject) -> None:
    iceberg_type = data.draw(value_types)
    plain = data.draw(plain_values(iceberg_type))
    assert to_plain(from_plain(plain, iceberg_type), iceberg_type) == plain
    assert to_plain(to_json(plain, iceberg_type), iceberg_type) == plain


@given(st.datetimes(timezones=st.timezones()))
def test_aware_datetimes_become_utc(moment: datetime) -> None:
    micros = to_plain(moment, TimestamptzType())
    if timedelta(days=1) < moment.replace(tzinfo=None) - datetime.min < datetime.max - datetime.min - timedelta(days=2):
        assert from_plain(micros, TimestamptzType()) == moment.astimezone(UTC)
