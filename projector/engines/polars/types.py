"""Iceberg types as Polars types, and plain values as Polars literals.

Polars has no type for uuid, fixed, geometry and geography: their values are bytes. Its times are nanoseconds. Versions
before 2 have no maps: a map is then a list of structs of `key` and `value`, which is its layout in memory.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import polars as pl
from polars.datatypes import DataTypeClass

from projector.errors import UnsupportedError
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
    StringType,
    StructType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
)

Dtype = pl.DataType | DataTypeClass

SIMPLE: dict[type[IcebergType], Dtype] = {
    UnknownType: pl.Null(),
    BooleanType: pl.Boolean(),
    IntegerType: pl.Int32(),
    LongType: pl.Int64(),
    FloatType: pl.Float32(),
    DoubleType: pl.Float64(),
    DateType: pl.Date(),
    TimeType: pl.Time(),
    TimestampType: pl.Datetime("us"),
    TimestamptzType: pl.Datetime("us", "UTC"),
    TimestampNanoType: pl.Datetime("ns"),
    TimestamptzNanoType: pl.Datetime("ns", "UTC"),
    StringType: pl.String(),
    UUIDType: pl.Binary(),
    FixedType: pl.Binary(),
    BinaryType: pl.Binary(),
    GeometryType: pl.Binary(),
    GeographyType: pl.Binary(),
}
"""The Polars types of the Iceberg types that map to Polars without their parameters."""

HAS_MAPS = hasattr(pl, "Map")
"""Whether the installed Polars has a type for maps."""


def polars_type(iceberg_type: IcebergType) -> Dtype:
    """Return the Polars type that `to_polars` and `to_lazy` use for a type.

    Raises `UnsupportedError` for a variant.
    """
    match iceberg_type:
        case DecimalType(precision, scale):
            return pl.Decimal(precision, scale)
        case StructType(fields):
            return pl.Struct([pl.Field(f.name, polars_type(f.field_type)) for f in fields])
        case ListType():
            return pl.List(polars_type(iceberg_type.element_type))
        case MapType():
            key, value = polars_type(iceberg_type.key_type), polars_type(iceberg_type.value_type)
            if HAS_MAPS:
                return pl.Map(key, value)  # type: ignore[attr-defined, no-any-return, unused-ignore]
            return pl.List(pl.Struct([pl.Field("key", key), pl.Field("value", value)]))
    found = SIMPLE.get(type(iceberg_type))
    if found is None:
        raise UnsupportedError(f"Reading type {iceberg_type} is not supported")
    return found


def polars_schema(schema: Schema) -> dict[str, Dtype]:
    """Return a schema's column names with their Polars types. Raises `UnsupportedError` that names a variant column."""
    found = {}
    for f in schema.fields:
        try:
            found[f.name] = polars_type(f.field_type)
        except UnsupportedError as e:
            raise UnsupportedError(
                e.message, path=f.name, field_id=f.field_id, hint="select the other columns"
            ) from None
    return found


def literal(value: Any, iceberg_type: IcebergType) -> pl.Expr:
    """Return a plain value of a type (see `projector.schema.types`) as a literal of exactly its Polars type."""
    dtype = polars_type(iceberg_type)
    if value is None:
        return pl.lit(None, dtype=dtype)
    match iceberg_type:
        case StructType(fields):
            return pl.struct([literal(value.get(f.name), f.field_type).alias(f.name) for f in fields])
        case ListType() | MapType():
            return pl.lit(plain_series("", [value], iceberg_type)).first()
        case DateType():
            return pl.lit(value, dtype=pl.Int32).cast(dtype)
        case TimeType():
            return pl.lit(value * 1000, dtype=pl.Int64).cast(dtype)
        case TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType():
            return pl.lit(value, dtype=pl.Int64).cast(dtype)
    return pl.lit(value.bytes if isinstance(value, UUID) else value, dtype=dtype)


def plain_series(name: str, values: list[Any], iceberg_type: IcebergType) -> pl.Series:
    """Return plain values as a column of exactly their Polars type."""
    dtype = polars_type(iceberg_type)
    match iceberg_type:
        case StructType(fields):
            children = [
                plain_series(f.name, [None if v is None else v.get(f.name) for v in values], f.field_type)
                for f in fields
            ]
            packed = pl.DataFrame(children).to_struct(name)
            if None not in values:
                return packed
            present = pl.Series([v is not None for v in values])
            return pl.select(pl.when(present).then(packed).alias(name)).to_series()
        case ListType():
            element = iceberg_type.element_type
            return _listed(name, [None if v is None else plain_series("", v, element) for v in values], dtype)
        case MapType():
            return _listed(name, [None if v is None else _entries(v, iceberg_type) for v in values], dtype)
        case DateType():
            return pl.Series(name, values, pl.Int32).cast(dtype)
        case TimeType():
            return pl.Series(name, [None if v is None else v * 1000 for v in values], pl.Int64).cast(dtype)
        case TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType():
            return pl.Series(name, values, pl.Int64).cast(dtype)
        case UUIDType():
            return pl.Series(name, [None if v is None else v.bytes for v in values], dtype)
    return pl.Series(name, values, dtype)


def _listed(name: str, items: list[pl.Series | None], dtype: Dtype) -> pl.Series:
    # Given a type, Polars makes Python values of the series in between, whose times have microseconds.
    return pl.Series(name, items, dtype) if all(i is None for i in items) else pl.Series(name, items).cast(dtype)


def _entries(pairs: list[tuple[Any, Any]], map_type: MapType) -> pl.Series:
    keys = plain_series("key", [key for key, _ in pairs], map_type.key_type)
    return pl.DataFrame([keys, plain_series("value", [value for _, value in pairs], map_type.value_type)]).to_struct("")
