"""Look up executors by engine name. Each executor yields the rows of a scan as Arrow batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from projector.errors import UnsupportedError
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest

if TYPE_CHECKING:
    import pyarrow as pa

ScanBatches = Callable[[Iterable[ProjectedFile], ScanRequest, int], "Iterator[pa.RecordBatch]"]
"""The signature of every executor; `scan_batches` of the Arrow executor documents it."""

EXECUTORS: Mapping[str, str] = {
    "arrow": "projector.engines.arrow.scan",
    "rows": "projector.engines.reference.scan",
    "polars": "projector.engines.polars.scan",
    "duckdb": "projector.engines.duckdb.scan",
}
"""Engines, and the modules whose `scan_batches` executes a scan with them; imported on first use."""


def executor(engine: str) -> ScanBatches:
    """Return the executor of an engine. Raises `UnsupportedError` if the engine is unknown or not installed."""
    module = EXECUTORS.get(engine)
    if module is None:
        raise UnsupportedError(f"Unknown engine: {engine!r}", hint=f"choose one of: {', '.join(EXECUTORS)}")
    found: ScanBatches = import_module(module).scan_batches
    return found


def reads_itself(engine: str, file: ProjectedFile, request: ScanRequest) -> bool:
    """Return whether an engine reads a file of a scan itself; otherwise it leaves the file to the Arrow executor."""
    reads = getattr(import_module(EXECUTORS[engine]), "reads", None)
    return reads is None or bool(reads(file, request))
