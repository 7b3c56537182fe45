"""Partition values that writers stored as looser Avro types, read by the type that the spec expects."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from projector.errors import InvalidMetadataError
from projector.metadata.partition_values import partition_value_as
from projector.schema.types import (
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

ONE = UUID(int=1)


@pytest.mark.parametrize(
    ("value", "written", "wanted", "expected"),
    [
        (19_723, IntegerType(), DateType(), 19_723),
        (1, IntegerType(), TimestampType(), 86_400_000_000),
        (1, IntegerType(), TimestampNanoType(), 86_400_000_000_000),
        (7, LongType(), TimestampType(), 7),
        (7, LongType(), TimestamptzType(), 7),
        (7, LongType(), TimeType(), 7),
        (b"\x01\x02", BinaryType(), FixedType(2), b"\x01\x02"),
        (ONE.bytes, BinaryType(), UUIDType(), ONE),
        (ONE.bytes, FixedType(16), UUIDType(), ONE),
        (str(ONE), StringType(), UUIDType(), ONE),
        (b"\x19", BinaryType(), DecimalType(9, 2), Decimal("0.25")),
        (b"\xff\xe7", FixedType(2), DecimalType(9, 2), Decimal("-0.25")),
        (b"abc", BinaryType(), StringType(), "abc"),
        (3, IntegerType(), LongType(), 3),
        (1.5, FloatType(), DoubleType(), 1.5),
        (None, IntegerType(), DateType(), None),
    ],
)
def test_a_value_by_the_type_that_is_expected(value: Any, written: Any, wanted: Any, expected: Any) -> None:
    found = partition_value_as(value, written, wanted)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("value", "written", "wanted"),
    [("x", StringType(), UUIDType()), (b"\xff", BinaryType(), StringType()), ("x", StringType(), IntegerType())],
)
def test_what_is_no_such_value_is_refused(value: Any, written: Any, wanted: Any) -> None:
    with pytest.raises(InvalidMetadataError):
        partition_value_as(value, written, wanted)
