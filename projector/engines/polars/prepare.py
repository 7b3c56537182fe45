"""Prepare a scan for Polars: a lazy frame for each group of files, and the batches that the frames return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass
from itertools import chain, islice

import polars as pl
import pyarrow as pa

from projector.engines.arrow.delete_files import DeleteReader
from projector.engines.arrow.project import make_batch
from projector.engines.polars.convert import to_batches
from projector.engines.polars.frame import NotRead, group_frame
from projector.engines.polars.groups import FileGroup, group_files
from projector.engines.polars.native import WantsNative
from projector.files.concurrency.ordered import Threads
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest
from projector.schema.arrow_schema import arrow_schema

Change = Callable[[pl.LazyFrame], pl.LazyFrame]


class PolarsFailedError(Exception):
    """Polars failed to read some files; the Arrow executor reads them instead."""


@dataclass(frozen=True, eq=False)
class PreparedScan:
    """A scan prepared for Polars.

    Parameters
    ----------
    groups, frames:
        The groups that Polars reads, and the lazy frame of each under the request's schema.
    rest:
        The files that the Arrow executor reads.
    """

    request: ScanRequest
    groups: list[FileGroup]
    frames: list[pl.LazyFrame]
    rest: list[ProjectedFile]

    @property
    def polars_files(self) -> list[ProjectedFile]:
        """The files that Polars reads, in the order of their rows."""
        return list(chain.from_iterable(group.files for group in self.groups))

    def frame(self) -> pl.LazyFrame:
        """Return the lazy frame of all rows that Polars reads."""
        return self.frames[0] if len(self.frames) == 1 else pl.concat(self.frames, how="vertical", rechunk=False)


def prepare(
    files: Iterable[ProjectedFile],
    request: ScanRequest,
    wants_native: WantsNative,
    deletes: DeleteReader | None = None,
) -> PreparedScan:
    """Group the files of a scan, and make the lazy frame of each group."""
    grouped = group_files(files, request, wants_native)
    groups, frames, rest = [], [], grouped.rest
    deletes = DeleteReader(request) if deletes is None else deletes
    for group in grouped.groups:
        try:
            frames.append(group_frame(group, request, deletes))
            groups.append(group)
        except NotRead:
            rest.extend(group.files)
    return PreparedScan(request, groups, frames, rest)


def portions(files: Iterable[ProjectedFile], request: ScanRequest, wants_native: WantsNative) -> Iterator[PreparedScan]:
    """Yield the files of a scan in portions, each twice as large as the one before, so that there are few.

    While Polars reads a portion, the footers of the next one are read in another thread.
    """
    deletes = DeleteReader(request)
    source = iter(files)
    first = list(islice(source, _FIRST_PORTION))
    if len(first) < _FIRST_PORTION:
        yield prepare(first, request, wants_native, deletes)
        return
    context = copy_context()
    with Threads(1, thread_name_prefix="portions") as pool:

        def following(count: int) -> Future[PreparedScan | None]:
            def following_portion() -> PreparedScan | None:
                taken = list(islice(source, count))
                return prepare(taken, request, wants_native, deletes) if taken else None

            return pool.submit(context.run, following_portion)

        portion: PreparedScan | None = prepare(first, request, wants_native, deletes)
        count = _FIRST_PORTION
        while portion is not None:
            count *= 2
            coming = following(count)
            yield portion
            portion = coming.result()


_FIRST_PORTION = 400


def polars_batches(
    files: Iterable[ProjectedFile], request: ScanRequest, batch_size: int, wants_native: WantsNative
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of files that Polars reads itself. Raises `PolarsFailedError` if it does not."""
    schema = arrow_schema(request.schema)
    prepared = prepare(files, request, wants_native)
    if prepared.rest:
        raise PolarsFailedError("some files are left to the Arrow executor")
    for frame in stream(prepared, batch_size):
        yield from frame_batches(frame, schema, batch_size)


def stream(prepared: PreparedScan, batch_size: int, change: Change | None = None) -> Iterator[pl.DataFrame]:
    """Yield what Polars reads, batch by batch, in the order of the files. Raises `PolarsFailedError` if it fails."""
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
    """Turns every error of Polars, panics in its Rust code included, into `PolarsFailedError`."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        if error is None or isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit | MemoryError):
            return
        raise PolarsFailedError(str(error)) from error


def frame_batches(frame: pl.DataFrame, schema: pa.Schema, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Yield a frame's rows as batches of the scan's schema, which may have no columns."""
    if len(schema):
        yield from to_batches(frame, schema, batch_size)
        return
    for start in range(0, frame.height, batch_size):
        yield make_batch([], schema, min(batch_size, frame.height - start))
