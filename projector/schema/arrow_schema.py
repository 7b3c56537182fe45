"""Convert Iceberg types to Arrow types, and Arrow schemas to Iceberg schemas.

The only module of this package that imports pyarrow; modules that must stay light import it late.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pyarrow as pa

from projector.errors import InvalidMetadataError, UnsupportedError
from projector.schema.fresh_ids import assign_fresh_ids
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
    walk,
)

FIELD_ID_KEY = b"PARQUET:field_id"
DOC_KEY = b"doc"

_ARROW_OF: dict[type[IcebergType], pa.DataType] = {
    UnknownType: pa.null(),
    BooleanType: pa.bool_(),
    IntegerType: pa.int32(),
    LongType: pa.int64(),
    FloatType: pa.float32(),
    DoubleType: pa.float64(),
    DateType: pa.date32(),
    TimeType: pa.time64("us"),
    TimestampType: pa.timestamp("us"),
    TimestamptzType: pa.timestamp("us", "UTC"),
    TimestampNanoType: pa.timestamp("ns"),
    TimestamptzNanoType: pa.timestamp("ns", "UTC"),
    StringType: pa.string(),
    UUIDType: pa.uuid(),
    BinaryType: pa.binary(),
    GeometryType: pa.binary(),
    GeographyType: pa.binary(),
}


def arrow_type(iceberg_type: IcebergType) -> pa.DataType:
    """Return the Arrow type in which scans return values of a type; nested fields have their ids.

    Raises `UnsupportedError` for a variant.
    """
    match iceberg_type:
        case DecimalType(precision, scale):
            return pa.decimal128(precision, scale)
        case FixedType(length):
            return pa.binary(length)
        case StructType(fields):
            return pa.struct([arrow_field(f) for f in fields])
        case ListType():
            return pa.list_(arrow_field(iceberg_type.element))
        case MapType():
            return pa.map_(arrow_field(iceberg_type.key), arrow_field(iceberg_type.value))
    found = _ARROW_OF.get(type(iceberg_type))
    if found is None:
        raise UnsupportedError(f"Reading type {iceberg_type} is not supported")
    return found


def arrow_field(field: NestedField) -> pa.Field:
    """Return a field with its Arrow type, nullability, id and doc. Raises `UnsupportedError` for a variant."""
    metadata = {FIELD_ID_KEY: str(field.field_id).encode()}
    if field.doc is not None:
        metadata[DOC_KEY] = field.doc.encode()
    try:
        return pa.field(field.name, arrow_type(field.field_type), nullable=field.optional, metadata=metadata)
    except UnsupportedError as e:
        if e.field_id is not None:
            e.path = f"{field.name}.{e.path}"
            raise
        raise UnsupportedError(
            e.message, path=field.name, field_id=field.field_id, hint="select the other columns"
        ) from None


def arrow_schema(schema: Schema) -> pa.Schema:
    """Return the Arrow schema of a scan. Raises `UnsupportedError`, with the column's name, for a variant."""
    return pa.schema([arrow_field(f) for f in schema.fields])


def schema_from_arrow(arrow: pa.Schema) -> Schema:
    """Return an Iceberg schema for an Arrow schema.

    Field ids come from `PARQUET:field_id` metadata if every field at every depth has one; otherwise all of them are
    fresh, from 1, in Java's order. Arrow types that Iceberg has in another size become the next larger one (int8 is
    `int`, uint32 `long`, float16 `float`, milliseconds `timestamp`); dictionaries, run-end encodings, views and large
    variants become the type of their values. Nanosecond timestamps are `timestamp_ns`.

    Raises `UnsupportedError` for an Arrow type without Iceberg counterpart, and `InvalidMetadataError` for ids that are
    not numbers or are used twice.
    """
    missing = count(-1, -1)
    struct = StructType(tuple(_field_from_arrow(f, f.name, missing) for f in arrow))
    names = [f.name for f in struct.fields]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise InvalidMetadataError(f"Invalid schema: multiple fields for name {twice}", path=twice)
    if any(f.field_id < 0 for _, f in walk(struct)):
        fresh = count(1)
        struct = assign_fresh_ids(struct, lambda: next(fresh))  # type: ignore[assignment]
    schema = Schema(struct.fields)
    schema.check_ids()
    return schema


def _field_from_arrow(field: pa.Field, path: str, missing: Iterator[int]) -> NestedField:
    metadata = field.metadata or {}
    field_type = _type_from_arrow(field.type, path, missing)
    doc = metadata.get(DOC_KEY)
    field_id = _id_from_arrow(metadata, path, missing)
    return NestedField(field_id, field.name, field_type, not field.nullable, None if doc is None else doc.decode())


def _id_from_arrow(metadata: dict[bytes, bytes], path: str, missing: Iterator[int]) -> int:
    """Return the id of an Arrow field, or a unique negative number if it has none."""
    text = metadata.get(FIELD_ID_KEY)
    if text is None:
        return next(missing)
    try:
        field_id = int(text)
    except ValueError:
        raise InvalidMetadataError(f"Invalid {FIELD_ID_KEY.decode()}: {text!r}", path=path) from None
    return field_id if field_id >= 0 else next(missing)


def _type_from_arrow(t: pa.DataType, path: str, missing: Iterator[int]) -> IcebergType:
    if pa.types.is_dictionary(t) or pa.types.is_run_end_encoded(t):
        return _type_from_arrow(t.value_type, path, missing)
    if pa.types.is_struct(t):
        fields = tuple(_field_from_arrow(f, f"{path}.{f.name}", missing) for f in t)
        if len({f.name for f in fields}) < len(fields):
            raise InvalidMetadataError("Invalid schema: multiple fields with one name", path=path)
        return StructType(fields)
    if pa.types.is_map(t):
        key = _field_from_arrow(t.key_field, f"{path}.key", missing)
        value = _field_from_arrow(t.item_field, f"{path}.value", missing)
        return MapType(key.field_id, key.field_type, value.field_id, value.field_type, value.required)
    if _is_list(t):
        element = _field_from_arrow(t.value_field, f"{path}.element", missing)
        return ListType(element.field_id, element.field_type, element.required)
    found = _primitive_from_arrow(t)
    if found is None:
        raise UnsupportedError(f"Arrow type {t} has no Iceberg counterpart", path=path)
    return found


def _is_list(t: pa.DataType) -> bool:
    checks = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    views = (pa.types.is_list_view, pa.types.is_large_list_view)
    return any(check(t) for check in (*checks, *views))


def _primitive_from_arrow(t: pa.DataType) -> PrimitiveType | None:
    types = pa.types
    if isinstance(t, pa.UuidType):
        return UUIDType()
    if types.is_null(t):
        return UnknownType()
    if types.is_boolean(t):
        return BooleanType()
    if types.is_integer(t):
        if types.is_uint64(t):
            return None
        return LongType() if types.is_int64(t) or types.is_uint32(t) else IntegerType()
    if types.is_floating(t):
        return DoubleType() if types.is_float64(t) else FloatType()
    if types.is_decimal(t):
        return DecimalType(t.precision, t.scale) if t.precision <= 38 and 0 <= t.scale <= t.precision else None
    if types.is_date(t):
        return DateType()
    if types.is_time(t):
        return None if t.unit == "ns" else TimeType()
    if types.is_timestamp(t):
        if t.unit == "ns":
            return TimestampNanoType() if t.tz is None else TimestamptzNanoType()
        return TimestampType() if t.tz is None else TimestamptzType()
    if types.is_string(t) or types.is_large_string(t) or types.is_string_view(t):
        return StringType()
    if types.is_fixed_size_binary(t):
        return FixedType(t.byte_width)
    if types.is_binary(t) or types.is_large_binary(t) or types.is_binary_view(t):
        return BinaryType()
    return None
