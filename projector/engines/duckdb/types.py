"""Iceberg types as DuckDB types, and names, paths and plain values as properly quoted DuckDB SQL.

DuckDB has no type for fixed, geometry and geography: their values are BLOBs. `unknown` is an INTEGER that is null. A
struct without fields, which DuckDB supports only in places, gets one field that is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from projector.errors import UnsupportedError
from projector.schema.iso_text import format_time
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

SIMPLE: dict[type[IcebergType], str] = {
    UnknownType: "INTEGER",
    BooleanType: "BOOLEAN",
    IntegerType: "INTEGER",
    LongType: "BIGINT",
    FloatType: "FLOAT",
    DoubleType: "DOUBLE",
    DateType: "DATE",
    TimeType: "TIME",
    TimestampType: "TIMESTAMP",
    TimestamptzType: "TIMESTAMPTZ",
    TimestampNanoType: "TIMESTAMP_NS",
    TimestamptzNanoType: "TIMESTAMPTZ_NS",
    StringType: "VARCHAR",
    UUIDType: "UUID",
    FixedType: "BLOB",
    BinaryType: "BLOB",
    GeometryType: "BLOB",
    GeographyType: "BLOB",
}
"""The DuckDB types of the Iceberg types that map to DuckDB without their parameters."""

NO_FIELDS = (("_", "BOOLEAN"),)
"""The fields of an empty struct in DuckDB: one field that is null."""


def identifier(name: str) -> str:
    """Return a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """Return text as an SQL expression: a string literal, or decoded bytes if it has NULs, which end a statement."""
    if "\0" in value:
        return f"decode({blob(value.encode())})"
    return "'" + value.replace("'", "''") + "'"


def blob(value: bytes) -> str:
    """Return bytes as an SQL expression."""
    return f"from_hex('{value.hex()}')"


def duckdb_names(fields: Iterable[NestedField] | Iterable[str]) -> tuple[str, ...]:
    """Return the DuckDB names of columns or of a struct's children. Names that differ only in case get DuckDB's suffix.

    DuckDB does not allow empty names, or NULs in names: an empty name becomes `_`, a NUL the replacement character.
    """
    found: list[str] = []
    taken: set[str] = set()
    for f in fields:
        name = (f if isinstance(f, str) else f.name).replace("\0", "\N{REPLACEMENT CHARACTER}") or "_"
        unique, number = name, 0
        while unique.lower() in taken:
            number += 1
            unique = f"{name}_{number}"
        taken.add(unique.lower())
        found.append(unique)
    return tuple(found)


@lru_cache(maxsize=4096)
def duckdb_type(iceberg_type: IcebergType) -> str:
    """Return the DuckDB type, as SQL, that `to_duckdb` uses for a type. Raises `UnsupportedError` for a variant."""
    match iceberg_type:
        case DecimalType(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case StructType(fields):
            children = zip(duckdb_names(fields), (duckdb_type(f.field_type) for f in fields), strict=True)
            return struct_type(tuple(children) or NO_FIELDS)
        case ListType():
            return f"{duckdb_type(iceberg_type.element_type)}[]"
        case MapType():
            return f"MAP({duckdb_type(iceberg_type.key_type)}, {duckdb_type(iceberg_type.value_type)})"
    found = SIMPLE.get(type(iceberg_type))
    if found is None:
        raise UnsupportedError(f"Reading type {iceberg_type} is not supported")
    return found


def struct_type(children: Sequence[tuple[str, str]]) -> str:
    """Return a struct type of named children, as SQL."""
    return f"STRUCT({', '.join(f'{identifier(name)} {kind}' for name, kind in children)})"


def column_types(schema: Schema) -> tuple[str, ...]:
    """Return the DuckDB types of a schema's columns. Raises `UnsupportedError` that names a variant column."""
    found = []
    for f in schema.fields:
        try:
            found.append(duckdb_type(f.field_type))
        except UnsupportedError as e:
            raise UnsupportedError(
                e.message, path=f.name, field_id=f.field_id, hint="select the other columns"
            ) from None
    return tuple(found)


def literal(value: Any, iceberg_type: IcebergType) -> str:
    """Return a plain value of a type (see `projector.schema.types`) as SQL of exactly its DuckDB type.

    A value that DuckDB cannot hold, such as a timestamp that it takes for infinity, fails when the SQL runs.
    """
    kind = duckdb_type(iceberg_type)
    if value is None:
        return f"CAST(NULL AS {kind})"
    match iceberg_type:
        case StructType(fields):
            return packed(fields, [literal(value.get(f.name), f.field_type) for f in fields])
        case ListType():
            return f"CAST({_listed(value, iceberg_type.element_type)} AS {kind})"
        case MapType():
            keys = _listed([key for key, _ in value], iceberg_type.key_type)
            return f"CAST(map({keys}, {_listed([v for _, v in value], iceberg_type.value_type)}) AS {kind})"
        case StringType():
            return text(value)
        case BinaryType() | FixedType() | GeometryType() | GeographyType():
            return blob(value)
        case DateType():
            return f"make_date(CAST('{value}' AS INTEGER))"
        case TimeType():
            return f"CAST('{format_time(value)}' AS TIME)"
        case TimestampType():
            return f"make_timestamp(CAST('{value}' AS BIGINT))"
        case TimestamptzType():
            return f"make_timestamptz(CAST('{value}' AS BIGINT))"
        case TimestampNanoType():
            return f"make_timestamp_ns(CAST('{value}' AS BIGINT))"
        case TimestamptzNanoType():
            return f"CAST(timezone('UTC', make_timestamp_ns(CAST('{value}' AS BIGINT))) AS TIMESTAMPTZ_NS)"
        case DecimalType():
            return f"CAST('{value:f}' AS {kind})"
        case BooleanType():
            return "true" if value else "false"
        case _:
            return f"CAST('{value}' AS {kind})"


def _listed(values: Sequence[Any], iceberg_type: IcebergType) -> str:
    items = ", ".join(literal(value, iceberg_type) for value in values)
    return f"CAST([{items}] AS {duckdb_type(iceberg_type)}[])"


def packed(fields: Sequence[NestedField], children: Sequence[str]) -> str:
    """Return a struct of children, given as SQL, as SQL."""
    pairs = list(zip(duckdb_names(fields), children, strict=True)) or [(n, f"CAST(NULL AS {k})") for n, k in NO_FIELDS]
    return f"struct_pack({', '.join(f'{identifier(name)} := {child}' for name, child in pairs)})"
