"""Hypothesis strategies for types, plain values and schemas."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from projector.schema.schema import Schema
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
    PrimitiveType,
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

decimal_types = st.integers(1, 38).flatmap(lambda p: st.builds(DecimalType, st.just(p), st.integers(0, p)))
fixed_types = st.builds(FixedType, st.integers(1, 20))
simple_value_types: list[PrimitiveType] = [
    BooleanType(), IntegerType(), LongType(), FloatType(), DoubleType(), DateType(), TimeType(), TimestampType(),
    TimestamptzType(), TimestampNanoType(), TimestamptzNanoType(), StringType(), UUIDType(), BinaryType(),
]  # fmt: skip
value_types = st.one_of(st.sampled_from(simple_value_types), decimal_types, fixed_types)
geo_types = st.sampled_from([GeometryType(), GeometryType("EPSG:4326"), GeographyType("srid:4326", "karney")])
primitive_types = st.one_of(value_types, st.sampled_from([UnknownType(), VariantType()]), geo_types)

text = st.text(st.characters(codec="utf-8"), max_size=12)
int32 = st.integers(-(2**31), 2**31 - 1)
int64 = st.integers(-(2**63), 2**63 - 1)
float32 = st.floats(width=32, allow_nan=False, allow_infinity=False)


def decimals(decimal_type: DecimalType) -> st.SearchStrategy[Decimal]:
    limit = 10**decimal_type.precision - 1
    return st.integers(-limit, limit).map(
        lambda u: Decimal((1 if u < 0 else 0, tuple(map(int, str(abs(u)))), -decimal_type.scale))
    )


def plain_values(iceberg_type: IcebergType) -> st.SearchStrategy[Any]:
    """Plain values of a type that has single values; never None."""
    match iceberg_type:
        case BooleanType():
            return st.booleans()
        case IntegerType() | DateType():
            return int32
        case TimeType():
            return st.integers(0, 86_400_000_000 - 1)
        case LongType() | TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType():
            return int64
        case FloatType():
            return float32
        case DoubleType():
            return st.floats(allow_nan=False, allow_infinity=False)
        case DecimalType():
            return decimals(iceberg_type)
        case StringType():
            return text
        case UUIDType():
            return st.uuids()
        case FixedType(length):
            return st.binary(min_size=length, max_size=length)
        case BinaryType():
            return st.binary(max_size=20)
    raise NotImplementedError(str(iceberg_type))


def is_float32(number: float) -> bool:
    return struct.unpack("<f", struct.pack("<f", number))[0] == number


@st.composite
def types(draw: st.DrawFn, ids: list[int] | None = None, depth: int = 3) -> IcebergType:
    """A type with distinct ids, from 1, in the order in which they are drawn."""
    ids = ids if ids is not None else [0]
    kind = draw(st.sampled_from(["primitive", "primitive", "struct", "list", "map"] if depth else ["primitive"]))
    match kind:
        case "struct":
            return StructType(draw(fields(ids, depth - 1)))
        case "list":
            ids[0] += 1
            element_id = ids[0]
            element = draw(types(ids, depth - 1))
            return ListType(element_id, element, draw(st.booleans()) and element != UnknownType())
        case "map":
            ids[0] += 2
            key_id, value_id = ids[0] - 1, ids[0]
            key = draw(types(ids, depth - 1).filter(lambda t: t != UnknownType()))
            value = draw(types(ids, depth - 1))
            return MapType(key_id, key, value_id, value, draw(st.booleans()) and value != UnknownType())
    return draw(primitive_types)


@st.composite
def fields(draw: st.DrawFn, ids: list[int], depth: int) -> tuple[NestedField, ...]:
    names = draw(st.lists(text, min_size=1, max_size=4, unique=True))
    found = []
    for name in names:
        ids[0] += 1
        field_id = ids[0]
        field_type = draw(types(ids, depth))
        required = draw(st.booleans()) and field_type != UnknownType()
        defaults = [draw(st.none() | default_values(field_type)) for _ in range(2)]
        found.append(NestedField(field_id, name, field_type, required, draw(st.none() | text), *defaults))
    return tuple(found)


def default_values(iceberg_type: IcebergType) -> st.SearchStrategy[Any]:
    match iceberg_type:
        case StructType():
            return st.just({})
        case ListType() | MapType() | UnknownType() | VariantType() | GeometryType() | GeographyType():
            return st.none()
        case _:
            return plain_values(iceberg_type)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    top = draw(fields([0], 3))
    identifiers = draw(st.lists(st.sampled_from([f.field_id for f in top]), unique=True, max_size=2))
    return Schema(top, draw(st.integers(0, 5)), tuple(identifiers))
