"""The ways to read a scan that the suite holds to the same rows. A new engine is one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from projector.engines.arrow.conform import conform_batch
from projector.engines.duckdb.types import identifier
from projector.engines.polars.native_choice import native
from projector.schema.arrow_schema import arrow_schema


def _polars(scan: Any, use_native: bool) -> pa.Table:
    """By the documented way, or by Polars' own mapping of field ids wherever it is exact."""
    with native(use_native):
        return scan.to_arrow(engine="polars")


def _duckdb_view(scan: Any) -> pa.Table:
    """A view, queried twice, as DuckDB gives it out; only names and nullability are put back, which DuckDB has not."""
    name = 'a "view"; --'
    connection = scan.to_duckdb(name)
    connection.execute("SET arrow_lossless_conversion = true")
    query = f"SELECT * FROM {identifier(name)}"
    first, again = (connection.sql(query).to_arrow_table() for _ in range(2))
    assert first.num_rows == again.num_rows
    schema = arrow_schema(scan.schema())
    return pa.Table.from_batches([conform_batch(batch, schema) for batch in again.to_batches()], schema)


ENGINES: Mapping[str, Callable[[Any], pa.Table]] = {
    "rows": lambda scan: scan.to_arrow(engine="rows"),
    "arrow": lambda scan: scan.to_arrow(engine="arrow"),
    "arrow-stream": lambda scan: scan.to_arrow_batch_reader(engine="arrow").read_all(),
    "polars": lambda scan: _polars(scan, use_native=False),
    "polars-native": lambda scan: _polars(scan, use_native=True),
    "duckdb": lambda scan: scan.to_arrow(engine="duckdb"),
    "duckdb-view": _duckdb_view,
}
