"""The ways to read a scan that the suite holds to the same rows. A new engine is one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

ENGINES: Mapping[str, Callable[[Any], pa.Table]] = {
    "rows": lambda scan: scan.to_arrow(engine="rows"),
    "arrow": lambda scan: scan.to_arrow(engine="arrow"),
    "arrow-stream": lambda scan: scan.to_arrow_batch_reader(engine="arrow").read_all(),
    "polars": lambda scan: scan.to_arrow(engine="polars"),
}
