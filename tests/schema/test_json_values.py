"""JSON single values: the spec's table (Appendix D), Java's spelling, and what is refused."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.errors import InvalidMetadataError
from projector.schema.single_values import format_value, from_json, to_json
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    GeographyType,
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

# 2017-11-16T22:31:08.123456789: the days come from 47 years, 12 leap days and 319 days into 2017.
DAYS = 47 * 365 + 12 + 319
MICROS_OF_DAY = (22 * 3600 + 31 * 60 + 8) * 1_000_000 + 123_456
MICROS = DAYS * 86_400_000_000 + MICROS_OF_DAY
NANOS = MICROS * 1000 + 789

STRUCT = StructType((NestedField(1, "n", IntegerType()), NestedField(2, "s", StringType())))
MAP = MapType(4, StringType(), 5, IntegerType())

SPEC_EXAMPLES = [
    (BooleanType(), True, True),
    (IntegerType(), 34, 34),
    (LongType(), 34, 34),
    (FloatType(), 1.0, 1.0),
    (DoubleType(), 1.0, 1.0),
    (DecimalType(9, 2), "14.20", Decimal("14.20")),
    (DateType(), "2017-11-16", DAYS),
    (TimeType(), "22:31:08.123456", MICROS_OF_DAY),
    (TimestampType(), "2017-11-16T22:31:08.123456", MICROS),
    (TimestamptzType(), "2017-11-16T22:31:08.123456+00:00", MICROS),
    (TimestampNanoType(), "2017-11-16T22:31:08.123456789", NANOS),
    (TimestamptzNanoType(), "2017-11-16T22:31:08.123456789+00:00", NANOS),
    (StringType(), "iceberg", "iceberg"),
    (UUIDType(), "f79c3e09-677c-4bbd-a479-3f349cb785e7", UUID(int=0xF79C3E09677C4BBDA4793F349CB785E7)),
    (FixedType(4), "000102ff", b"\x00\x01\x02\xff"),
    (BinaryType(), "000102ff", b"\x00\x01\x02\xff"),
    (STRUCT, {"1": 1, "2": "bar"}, {"n": 1, "s": "bar"}),
    (ListType(3, IntegerType()), [1, 2, 3], [1, 2, 3]),
    (MAP, {"keys": ["a", "b"], "values": [1, 2]}, [("a", 1), ("b", 2)]),
]


@pytest.mark.parametrize(("iceberg_type", "value", "plain"), SPEC_EXAMPLES, ids=lambda v: str(v)[:40])
def test_examples_of_the_spec(iceberg_type: IcebergType, value: Any, plain: Any) -> None:
    found = from_json(value, iceberg_type)
    assert found == plain
    assert type(found) is type(plain)
    written = to_json(plain, iceberg_type)
    assert written == (value.upper() if isinstance(iceberg_type, (FixedType, BinaryType)) else value)


READ = [
    (FloatType(), 3, 3.0),
    (DoubleType(), -3, -3.0),
    (FloatType(), 0.1, 0.10000000149011612),
    (FloatType(), 16777217, 16777216.0),
    (FloatType(), 3.4028235e38, 3.4028234663852886e38),
    (DoubleType(), 10**22, 1e22),
    (DecimalType(38, 38), "0." + "9" * 38, Decimal("0." + "9" * 38)),
    (DecimalType(9, 2), "-0.00", Decimal("0.00")),
    (DecimalType(38, 0), "9" * 38, Decimal("9" * 38)),
    (DecimalType(9, 2), "1420E-2", Decimal("14.20")),
    (DateType(), "0000-03-01", -719468),
    (DateType(), "-0001-12-31", -719529),
    (DateType(), "+10000-01-01", 2932897),
    (DateType(), "1969-12-31", -1),
    (TimeType(), "10:07", 36_420_000_000),
    (TimeType(), "10:07:08", 36_428_000_000),
    (TimeType(), "10:07:08.5", 36_428_500_000),
    (TimeType(), "10:07:08.500000000", 36_428_500_000),
    (TimeType(), "23:59:59.999999", 86_399_999_999),
    (TimestampType(), "1969-12-31T23:59:59.999999", -1),
    (TimestampNanoType(), "1969-12-31T23:59:59.999999999", -1),
    (TimestampNanoType(), "1677-09-21T00:12:43.145224192", -(2**63)),
    (TimestamptzNanoType(), "2262-04-11T23:47:16.854775807+00:00", 2**63 - 1),
    (FixedType(2), "FfaB", b"\xff\xab"),
    (BinaryType(), "", b""),
    (StringType(), "", ""),
    (STRUCT, {}, {}),
    (ListType(3, IntegerType()), [None, 1], [None, 1]),
    (MAP, {"keys": [], "values": []}, []),
    (UUIDType(), "F79C3E09-677C-4BBD-A479-3F349CB785E7", UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")),
]


@pytest.mark.parametrize(("iceberg_type", "value", "plain"), READ, ids=lambda v: str(v)[:40])
def test_reading(iceberg_type: IcebergType, value: Any, plain: Any) -> None:
    found = from_json(value, iceberg_type)
    assert found == plain
    assert type(found) is type(plain)


REFUSED = [
    (BooleanType(), 1),
    (BooleanType(), "true"),
    (IntegerType(), True),
    (IntegerType(), 1.0),
    (IntegerType(), "1"),
    (IntegerType(), 2**31),
    (IntegerType(), -(2**31) - 1),
    (LongType(), 2**63),
    (LongType(), -(2**63) - 1),
    (FloatType(), True),
    (FloatType(), "1.0"),
    (FloatType(), 3.5e38),
    (FloatType(), 10**400),
    (DoubleType(), float("nan")),
    (DoubleType(), float("inf")),
    (DoubleType(), 10**400),
    (DecimalType(9, 2), 14.2),
    (DecimalType(9, 2), 14),
    (DecimalType(9, 2), "14.2"),
    (DecimalType(9, 2), "14.200"),
    (DecimalType(9, 2), "12345678.00"),
    (DecimalType(9, 2), "NaN"),
    (DecimalType(9, 2), "Infinity"),
    (DecimalType(9, 2), " 1.00"),
    (DecimalType(9, 2), "1_0.00"),
    (DecimalType(9, 2), "١.00"),
    (DecimalType(9, 2), ""),
    (DecimalType(9, 0), "1e10"),
    (DecimalType(38, 0), "1" + "0" * 5000),
    (DecimalType(9, 2), "1e999999999999"),
    (DateType(), 19000),
    (DateType(), "2017-02-29"),
    (DateType(), "2017-13-01"),
    (DateType(), "2017-1-1"),
    (DateType(), "20170101"),
    (DateType(), "10000-01-01"),
    (DateType(), "+5881580-07-12"),
    (DateType(), "2017-11-16T00:00"),
    (DateType(), "２０１７-11-16"),
    (TimeType(), "24:00:00"),
    (TimeType(), "23:60:00"),
    (TimeType(), "23:59:60"),
    (TimeType(), "10:07:08.1234567"),
    (TimeType(), "10:07:08+00:00"),
    (TimestampType(), "2017-11-16T22:31:08+00:00"),
    (TimestampType(), "2017-11-16T22:31:08Z"),
    (TimestampType(), "2017-11-16"),
    (TimestampType(), "2017-11-16 22:31:08"),
    (TimestampType(), 1),
    (TimestampType(), "2017-11-16T22:31:08.1234567"),
    (TimestampType(), "+294247-01-10T04:00:54.775808"),
    (TimestamptzType(), "2017-11-16T22:31:08.123456"),
    (TimestamptzType(), "2017-11-16T22:31:08.123456Z"),
    (TimestamptzType(), "2017-11-16T22:31:08.123456-00:00"),
    (TimestamptzType(), "2017-11-16T22:31:08.123456+01:00"),
    (TimestampNanoType(), "2262-04-11T23:47:16.854775808"),
    (TimestampNanoType(), "1677-09-21T00:12:43.145224191"),
    (TimestamptzNanoType(), "2017-11-16T22:31:08.123456789"),
    (StringType(), 1),
    (StringType(), "\ud800"),
    (UUIDType(), "f79c3e09677c4bbda4793f349cb785e7"),
    (UUIDType(), "{f79c3e09-677c-4bbd-a479-3f349cb785e7}"),
    (UUIDType(), 7),
    (FixedType(4), "000102"),
    (FixedType(4), "000102fg"),
    (FixedType(1), "0"),
    (BinaryType(), "0"),
    (BinaryType(), "0 0 "),
    (BinaryType(), b"\x00"),
    (STRUCT, {"3": 1}),
    (STRUCT, {"n": 1}),
    (STRUCT, [1]),
    (STRUCT, {"1": "x"}),
    (ListType(3, IntegerType()), {"0": 1}),
    (ListType(3, IntegerType()), ["x"]),
    (MAP, {"keys": ["a"]}),
    (MAP, {"keys": ["a"], "values": []}),
    (MAP, {"a": 1}),
    (MAP, []),
    (UnknownType(), 1),
    (VariantType(), 1),
    (GeometryType(), "POINT (30 10)"),
    (GeographyType(), "POINT (30 10)"),
]


@pytest.mark.parametrize(("iceberg_type", "value"), REFUSED, ids=lambda v: ascii(v)[:40])
def test_refused(iceberg_type: IcebergType, value: Any) -> None:
    with pytest.raises(InvalidMetadataError) as caught:
        from_json(value, iceberg_type)
    message = str(caught.value)
    assert str(iceberg_type) in message
    assert len(message.splitlines()) == 1
    assert len(message) < 400


@pytest.mark.parametrize(
    "iceberg_type", [IntegerType(), STRUCT, MAP, UnknownType(), VariantType(), GeometryType()], ids=str
)
def test_null_is_a_value_of_every_type(iceberg_type: IcebergType) -> None:
    assert from_json(None, iceberg_type) is None
    assert to_json(None, iceberg_type) is None


@given(st.data())
def test_plain_values_survive_json(data: st.DataObject) -> None:
    iceberg_type = data.draw(value_types)
    plain = data.draw(plain_values(iceberg_type))
    found = from_json(json.loads(json.dumps(to_json(plain, iceberg_type))), iceberg_type)
    assert found == plain
    assert type(found) is type(plain)
    if isinstance(plain, Decimal):
        assert found.as_tuple().exponent == plain.as_tuple().exponent


WRITTEN = [
    (FloatType(), 0.10000000149011612, 0.1),
    (FloatType(), 3.4028234663852886e38, 3.4028235e38),
    (FloatType(), 1.401298464324817e-45, 1e-45),
    (FloatType(), 16777216.0, 16777216.0),
    (DecimalType(38, 10), Decimal("0.0000000001"), "0.0000000001"),
    (DecimalType(38, 10), Decimal("0E-10"), "0.0000000000"),
    (TimestampType(), 0, "1970-01-01T00:00:00"),
    (TimestampType(), -1_000_000, "1969-12-31T23:59:59"),
    (TimestamptzType(), 500_000, "1970-01-01T00:00:00.5+00:00"),
    (TimestampNanoType(), 1000, "1970-01-01T00:00:00.000001"),
    (DateType(), 2**31 - 1, "+5881580-07-11"),
    (DateType(), -(2**31), "-5877641-06-23"),
]


@pytest.mark.parametrize(("iceberg_type", "plain", "value"), WRITTEN, ids=lambda v: str(v)[:40])
def test_writing(iceberg_type: IcebergType, plain: Any, value: Any) -> None:
    assert to_json(plain, iceberg_type) == value


FORMATTED = [
    (IntegerType(), None, "null"),
    (BooleanType(), True, "true"),
    (StringType(), 'a"b\nc', '"a\\"b\\nc"'),
    (BinaryType(), b"\x00\xff", "X'00FF'"),
    (DateType(), 0, "1970-01-01"),
    (TimestamptzType(), 1, "1970-01-01T00:00:00.000001+00:00"),
    (FloatType(), 0.10000000149011612, "0.1"),
    (DecimalType(20, 10), Decimal("0E-10"), "0.0000000000"),
    (UUIDType(), UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (STRUCT, {"n": 1, "s": None}, "{n: 1, s: null}"),
    (ListType(3, DateType()), [0, None], "[1970-01-01, null]"),
    (MAP, [("a", 1)], '{"a": 1}'),
]


@pytest.mark.parametrize(("iceberg_type", "plain", "shown"), FORMATTED, ids=lambda v: str(v)[:40])
def test_values_in_messages(iceberg_type: IcebergType, plain: Any, shown: str) -> None:
    assert format_value(plain, iceberg_type) == shown


def test_a_huge_value_does_not_fill_the_message() -> None:
    with pytest.raises(InvalidMetadataError) as caught:
        from_json("x" * 1_000_000, IntegerType())
    assert len(str(caught.value)) < 300
