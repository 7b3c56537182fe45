"""Read with Polars: its own planning of the scan, or pyiceberg's where the environment lacks polars-iceberg."""

from __future__ import annotations

from typing import Any

import polars as pl
import pyarrow as pa
from answering import answer_requests


def read(request: dict[str, Any]) -> pa.Table:
    """Return the rows of the current snapshot."""
    frame = pl.scan_iceberg(request["metadata"])
    if request.get("is_null"):
        column, *fields = request["is_null"].split(".")
        expression = pl.col(column)
        for name in fields:
            expression = expression.struct.field(name)
        frame = frame.filter(expression.is_null())
    if request.get("columns"):
        frame = frame.select(request["columns"])
    return frame.collect().to_arrow()


if __name__ == "__main__":
    answer_requests(read)
