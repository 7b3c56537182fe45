"""The table of casts, beside the spec's promotions (spec: Schema Evolution; Parquet, Data Type Mappings)."""

from __future__ import annotations

import pytest

from projector.files.parquet.file_schema import FileKind, FileLeaf, TimeUnit
from projector.projection.casts import CASTS, find_cast
from projector.projection.plan import Cast
from projector.schema.promotions import PROMOTIONS, Promotion
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
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
)

WRITTEN: dict[type[IcebergType], tuple[IcebergType, FileLeaf]] = {
    type(iceberg_type): (iceberg_type, leaf)
    for iceberg_type, leaf in (
        (BooleanType(), FileLeaf(FileKind.BOOLEAN, "boolean")),
        (IntegerType(), FileLeaf(FileKind.INTEGER, "int32", bits=32)),
        (LongType(), FileLeaf(FileKind.INTEGER, "int64", bits=64)),
        (FloatType(), FileLeaf(FileKind.FLOAT, "float")),
        (DoubleType(), FileLeaf(FileKind.DOUBLE, "double")),
        (DecimalType(9, 2), FileLeaf(FileKind.DECIMAL, "int32", precision=9, scale=2)),
        (DateType(), FileLeaf(FileKind.DATE, "int32")),
        (TimeType(), FileLeaf(FileKind.TIME, "int64", unit=TimeUnit.MICROS)),
        (TimestampType(), FileLeaf(FileKind.TIMESTAMP, "int64", unit=TimeUnit.MICROS)),
        (TimestamptzType(), FileLeaf(FileKind.TIMESTAMP, "int64", unit=TimeUnit.MICROS, utc=True)),
        (TimestampNanoType(), FileLeaf(FileKind.TIMESTAMP, "int64", unit=TimeUnit.NANOS)),
        (TimestamptzNanoType(), FileLeaf(FileKind.TIMESTAMP, "int64", unit=TimeUnit.NANOS, utc=True)),
        (StringType(), FileLeaf(FileKind.STRING, "byte_array")),
        (UUIDType(), FileLeaf(FileKind.UUID, "fixed_len_byte_array", length=16)),
        (FixedType(4), FileLeaf(FileKind.FIXED, "fixed_len_byte_array", length=4)),
        (BinaryType(), FileLeaf(FileKind.BYTES, "byte_array")),
    )
}
"""A type of every kind, and the leaf that the spec writes it as."""


@pytest.mark.parametrize("kind", WRITTEN)
def test_what_the_spec_writes_is_read_without_a_cast(kind: type[IcebergType]) -> None:
    iceberg_type, leaf = WRITTEN[kind]
    assert find_cast(leaf, iceberg_type) is Cast.NONE


@pytest.mark.parametrize("promotion", [p for p in PROMOTIONS if p.from_type is not UnknownType], ids=str)
def test_every_promotion_has_a_cast(promotion: Promotion) -> None:
    _, leaf = WRITTEN[promotion.from_type]
    promoted = DecimalType(18, 2) if promotion.to_type is DecimalType else WRITTEN[promotion.to_type][0]
    assert find_cast(leaf, promoted) not in (None, Cast.NONE)


def test_narrower_types_cannot_be_requested() -> None:
    for wide, narrow in ((LongType, IntegerType), (DoubleType, FloatType), (TimestampType, DateType)):
        assert find_cast(WRITTEN[wide][1], WRITTEN[narrow][0]) is None
    assert find_cast(WRITTEN[DecimalType][1], DecimalType(8, 2)) is None
    assert find_cast(WRITTEN[DecimalType][1], DecimalType(18, 3)) is None


def test_every_cast_is_in_the_table() -> None:
    assert {rule.cast for rules in CASTS.values() for rule in rules} == set(Cast)
