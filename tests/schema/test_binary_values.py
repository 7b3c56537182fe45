"""Bounds: the spec's binary single values (Appendix D), the type they were written with, and bytes that say nothing."""

from __future__ import annotations

import decimal
import struct
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.errors import InvalidMetadataError, UnsupportedError
from projector.schema.single_values import decode_bound, encode_bound
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
from tests.schema.strategies import is_float32, plain_values, simple_value_types, value_types

DAY = 86_400_000_000

SPEC = [
    (BooleanType(), "00", False),
    (BooleanType(), "01", True),
    (IntegerType(), "22000000", 34),
    (IntegerType(), "ffffffff", -1),
    (LongType(), "2200000000000000", 34),
    (FloatType(), "0000803f", 1.0),
    (DoubleType(), "000000000000f03f", 1.0),
    (DateType(), "feffffff", -2),
    (TimeType(), "0100000000000000", 1),
    (TimestampType(), "ffffffffffffffff", -1),
    (TimestamptzType(), "0100000000000000", 1),
    (TimestampNanoType(), "0100000000000000", 1),
    (TimestamptzNanoType(), "0100000000000000", 1),
    (StringType(), "69636562657267", "iceberg"),
    (StringType(), "", ""),
    (UUIDType(), "f79c3e09677c4bbda4793f349cb785e7", UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")),
    (FixedType(4), "00010203", b"\x00\x01\x02\x03"),
    (BinaryType(), "00010203", b"\x00\x01\x02\x03"),
    (DecimalType(9, 2), "058c", Decimal("14.20")),
    (DecimalType(9, 2), "00", Decimal("0.00")),
    (DecimalType(9, 2), "7f", Decimal("1.27")),
    (DecimalType(9, 2), "0080", Decimal("1.28")),
    (DecimalType(9, 2), "80", Decimal("-1.28")),
    (DecimalType(9, 2), "ff7f", Decimal("-1.29")),
]


@pytest.mark.parametrize(("iceberg_type", "data", "plain"), SPEC, ids=lambda v: str(v)[:40])
def test_the_table_of_the_spec(iceberg_type: IcebergType, data: str, plain: Any) -> None:
    found = decode_bound(bytes.fromhex(data), iceberg_type)
    assert found == plain
    assert type(found) is type(plain)
    assert encode_bound(plain, iceberg_type).hex() == data


PROMOTED = [
    (LongType(), struct.pack("<i", -7), -7),
    (DoubleType(), struct.pack("<f", 0.1), 0.10000000149011612),
    (TimestampType(), struct.pack("<i", 19782), 19782 * DAY),
    (TimestampType(), struct.pack("<i", -1), -DAY),
    (TimestampNanoType(), struct.pack("<i", 19782), 19782 * DAY * 1000),
    (DecimalType(38, 2), b"\x05\x8c", Decimal("14.20")),
]


@pytest.mark.parametrize(("iceberg_type", "data", "plain"), PROMOTED, ids=lambda v: str(v)[:40])
def test_the_length_tells_the_type_at_write_time(iceberg_type: IcebergType, data: bytes, plain: Any) -> None:
    assert decode_bound(data, iceberg_type) == plain


UNKNOWN = [
    *[(t, b"") for t in simple_value_types if t not in (StringType(), BinaryType())],
    *[(t, b"\x00" * 3) for t in simple_value_types if t not in (StringType(), BinaryType())],
    *[(t, b"\x00" * 9) for t in simple_value_types if t not in (StringType(), BinaryType())],
    (BooleanType(), b"\x00\x00"),
    (IntegerType(), b"\x00" * 8),
    (FloatType(), b"\x00" * 8),
    (DateType(), b"\x00" * 8),
    (TimeType(), b"\x00" * 4),
    (TimestamptzType(), b"\x00" * 4),  # a date never becomes a timestamptz
    (TimestamptzNanoType(), b"\x00" * 4),
    (FloatType(), struct.pack("<f", float("nan"))),
    (DoubleType(), struct.pack("<d", float("nan"))),
    (DoubleType(), struct.pack("<f", float("nan"))),
    (TimestampType(), struct.pack("<i", 2**31 - 1)),  # beyond 64-bit microseconds
    (TimestampNanoType(), struct.pack("<i", 106752)),  # 2262-04-12
    (StringType(), "ü".encode()[:1]),
    (StringType(), b"abc\xf0\x9f\x98"),
    (UUIDType(), b"\x00" * 15),
    (FixedType(4), b"\x00" * 5),
    (DecimalType(9, 2), b""),
    (DecimalType(2, 0), b"\x64"),  # 100
    (UnknownType(), b"\x00"),
    (VariantType(), b"\x01\x00\x00"),
    (GeometryType(), struct.pack("<dd", 1, 2)),
    (GeographyType(), struct.pack("<dd", 1, 2)),
    (StructType(), b"\x00"),
    (ListType(1, IntegerType()), b"\x00" * 4),
    (MapType(1, IntegerType(), 2, IntegerType()), b"\x00" * 4),
]


@pytest.mark.parametrize(("iceberg_type", "data"), UNKNOWN, ids=lambda v: str(v)[:40])
def test_bytes_that_say_nothing(iceberg_type: IcebergType, data: bytes) -> None:
    assert decode_bound(data, iceberg_type) is None


def test_infinities_are_bounds() -> None:
    assert decode_bound(struct.pack("<d", float("-inf")), DoubleType()) == float("-inf")
    assert decode_bound(struct.pack("<f", float("inf")), FloatType()) == float("inf")


def test_any_non_zero_byte_is_true() -> None:
    assert decode_bound(b"\x02", BooleanType()) is True


def test_truncated_bounds_of_bytes_are_kept() -> None:
    assert decode_bound(b"\x01\x02", FixedType(16)) == b"\x01\x02"


@pytest.mark.parametrize("pad", [1, 5, 14, 30])
@pytest.mark.parametrize("text", ["14.20", "-14.20", "0.00"])
def test_padded_decimals(text: str, pad: int) -> None:
    plain = Decimal(text)
    data = int(plain * 100).to_bytes(2 + pad, "big", signed=True)
    assert str(decode_bound(data, DecimalType(9, 2))) == text


def test_decimals_of_38_digits_do_not_depend_on_the_context() -> None:
    plain = Decimal("-0." + "9" * 38)
    with decimal.localcontext() as context:
        context.prec = 5
        data = encode_bound(plain, DecimalType(38, 38))
        found = decode_bound(data, DecimalType(38, 38))
    assert len(data) == 16
    assert str(found) == str(plain)


@given(st.data())
def test_bounds_go_round(data: st.DataObject) -> None:
    iceberg_type = data.draw(value_types)
    plain = data.draw(plain_values(iceberg_type))
    found = decode_bound(encode_bound(plain, iceberg_type), iceberg_type)
    assert found == plain
    assert type(found) is type(plain)


@given(value_types, st.binary(max_size=40))
def test_any_bytes_decode_or_say_nothing(iceberg_type: IcebergType, data: bytes) -> None:
    found = decode_bound(data, iceberg_type)
    if found is not None and not isinstance(iceberg_type, BooleanType):
        again = decode_bound(encode_bound(found, iceberg_type), iceberg_type)
        assert again == found
    if isinstance(iceberg_type, FloatType) and found is not None and abs(found) != float("inf"):
        assert is_float32(found)


@pytest.mark.parametrize("iceberg_type", [UnknownType(), VariantType(), GeometryType(), StructType()], ids=str)
def test_types_without_binary_single_value(iceberg_type: IcebergType) -> None:
    with pytest.raises(UnsupportedError):
        encode_bound(b"", iceberg_type)


@pytest.mark.parametrize(
    ("iceberg_type", "plain"),
    [(IntegerType(), 2**31), (LongType(), "x"), (FloatType(), 1e39), (StringType(), 5), (StringType(), "\ud800"),
     (UUIDType(), "x"), (DecimalType(9, 2), 5), (BinaryType(), None), (LongType(), None)],
    ids=lambda v: ascii(v)[:30],
)  # fmt: skip
def test_values_of_another_type_do_not_encode(iceberg_type: IcebergType, plain: Any) -> None:
    with pytest.raises(InvalidMetadataError):
        encode_bound(plain, iceberg_type)
