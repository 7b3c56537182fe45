"""Compute counts and bounds of columns, as manifests hold them."""

from __future__ import annotations

import struct

import pyarrow as pa
import pyarrow.compute as pc

from .iceberg_files import Json


def metrics(rows: pa.Table) -> Json:
    """Return the metrics of the top-level columns that are not nested."""
    counts, nulls, lower, upper = [], [], [], []
    for field in rows.schema:
        if pa.types.is_nested(field.type):
            continue
        values = rows.column(field.name)
        field_id = int(field.metadata[b"PARQUET:field_id"])
        counts.append({"key": field_id, "value": len(values)})
        nulls.append({"key": field_id, "value": values.null_count})
        if values.null_count < len(values):
            least = pc.min_max(values)
            lower.append({"key": field_id, "value": bound(least["min"])})
            upper.append({"key": field_id, "value": bound(least["max"])})
    return {"value_counts": counts, "null_value_counts": nulls, "lower_bounds": lower, "upper_bounds": upper}


def bound(scalar: pa.Scalar) -> bytes:
    """Return a value in the spec's binary form (Appendix D)."""
    value = scalar.value if pa.types.is_date32(scalar.type) else scalar.as_py()
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, float):
        return struct.pack("<f" if scalar.type == pa.float32() else "<d", value)
    return int(value).to_bytes(scalar.type.bit_width // 8, "little", signed=True)
