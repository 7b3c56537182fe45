"""Read with DuckDB's iceberg extension, from the packages duckdb-extension-iceberg and -avro."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from answering import answer_requests


def connect() -> duckdb.DuckDBPyConnection:
    """Return a connection with the extension loaded from site-packages; nothing is downloaded."""
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute("SET autoinstall_known_extensions = false; SET TimeZone = 'UTC'")
    for name in ("avro", "iceberg"):
        spec = importlib.util.find_spec(f"duckdb_extension_{name}")
        assert spec is not None
        assert spec.submodule_search_locations is not None
        (file,) = Path(spec.submodule_search_locations[0]).rglob(f"{name}.duckdb_extension")
        connection.execute(f"LOAD '{file}'")
    return connection


def quoted(name: str) -> str:
    """Quote an identifier."""
    return '"' + name.replace('"', '""') + '"'


def read(request: dict[str, Any]) -> pa.Table:
    """Return the rows of the current snapshot."""
    columns = ", ".join(map(quoted, request.get("columns") or ())) or "*"
    if request.get("count"):
        columns = 'count(*) AS "count"'
    where = f" WHERE {request['where']}" if request.get("where") else ""
    with connect() as connection:
        table = connection.execute(f"SELECT {columns} FROM iceberg_scan(?){where}", [request["metadata"]])
        return table.to_arrow_table()


if __name__ == "__main__":
    answer_requests(read)
