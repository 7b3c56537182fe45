"""Execute a whole scan with Arrow: project every file, drop deleted rows, apply the filter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TypeVar

import pyarrow as pa

from projector.engines.arrow.apply_deletes import apply_deletes_and_filter
from projector.engines.arrow.careful import careful_batches
from projector.engines.arrow.coalesce import SmallFile, batch_bytes, fits, is_small, read_together
from projector.engines.arrow.delete_files import DeleteReader, EqualityDeletes
from projector.engines.arrow.reader import RowGroups, read_batches
from projector.engines.arrow.row_groups import row_group_filter
from projector.engines.deletes.positions import DeletedPositions
from projector.engines.errors import raise_failures
from projector.engines.fallback import skip_rows
from projector.errors import ProjectionError
from projector.files.concurrency.ordered import prefetched, streams_in_order
from projector.planning.filters.expressions import AlwaysTrue
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest
from projector.schema.arrow_schema import arrow_schema

_MOST_STREAMS = 8
"""Most files to read at a time. Two for each CPU keep it busy while one of them waits; more only take memory."""

_MOST_BYTES = 128 << 20
"""Memory limit for the batches of all of them."""

Made = TypeVar("Made")
Stream = Callable[[], Iterator[pa.RecordBatch]]


def scan_batches(files: Iterable[ProjectedFile], request: ScanRequest, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a scan, file by file. Every executor has this signature.

    While the caller takes the rows of one file, the next files are read, several at a time, each one batch ahead.

    Parameters
    ----------
    files:
        Projected under the request's wide schema.
    batch_size:
        Maximum rows in a batch.

    Raises
    ------
    ProjectionError
        For the first file that cannot be read under the schema, or the first value that does not fit it.
    NotFoundError, CorruptFileError, UnsupportedError
        For the first data or delete file that cannot be read at all.
    """
    return scan_made(files, request, batch_size, lambda batch: batch)


def scan_made(
    files: Iterable[ProjectedFile], request: ScanRequest, batch_size: int, make: Callable[[pa.RecordBatch], Made]
) -> Iterator[Made]:
    """Yield `make(batch)` for the batches of a scan, computed in the threads that read them. See `scan_batches`."""
    first, rest = prefetched(files, 2 * _MOST_STREAMS if request.reads_ahead else 0)
    workers = _workers(first, batch_size)
    use_threads = len(first) < workers or workers < pa.cpu_count()
    made = (partial(_made, stream, make) for stream in _streams(chain(first, rest), request, batch_size, use_threads))
    return streams_in_order(made, workers)


def _workers(first: Sequence[ProjectedFile], batch_size: int) -> int:
    """Return how many files to read at a time: enough to keep the CPUs busy, if they fit into memory."""
    largest = max((batch_bytes(file, batch_size) for file in first), default=0)
    room = _MOST_BYTES // largest if largest else 1
    return max(1, min(2 * int(pa.cpu_count()), _MOST_STREAMS, room))


def _made(stream: Stream, make: Callable[[pa.RecordBatch], Made]) -> Iterator[Made]:
    return map(make, stream())


def _streams(
    files: Iterable[ProjectedFile], request: ScanRequest, batch_size: int, use_threads: bool
) -> Iterator[Stream]:
    """Yield the independent parts of a scan: large files, and groups of small files that are read together."""
    deletes = DeleteReader(request)
    schema = arrow_schema(request.schema)
    filtered = not isinstance(request.row_filter, AlwaysTrue)
    together: list[SmallFile] = []
    try:
        for file in files:
            raise_failures(file.plan, file.binding.file)
            groups = row_group_filter(file, request) if filtered else None
            if groups is not None and not groups.might_match():
                continue
            chosen = None if groups is None else groups.chosen
            is_joined = request.reads_ahead and not file.task.deletes and is_small(file, batch_size)
            small = SmallFile(file, chosen, batch_bytes(file, batch_size)) if is_joined else None
            if together and (small is None or not fits(small, together, batch_size)):
                yield _together(together, request, batch_size, schema, use_threads)
                together = []
            if small is not None:
                together.append(small)
                continue
            # Delete files are read here, one after the other, since several data files share them.
            positions = deletes.deleted_positions(file.task, file.row_count)
            equality = deletes.equality_deletes(file.task)
            yield partial(_one_file, file, chosen, request, batch_size, positions, equality, schema, use_threads)
    except Exception:  # after the rows before it
        if together:
            yield _together(together, request, batch_size, schema, use_threads)
        raise
    if together:
        yield _together(together, request, batch_size, schema, use_threads)


def _together(
    files: Sequence[SmallFile], request: ScanRequest, batch_size: int, schema: pa.Schema, use_threads: bool
) -> Stream:
    if len(files) == 1:
        ((file, chosen, _),) = files
        return partial(_one_file, file, chosen, request, batch_size, None, (), schema, use_threads)
    return partial(_small_files, files, request, batch_size, schema)


def _one_file(
    file: ProjectedFile,
    row_groups: RowGroups,
    request: ScanRequest,
    batch_size: int,
    positions: DeletedPositions | None,
    equality: tuple[EqualityDeletes, ...],
    schema: pa.Schema,
    use_threads: bool,
) -> Iterator[pa.RecordBatch]:
    # Deleted rows are skipped unless `_deleted` is selected.
    selection = None if request.marks_deleted else positions
    done = 0
    try:
        for batch in read_batches(
            file, request.storage, batch_size, row_groups=row_groups, selection=selection, use_threads=use_threads
        ):
            given = apply_deletes_and_filter(request, batch, equality, positions, schema)
            if given.num_rows:
                done += given.num_rows
                yield given
    except ProjectionError:
        if not request.probes:
            raise
        careful = careful_batches(file, row_groups, request, batch_size, positions, equality, schema)
        yield from skip_rows(careful, done)


def _small_files(
    files: Sequence[SmallFile], request: ScanRequest, batch_size: int, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    done = 0
    try:
        for batch in read_together(files, request.storage, batch_size):
            given = apply_deletes_and_filter(request, batch, (), None, schema)
            if given.num_rows:
                done += given.num_rows
                yield given
    except ProjectionError:
        if not request.probes:
            raise
        alone = (_one_file(f.file, f.row_groups, request, batch_size, None, (), schema, False) for f in files)
        yield from skip_rows(chain.from_iterable(alone), done)
