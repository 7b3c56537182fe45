"""Convert Arrow results to plain rows and back, so that results of any engine can be compared with the reference."""

from __future__ import annotations

import math
import struct
import uuid
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from projector.schema.arrow_schema import arrow_schema, arrow_type
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

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_WIDE = Context(prec=80)


def to_plain_rows(table: pa.Table | pa.RecordBatch, schema: Schema) -> list[dict[str, Any]]:
    """Return the rows of an Arrow table, whose columns match `schema` by position, as the reference returns them.

    The values are exact: times and timestamps are integers in the schema's unit, maps are lists of pairs in their
    order. Any Arrow type that can hold the values is accepted, so that the results of all engines can be compared;
    assert the Arrow types separately.
    """
    if table.num_columns != len(schema.fields):
        raise ValueError(f"the table has {table.num_columns} columns, the schema {len(schema.fields)}")
    columns = [[plain_value(scalar, f.field_type) for scalar in table.column(i)] for i, f in enumerate(schema.fields)]
    names = [f.name for f in schema.fields]
    return [{name: column[i] for name, column in zip(names, columns, strict=True)} for i in range(table.num_rows)]


def plain_value(scalar: pa.Scalar, iceberg_type: IcebergType) -> Any:
    """Return an Arrow scalar as a plain value of an Iceberg type."""
    while isinstance(scalar, pa.ExtensionScalar | pa.DictionaryScalar):
        scalar = scalar.value
        if scalar is None:
            return None
    if not scalar.is_valid:
        return None
    match iceberg_type:
        case StructType(fields):
            if len(scalar) != len(fields):
                raise ValueError(f"a struct of {len(scalar)} children for {iceberg_type}")
            return {f.name: plain_value(scalar[i], f.field_type) for i, f in enumerate(fields)}
        case ListType():
            return [plain_value(item, iceberg_type.element_type) for item in scalar.values]
        case MapType():
            return [
                (plain_value(entry[0], iceberg_type.key_type), plain_value(entry[1], iceberg_type.value_type))
                for entry in scalar.values
            ]
        case TimeType():
            return _ticks(scalar, "us")
        case TimestampType() | TimestamptzType():
            return _ticks(scalar, "us")
        case TimestampNanoType() | TimestamptzNanoType():
            return _ticks(scalar, "ns")
        case DateType():
            return int(scalar.cast(pa.date32()).value)
        case DecimalType(_, scale):
            return Decimal(scalar.as_py()).quantize(Decimal(1).scaleb(-scale), context=_WIDE)
        case BooleanType() | IntegerType() | LongType() | FloatType() | DoubleType() | StringType():
            return scalar.as_py()
        case UUIDType():
            stored = scalar.as_py()
            return uuid.UUID(bytes=stored) if isinstance(stored, bytes) else uuid.UUID(str(stored))
        case FixedType() | BinaryType() | GeometryType() | GeographyType():
            return bytes(scalar.as_py())
        case UnknownType():
            raise ValueError("an unknown column holds nothing but nulls")
        case _:
            raise ValueError(f"no plain value for {iceberg_type}")


def from_plain_rows(rows: Sequence[Mapping[str, Any]], schema: Schema) -> pa.RecordBatch:
    """Return plain rows as an Arrow batch with the types of a scan, the reverse of `to_plain_rows`."""
    arrays = [plain_array([row[f.name] for row in rows], f) for f in schema.fields]
    if arrays:
        return pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(schema))
    return pa.RecordBatch.from_struct_array(pa.array([{} for _ in rows], pa.struct([])))


def plain_array(values: Sequence[Any], field: NestedField) -> pa.Array:
    """Return plain values of a field as an Arrow array of its type."""
    target = arrow_type(field.field_type)
    nulls = pa.array([value is None for value in values], pa.bool_())
    match field.field_type:
        case StructType(fields):
            children = [plain_array([_hidden(f) if v is None else v.get(f.name) for v in values], f) for f in fields]
            if not children:
                return pa.array([None if v is None else {} for v in values], target)
            return pa.StructArray.from_arrays(children, fields=list(target), mask=nulls)
        case ListType() as list_type:
            items = plain_array([item for value in values if value is not None for item in value], list_type.element)
            return pa.ListArray.from_arrays(_offsets(values), items, type=target, mask=nulls)
        case MapType() as map_type:
            entries = [entry for value in values if value is not None for entry in value]
            keys = plain_array([key for key, _ in entries], map_type.key)
            items = plain_array([value for _, value in entries], map_type.value)
            return pa.MapArray.from_arrays(_offsets(values), keys, items, type=target, mask=nulls)
        case UUIDType():
            stored = pa.array([None if value is None else value.bytes for value in values], target.storage_type)
            return pa.ExtensionArray.from_storage(target, stored)
        case _:
            return pa.array(values, target)


def _hidden(field: NestedField) -> Any:
    """Return a value to store under a null struct: null, or any value for a required field, which Arrow needs."""
    if field.optional:
        return None
    match field.field_type:
        case StructType(fields):
            return {f.name: _hidden(f) for f in fields}
        case ListType() | MapType():
            return []
        case UUIDType():
            return uuid.UUID(int=0)
        case BooleanType():
            return False
        case StringType():
            return ""
        case FixedType(length):
            return bytes(length)
        case BinaryType() | GeometryType() | GeographyType():
            return b""
        case _:
            return 0


def _offsets(values: Sequence[Any]) -> pa.Int32Array:
    ends = accumulate((0 if value is None else len(value) for value in values), initial=0)
    return pa.array(list(ends), pa.int32())


def same_value(left: Any, right: Any) -> bool:
    """Return whether two plain values have the same type and value: floats by their bits, but all NaNs are equal."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same_value(left[k], right[k]) for k in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(same_value(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, float):
        return (math.isnan(left) and math.isnan(right)) or struct.pack("d", left) == struct.pack("d", right)
    if isinstance(left, Decimal):
        return str(left) == str(right)
    return bool(left == right)


def _ticks(scalar: pa.Scalar, unit: str) -> int:
    number, rest = divmod(int(scalar.value) * _PER_SECOND[unit], _PER_SECOND[scalar.type.unit])
    if rest:
        raise ValueError(f"{scalar} has more digits than {unit}")
    return number


def ordinals(first: int, length: int) -> pa.Int64Array:
    """Return `first`, `first + 1`, ... as a column."""
    return pc.cumulative_sum(pa.repeat(pa.scalar(1, pa.int64()), length), start=first - 1)
