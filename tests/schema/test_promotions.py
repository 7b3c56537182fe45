"""The table of promotions, against the spec's (Schema Evolution), for every pair of types and every format version."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from hypothesis import given

from projector.errors import InvalidMetadataError, ProjectionError
from projector.schema.promotions import PROMOTIONS, is_promotion_allowed, promote_value, promotion, promotions_from
from projector.schema.types import (
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
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
    UnknownType,
    parse_primitive,
)
from tests.schema.strategies import int32

SPELLINGS = [
    "unknown",
    "boolean",
    "int",
    "long",
    "float",
    "double",
    "decimal(9,2)",
    "decimal(18,2)",
    "decimal(38,2)",
    "decimal(18,3)",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "timestamp_ns",
    "timestamptz_ns",
    "string",
    "uuid",
    "fixed[8]",
    "fixed[16]",
    "binary",
    "variant",
    "geometry",
    "geography",
]

ALWAYS = {
    ("int", "long"),
    ("float", "double"),
    ("decimal(9,2)", "decimal(18,2)"),
    ("decimal(9,2)", "decimal(38,2)"),
    ("decimal(18,2)", "decimal(38,2)"),
}
SINCE_3 = {("date", "timestamp"), ("date", "timestamp_ns")} | {("unknown", s) for s in SPELLINGS if s != "unknown"}


@pytest.mark.parametrize("format_version", [1, 2, 3])
def test_every_pair_of_primitive_types(format_version: int) -> None:
    allowed = {
        (a, b)
        for a, b in product(SPELLINGS, repeat=2)
        if is_promotion_allowed(parse_primitive(a), parse_primitive(b), format_version)
    }
    assert allowed == ALWAYS | (SINCE_3 if format_version >= 3 else set())


NESTED: list[IcebergType] = [
    StructType((NestedField(1, "a", IntegerType()),)),
    ListType(1, IntegerType()),
    MapType(1, IntegerType(), 2, IntegerType()),
]


@pytest.mark.parametrize("nested", NESTED, ids=str)
def test_nothing_becomes_a_nested_type_nor_back(nested: IcebergType) -> None:
    for spelling in SPELLINGS:
        assert not is_promotion_allowed(parse_primitive(spelling), nested, 3)
        assert not is_promotion_allowed(nested, parse_primitive(spelling), 3)
    assert not is_promotion_allowed(nested, ListType(1, LongType()), 3)


def test_an_equal_type_is_no_promotion() -> None:
    assert promotion(DecimalType(9, 2), DecimalType(9, 2), 3) is None
    assert promotion(UnknownType(), UnknownType(), 3) is None


def test_partition_transforms_that_keep_their_values() -> None:
    for to_type in (TimestampType(), TimestampNanoType()):
        row = promotion(DateType(), to_type, 3)
        assert row is not None
        assert [t for t in ("year", "month", "day", "void") if not row.keeps(t)] == []
        assert [t for t in ("identity", "bucket[16]", "truncate[4]", "hour", "from_the_future") if row.keeps(t)] == []
    row = promotion(IntegerType(), LongType(), 1)
    assert row is not None
    assert all(row.keeps(t) for t in ("identity", "bucket[16]", "truncate[4]", "void"))


def test_the_rows_speak() -> None:
    assert [str(p) for p in PROMOTIONS] == [
        "int to long",
        "float to double",
        "decimal to decimal",
        "date to timestamp",
        "date to timestamp_ns",
        "unknown to any primitive type",
    ]
    assert [str(p) for p in promotions_from(DateType(), 3)] == ["date to timestamp", "date to timestamp_ns"]
    assert list(promotions_from(DateType(), 2)) == []


VALUES = [
    (IntegerType(), LongType(), 34, 34),
    (FloatType(), DoubleType(), 0.10000000149011612, 0.10000000149011612),
    (DecimalType(9, 2), DecimalType(18, 2), Decimal("14.20"), Decimal("14.20")),
    (DateType(), TimestampType(), -1, -86_400_000_000),
    (DateType(), TimestampNanoType(), 1, 86_400_000_000_000),
    (DateType(), TimestampType(), 106_751_991, 9_223_372_022_400_000_000),
    (DateType(), TimestampNanoType(), 106_751, 9_223_286_400_000_000_000),
    (DateType(), TimestampType(), None, None),
    (UnknownType(), StringType(), None, None),
    (StringType(), StringType(), "same", "same"),
]


@pytest.mark.parametrize(("from_type", "to_type", "value", "promoted"), VALUES, ids=str)
def test_promoted_values(from_type: IcebergType, to_type: IcebergType, value: Any, promoted: Any) -> None:
    assert promote_value(value, from_type, to_type) == promoted


@pytest.mark.parametrize(
    ("to_type", "days"),
    [(TimestampType(), 106_751_992), (TimestampType(), -106_751_992), (TimestampNanoType(), 106_752),
     (TimestampNanoType(), -106_752), (TimestampType(), 2**31 - 1)],
    ids=str,
)  # fmt: skip
def test_dates_out_of_range(to_type: IcebergType, days: int) -> None:
    with pytest.raises(ProjectionError, match=f"{days} .*out of range"):
        promote_value(days, DateType(), to_type)


@given(int32)
def test_a_promoted_date_is_exact_or_refused(days: int) -> None:
    for to_type, per_day in ((TimestampType(), 86_400_000_000), (TimestampNanoType(), 86_400_000_000_000)):
        if abs(days * per_day) < 2**63:
            assert promote_value(days, DateType(), to_type) == days * per_day
        else:
            with pytest.raises(ProjectionError):
                promote_value(days, DateType(), to_type)


@pytest.mark.parametrize("to_type", [TimestamptzType(), TimestamptzNanoType(), IntegerType()], ids=str)
def test_no_promotion_no_value(to_type: IcebergType) -> None:
    with pytest.raises(InvalidMetadataError, match="no such promotion"):
        promote_value(1, DateType(), to_type)
