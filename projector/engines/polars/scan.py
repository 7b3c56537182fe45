"""The Polars executor: one lazy scan for each group of files, filters and columns pushed into Polars' own reader.

Whatever makes Polars fail, a value that does not fit or a file that is not what its shape says, is not told in Polars'
words: the Arrow executor reads the same files again, from the row on that was to come, and either gives the rows or
says what is wrong with which value of which file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, replace
from itertools import chain, islice

import polars as pl
import pyarrow as pa

from projector.engines.arrow import scan as arrow_scan
from projector.engines.arrow.delete_files import DeleteReader
from projector.engines.arrow.project import make_batch
from projector.engines.errors import check_row_count
from projector.engines.polars.convert import from_batches, to_batches
from projector.engines.polars.frame import NotRead, group_frame
from projector.engines.polars.groups import FileGroup, group_files
from projector.files.concurrency.ordered import Threads
from projector.planning.filters.expressions import Expression
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest
from projector.schema.arrow_schema import arrow_schema

Change = Callable[[pl.LazyFrame], pl.LazyFrame]


class PolarsFailedError(Exception):
    """Polars could not read some group of files; the Arrow executor is to be asked."""


@dataclass(frozen=True, eq=False)
class PreparedScan:
    """A scan on its way through Polars.

    Parameters
    ----------
    groups, frames:
        Groups that Polars reads, and the rows of each under the request's schema.
    rest:
        Files that the Arrow executor reads.
    """

    request: ScanRequest
    groups: list[FileGroup]
    frames: list[pl.LazyFrame]
    rest: list[ProjectedFile]

    @property
    def polars_files(self) -> list[ProjectedFile]:
        """The files that Polars reads, in the order of its rows."""
        return list(chain.from_iterable(group.files for group in self.groups))

    def frame(self) -> pl.LazyFrame:
        """All rows that Polars reads."""
        return self.frames[0] if len(self.frames) == 1 else pl.concat(self.frames, how="vertical", rechunk=False)


def prepare(files: Iterable[ProjectedFile], request: ScanRequest, deletes: DeleteReader | None = None) -> PreparedScan:
    """The files of a scan, grouped, each group with its lazy frame."""
    grouped = group_files(files, request)
    groups, frames, rest = [], [], grouped.rest
    deletes = DeleteReader(request) if deletes is None else deletes
    for group in grouped.groups:
        try:
            frames.append(group_frame(group, request, deletes))
            groups.append(group)
        except NotRead:
            rest.extend(group.files)
    return PreparedScan(request, groups, frames, rest)


def portions(files: Iterable[ProjectedFile], request: ScanRequest) -> Iterator[PreparedScan]:
    """The files of a scan in portions, each larger than the one before, so that they stay few.

    While Polars reads a portion, the footers of the next one are read.
    """
    deletes = DeleteReader(request)
    source = iter(files)
    first = list(islice(source, _FIRST_PORTION))
    if len(first) < _FIRST_PORTION:
        yield prepare(first, request, deletes)
        return
    context = copy_context()
    with Threads(1, thread_name_prefix="portions") as pool:

        def following(count: int) -> Future[PreparedScan | None]:
            def following_portion() -> PreparedScan | None:
                taken = list(islice(source, count))
                return prepare(taken, request, deletes) if taken else None

            return pool.submit(context.run, following_portion)

        portion: PreparedScan | None = prepare(first, request, deletes)
        count = _FIRST_PORTION
        while portion is not None:
            count *= 2
            coming = following(count)
            yield portion
            portion = coming.result()


_FIRST_PORTION = 400


def scan_batches(files: Iterable[ProjectedFile], request: ScanRequest, batch_size: int) -> Iterator[pa.RecordBatch]:
    """The rows of a scan, group by group. See `arrow_scan.scan_batches`."""
    schema = arrow_schema(request.schema)
    rest: list[ProjectedFile] = []
    for prepared in portions(files, request):
        rest += prepared.rest
        given = 0
        try:
            for frame in stream(prepared, batch_size):
                for batch in _batches(frame, schema, batch_size):
                    given += batch.num_rows
                    yield batch
            check_row_count("Polars", prepared.polars_files, request, given)
        except PolarsFailedError:
            yield from _after(arrow_scan.scan_batches(prepared.polars_files, request, batch_size), given)
    yield from arrow_scan.scan_batches(rest, request, batch_size)


def reads(file: ProjectedFile, request: ScanRequest) -> bool:
    """Return whether Polars reads a file itself; otherwise the Arrow executor does."""
    return not prepare((file,), request).rest


def polars_batches(files: Iterable[ProjectedFile], request: ScanRequest, batch_size: int) -> Iterator[pa.RecordBatch]:
    """The rows of files that Polars is to read itself. Raises `PolarsFailedError` where it does not."""
    schema = arrow_schema(request.schema)
    prepared = prepare(files, request)
    if prepared.rest:
        raise PolarsFailedError("some files are left to the Arrow executor")
    for frame in stream(prepared, batch_size):
        yield from _batches(frame, schema, batch_size)


def scan_frames(
    files: Iterable[ProjectedFile],
    request: ScanRequest,
    batch_size: int,
    change: Change | None = None,
    row_filter: Expression | None = None,
) -> Iterator[pl.DataFrame]:
    """The rows of a scan as frames of Polars' nearest types. Memory stays bounded by the batches.

    Parameters
    ----------
    change:
        What is done to the rows before they are given out, such as a filter of Polars' own; row by row.
    row_filter:
        The part of the request's filter that `change` does not see to, so that Polars need not filter twice.
    """
    rest: list[ProjectedFile] = []
    for prepared in portions(files, request if row_filter is None else replace(request, row_filter=row_filter)):
        rest += prepared.rest
        given = 0
        try:
            for frame in stream(prepared, batch_size, change):
                given += frame.height
                yield frame
        except PolarsFailedError:
            for frame in _arrow_frames(prepared.polars_files, request, batch_size, change):
                if frame.height > given:
                    yield frame.slice(given)
                given = max(0, given - frame.height)
    yield from _arrow_frames(rest, request, batch_size, change)


def stream(prepared: PreparedScan, batch_size: int, change: Change | None = None) -> Iterator[pl.DataFrame]:
    """What Polars reads, batch by batch, in the order of the files. Raises `PolarsFailedError` wherever it fails."""
    if not prepared.frames:
        return
    lazy = prepared.frame()
    if change is not None:
        lazy = change(lazy)
    with _polars_errors():
        batches = iter(lazy.collect_batches(chunk_size=batch_size, maintain_order=True, engine="streaming"))
    while True:
        with _polars_errors():
            frame = next(batches, None)
        if frame is None:
            return
        _check_required(frame, prepared.request)
        yield frame


def _check_required(frame: pl.DataFrame, request: ScanRequest) -> None:
    for f in request.schema.fields:
        if f.required and f.name in frame.columns and frame.get_column(f.name).null_count():
            raise PolarsFailedError(f"a null in {f.name}")


class _polars_errors:  # noqa: N801 - a context manager, used like a function
    """Turns whatever Polars raises into `PolarsFailedError`, panics of its Rust code among it."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        if error is None or isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit | MemoryError):
            return
        raise PolarsFailedError(str(error)) from error


def _batches(frame: pl.DataFrame, schema: pa.Schema, batch_size: int) -> Iterator[pa.RecordBatch]:
    if len(schema):
        yield from to_batches(frame, schema, batch_size)
        return
    for start in range(0, frame.height, batch_size):
        yield make_batch([], schema, min(batch_size, frame.height - start))


def _after(batches: Iterator[pa.RecordBatch], given: int) -> Iterator[pa.RecordBatch]:
    """The batches without their first `given` rows."""
    for batch in batches:
        if batch.num_rows > given:
            yield batch.slice(given)
        given = max(0, given - batch.num_rows)


def _arrow_frames(
    files: Iterable[ProjectedFile], request: ScanRequest, batch_size: int, change: Change | None
) -> Iterator[pl.DataFrame]:
    def made(batch: pa.RecordBatch) -> pl.DataFrame:
        frame = from_batches([batch], request.schema)
        return frame if change is None else change(frame.lazy()).collect()

    return arrow_scan.scan_made(files, request, batch_size, made)
