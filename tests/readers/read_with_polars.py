"""Read with Polars: its own planning of the scan, or pyiceberg's where the environment lacks polars-iceberg."""

from __future__ import annotations

from typing import Any

import polars as pl
import pyarrow as pa
from answering import answer_requests


def read(request: dict[str, Any]) -> pa.Table:
    """Return the rows of the current snapshot."""
    frame = pl.scan_iceberg(request["metadata"])
    if request.get("where"):
        frame = frame.filter(pl.sql_expr(request["where"]))
    if request.get("count"):
        return frame.select(pl.len().alias("count")).collect().to_arrow()
    if request.get("columns"):
        frame = frame.select(request["columns"])
    return frame.collect().to_arrow()


if __name__ == "__main__":
    answer_requests(read)
