"""The ways to read a scan that the suite holds to the same rows. A new engine is one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from projector.engines.polars_native import native


def _polars(scan: Any, use_native: bool) -> pa.Table:
    """By the documented way, or by Polars' own mapping of field ids wherever it is exact."""
    with native(use_native):
        return scan.to_arrow(engine="polars")


ENGINES: Mapping[str, Callable[[Any], pa.Table]] = {
    "rows": lambda scan: scan.to_arrow(engine="rows"),
    "arrow": lambda scan: scan.to_arrow(engine="arrow"),
    "arrow-stream": lambda scan: scan.to_arrow_batch_reader(engine="arrow").read_all(),
    "polars": lambda scan: _polars(scan, use_native=False),
    "polars-native": lambda scan: _polars(scan, use_native=True),
    "duckdb": lambda scan: scan.to_arrow(engine="duckdb"),
}
