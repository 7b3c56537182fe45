"""Convert a scan's Arrow batches to the Arrow types that DuckDB reads exactly as its own types."""

from __future__ import annotations

import pyarrow as pa

from projector.engines.arrow.conform import conform_batch
from projector.engines.duckdb.types import NO_FIELDS, duckdb_names
from projector.schema.arrow_schema import arrow_type
from projector.schema.schema import Schema
from projector.schema.types import (
    FixedType,
    IcebergType,
    ListType,
    MapType,
    StructType,
    UnknownType,
)


def duckdb_arrow_type(iceberg_type: IcebergType) -> pa.DataType:
    """Return the Arrow type that DuckDB reads as the DuckDB type of an Iceberg type."""
    match iceberg_type:
        case StructType(fields):
            kinds = [duckdb_arrow_type(f.field_type) for f in fields] or [pa.bool_() for _ in NO_FIELDS]
            names = duckdb_names(fields) or tuple(name for name, _ in NO_FIELDS)
            return pa.struct(list(zip(names, kinds, strict=True)))
        case ListType():
            return pa.list_(duckdb_arrow_type(iceberg_type.element_type))
        case MapType():
            return pa.map_(duckdb_arrow_type(iceberg_type.key_type), duckdb_arrow_type(iceberg_type.value_type))
        case FixedType():
            return pa.binary()
        case UnknownType():
            return pa.int32()
        case _:
            return arrow_type(iceberg_type)


def duckdb_arrow_schema(schema: Schema) -> pa.Schema:
    """Return the Arrow schema of the batches that DuckDB reads: columns `c0`, `c1`, ..."""
    return pa.schema([(f"c{i}", duckdb_arrow_type(f.field_type)) for i, f in enumerate(schema.fields)])


def duckdb_batch(batch: pa.RecordBatch, schema: Schema) -> pa.RecordBatch:
    """Return a batch of a schema in the types that DuckDB reads."""
    return conform_batch(batch, duckdb_arrow_schema(schema))
