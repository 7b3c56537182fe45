"""The Polars executor: one lazy scan for each group of files, filters and columns pushed into Polars' own reader.

If Polars fails, because of a value that does not fit or a file that contradicts its footer, its message is not shown:
the Arrow executor reads the same files again, skips the rows already returned, and either returns the others or names
the value and the file at fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import polars as pl
import pyarrow as pa

from projector.engines.arrow import scan as arrow_scan
from projector.engines.errors import check_row_count
from projector.engines.fallback import skip_rows
from projector.engines.polars.convert import from_batches
from projector.engines.polars.native_choice import wants_native
from projector.engines.polars.prepare import Change, PolarsFailedError, frame_batches, portions, prepare, stream
from projector.planning.filters.expressions import Expression
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest
from projector.schema.arrow_schema import arrow_schema


def scan_batches(files: Iterable[ProjectedFile], request: ScanRequest, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a scan, group by group. See `engines.arrow.scan.scan_batches`."""
    schema = arrow_schema(request.schema)
    rest: list[ProjectedFile] = []
    for prepared in portions(files, request, wants_native):
        rest += prepared.rest
        given = 0
        try:
            for frame in stream(prepared, batch_size):
                for batch in frame_batches(frame, schema, batch_size):
                    given += batch.num_rows
                    yield batch
            check_row_count("Polars", prepared.polars_files, request, given)
        except PolarsFailedError:
            yield from skip_rows(arrow_scan.scan_batches(prepared.polars_files, request, batch_size), given)
    yield from arrow_scan.scan_batches(rest, request, batch_size)


def reads(file: ProjectedFile, request: ScanRequest) -> bool:
    """Return whether Polars reads a file itself; otherwise the Arrow executor does."""
    return not prepare((file,), request, wants_native).rest


def scan_frames(
    files: Iterable[ProjectedFile],
    request: ScanRequest,
    batch_size: int,
    change: Change | None = None,
    row_filter: Expression | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield the rows of a scan as frames of the nearest Polars types. Memory is bounded by the size of a batch.

    Parameters
    ----------
    change:
        A row-wise change applied before the rows are returned, such as a predicate of Polars.
    row_filter:
        The part of the request's filter that `change` does not cover, so that Polars does not filter twice.
    """
    rest: list[ProjectedFile] = []
    asked = request if row_filter is None else replace(request, row_filter=row_filter)
    for prepared in portions(files, asked, wants_native):
        rest += prepared.rest
        given = 0
        try:
            for frame in stream(prepared, batch_size, change):
                given += frame.height
                yield frame
        except PolarsFailedError:
            yield from skip_rows(_arrow_frames(prepared.polars_files, request, batch_size, change), given)
    yield from _arrow_frames(rest, request, batch_size, change)


def _arrow_frames(
    files: Iterable[ProjectedFile], request: ScanRequest, batch_size: int, change: Change | None
) -> Iterator[pl.DataFrame]:
    def made(batch: pa.RecordBatch) -> pl.DataFrame:
        frame = from_batches([batch], request.schema)
        return frame if change is None else change(frame.lazy()).collect()

    return arrow_scan.scan_made(files, request, batch_size, made)
