"""Whether an engine's rows are the expected ones: values, types, nullability and field ids.

The Arrow types are spelled out here once more, by the contract and not by `projector.schema.arrow_schema`, so that the
suite does not measure that module with itself.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa

from projector.schema import types as t
from projector.schema.schema import Schema

SIMPLE: dict[type[t.IcebergType], pa.DataType] = {
    t.UnknownType: pa.null(),
    t.BooleanType: pa.bool_(),
    t.IntegerType: pa.int32(),
    t.LongType: pa.int64(),
    t.FloatType: pa.float32(),
    t.DoubleType: pa.float64(),
    t.DateType: pa.date32(),
    t.TimeType: pa.time64("us"),
    t.TimestampType: pa.timestamp("us"),
    t.TimestamptzType: pa.timestamp("us", "UTC"),
    t.TimestampNanoType: pa.timestamp("ns"),
    t.TimestamptzNanoType: pa.timestamp("ns", "UTC"),
    t.StringType: pa.string(),
    t.BinaryType: pa.binary(),
    t.UUIDType: pa.uuid(),
    t.GeometryType: pa.binary(),
    t.GeographyType: pa.binary(),
}


def contract_type(iceberg_type: t.IcebergType) -> pa.DataType:
    """The Arrow type that the contract gives to an Iceberg type."""
    match iceberg_type:
        case t.DecimalType(precision, scale):
            return pa.decimal128(precision, scale)
        case t.FixedType(length):
            return pa.binary(length)
        case t.StructType(fields):
            return pa.struct([contract_field(field) for field in fields])
        case t.ListType():
            return pa.list_(contract_field(iceberg_type.element))
        case t.MapType():
            return pa.map_(contract_field(iceberg_type.key), contract_field(iceberg_type.value))
        case _:
            return SIMPLE[type(iceberg_type)]


def contract_field(field: t.NestedField) -> pa.Field:
    """The Arrow field of a field, with its id."""
    metadata = {"PARQUET:field_id": str(field.field_id)}
    return pa.field(field.name, contract_type(field.field_type), nullable=field.optional, metadata=metadata)


def contract_schema(schema: Schema) -> pa.Schema:
    """The Arrow schema of a scan under `schema`."""
    return pa.schema([contract_field(field) for field in schema.fields])


def _facts(field: pa.Field, path: str = "") -> list[tuple[str, str, bool, str | None]]:
    """Path, type, nullability and id of a field and of every field below it."""
    path = f"{path}.{field.name}" if path else field.name
    field_id = (field.metadata or {}).get(b"PARQUET:field_id")
    facts = []
    kind = str(field.type)
    below: list[pa.Field] = []
    if pa.types.is_struct(field.type):
        kind, below = "struct", [field.type.field(i) for i in range(field.type.num_fields)]
    elif pa.types.is_map(field.type):
        kind, below = "map", [field.type.key_field, field.type.item_field]
    elif pa.types.is_list(field.type):
        kind, below = "list", [field.type.value_field]
    facts.append((path, kind, field.nullable, field_id.decode() if field_id else None))
    for child in below:
        facts.extend(_facts(child, path))
    return facts


def assert_schema(actual: pa.Schema, schema: Schema) -> None:
    """Raise AssertionError unless an Arrow schema is, at every depth, what the contract says for `schema`."""
    wanted = [fact for field in contract_schema(schema) for fact in _facts(field)]
    found = [fact for field in actual for fact in _facts(field)]
    wrong = [f"{got} instead of {want}" for got, want in zip(found, wanted, strict=False) if got != want]
    assert not wrong, "fields (path, type, nullable, id) are wrong: " + "; ".join(wrong[:5])
    assert len(found) == len(wanted), f"{len(found)} fields instead of {len(wanted)}: {actual.names}"


def plain(array: pa.Array) -> list[Any]:
    """Hashable values, exact and comparable: integers for times, text for floats, entries without order for maps."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return plain(array.storage)
    valid = array.is_valid().to_pylist()
    if pa.types.is_struct(kind):
        children = [plain(array.field(i)) for i in range(kind.num_fields)]
        rows = zip(*children, strict=True) if children else (() for _ in valid)
        return [row if ok else None for ok, row in zip(valid, rows, strict=True)]
    if pa.types.is_map(kind):
        entries = list(zip(plain(array.keys), plain(array.items), strict=True))
        spans = zip(array.offsets.to_pylist(), array.offsets.to_pylist()[1:], strict=False)
        return [
            tuple(sorted(entries[start:end], key=repr)) if ok else None
            for ok, (start, end) in zip(valid, spans, strict=True)
        ]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        values = plain(array.values)
        spans = zip(array.offsets.to_pylist(), array.offsets.to_pylist()[1:], strict=False)
        return [tuple(values[start:end]) if ok else None for ok, (start, end) in zip(valid, spans, strict=True)]
    if pa.types.is_floating(kind):
        return [None if value is None else repr(value) for value in array.to_pylist()]
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        return array.view(pa.int32()).to_pylist()
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        return array.view(pa.int64()).to_pylist()
    return array.to_pylist()


def rows(table: pa.Table) -> Counter[tuple[Any, ...]]:
    """The rows of a table, each with how often it occurs."""
    columns = [[value for chunk in column.chunks for value in plain(chunk)] for column in table.columns]
    return Counter(zip(*columns, strict=True)) if columns else Counter({(): table.num_rows})


def assert_rows(actual: pa.Table, expected: pa.Table) -> None:
    """Raise AssertionError unless two tables hold the same columns and the same rows, in any order."""
    assert actual.column_names == expected.column_names
    found, wanted = rows(actual), rows(expected)
    if found != wanted:
        missing, surplus = list((wanted - found).elements()), list((found - wanted).elements())
        text = f"{len(missing)} of {expected.num_rows} rows missing, {len(surplus)} rows too many"
        text += "".join(f"\n  expected {row}" for row in sorted(missing, key=repr)[:5])
        text += "".join(f"\n  read     {row}" for row in sorted(surplus, key=repr)[:5])
        raise AssertionError(text)
