"""Read selected leaves of a Parquet file, batch by batch, with the position of each batch in the file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from projector.engines.arrow.compile import ArrowPlan
from projector.errors import CorruptFileError, NotFoundError, StoreError, UnsupportedError
from projector.files.storage.retry import is_of_store


@dataclass(frozen=True, slots=True, eq=False)
class RawBatch:
    """Columns as pyarrow returns them, for the rows of a file from position `first` on.

    `exact` holds the file's int96 leaves as nanoseconds, wrapped around where they overflow; `columns` holds them as
    milliseconds.
    """

    first: int
    length: int
    columns: list[pa.Array]
    exact: list[pa.Array]


@dataclass(frozen=True, slots=True, eq=False)
class OpenFile:
    """A Parquet file opened for a plan, and the plan's steps for what pyarrow will return.

    `prefixes` are the dotted paths that select columns, in the file and in its second reading; None for all.
    """

    file: str
    compiled: ArrowPlan
    parquet: pq.ParquetFile
    exact: pq.ParquetFile | None
    prefixes: list[str] | None
    exact_prefixes: list[str] | None


Source = str | os.PathLike[str] | Any
"""A local path, or what `pyarrow.parquet.ParquetFile` opens: a `pyarrow.NativeFile` or a binary file object."""


@contextmanager
def arrow_errors(file: str) -> Iterator[None]:
    """Translate exceptions that pyarrow raises while it reads `file` to errors of this project."""
    try:
        yield
    except pa.ArrowNotImplementedError as e:
        raise UnsupportedError(f"pyarrow cannot read it: {_one_line(e)}", file=file) from e
    except FileNotFoundError as e:
        raise NotFoundError("The file is not there", file=file) from e
    except (IsADirectoryError, PermissionError) as e:
        raise NotFoundError(f"The file cannot be opened: {e.strerror or _one_line(e)}", file=file) from e
    except (pa.ArrowException, OSError, UnicodeDecodeError) as e:
        if is_of_store(e):
            raise StoreError(f"The store failed while the file was read: {_one_line(e)}", file=file) from e
        if any(told in str(e) for told in _UNSUPPORTED):
            raise UnsupportedError(f"pyarrow cannot read it: {_one_line(e)}", file=file) from e
        raise CorruptFileError(f"pyarrow cannot read it: {_one_line(e)}", file=file) from e


# Limits of pyarrow that it raises as I/O errors or as invalid files: codecs, encodings, deep
# schemas, maps whose keys are optional, which some writers make, and up to 25 nulls among lists of a fixed size.
_UNSUPPORTED = (
    "not supported",
    "not yet implemented",
    "too deeply nested",
    "Map keys must be annotated as required",
    "Expected all lists to be of size",
)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


@contextmanager
def opened(source: Source, file: str, compiled: ArrowPlan) -> Iterator[OpenFile]:
    """Open a file for reading with a plan of its shape. Closes it at the end if `source` is a path."""
    with arrow_errors(file):
        if isinstance(source, str | os.PathLike) and os.path.isdir(source):
            raise NotFoundError("The path is a folder, not a file", file=file)
        own = pa.OSFile(os.fspath(source)) if isinstance(source, str | os.PathLike) else None
    try:
        with arrow_errors(file):
            ready = _open(own if own is not None else source, file, compiled)
        yield ready
    finally:
        if own is not None:
            own.close()


def _open(source: Any, file: str, compiled: ArrowPlan) -> OpenFile:
    parquet = _parquet(source, "ms", None)
    found = parquet.metadata.num_columns
    if found != compiled.leaf_count:
        raise CorruptFileError(f"The file has {found} columns where its shape has {compiled.leaf_count}", file=file)
    metadata = parquet.metadata
    rows = sum(metadata.row_group(i).num_rows for i in range(metadata.num_row_groups))
    if rows != metadata.num_rows:
        raise CorruptFileError(f"The footer claims {metadata.num_rows} rows, but its row groups have {rows}", file=file)
    exact = _parquet(source, "ns", parquet.metadata) if compiled.exact_leaves else None
    prefixes: list[str] | None = _paths(parquet, compiled.leaves)
    exact_prefixes: list[str] | None = _paths(parquet, compiled.exact_leaves)
    if not compiled.names_are_clear and _select_more(_paths(parquet, range(found)), compiled.leaves):
        prefixes = exact_prefixes = None
        compiled = compiled.reading_all()
    return OpenFile(file, compiled, parquet, exact, prefixes, exact_prefixes)


def _parquet(source: Any, int96_unit: str, metadata: pq.FileMetaData | None) -> pq.ParquetFile:
    # A local file is read through small buffers: with pre_buffer the resident set grows with the row group. In an
    # object store every read costs a round trip, so there a row group's columns are fetched at once.
    remote = type(source) is pa.NativeFile
    return pq.ParquetFile(
        source,
        metadata=metadata,
        coerce_int96_timestamp_unit=int96_unit,
        page_checksum_verification=True,
        pre_buffer=remote,
        buffer_size=0 if remote else 1 << 16,
    )


def _paths(parquet: pq.ParquetFile, leaves: Sequence[int]) -> list[str]:
    """Return the dotted paths of leaves."""
    schema = parquet.schema
    return [schema.column(leaf).path for leaf in leaves]


def _select_more(paths: Sequence[str], chosen: Sequence[int]) -> bool:
    """Return whether the path of a selected leaf may also name another, as `a.b` names b in a and a column `a.b`."""
    prefixes = {paths[leaf]: leaf for leaf in chosen}
    for leaf, path in enumerate(paths):
        parts = path.split(".")
        for n in range(1, len(parts) + 1):
            if prefixes.get(".".join(parts[:n]), leaf) != leaf:
                return True
    return False


def runs(
    parquet: pq.ParquetFile, row_groups: Sequence[int] | None, batch_size: int
) -> Iterator[tuple[int, int, list[int]]]:
    """Yield row groups to read in one pass: position of the first row, number of rows, indexes.

    Adjacent row groups are combined if they fit into one batch; a larger row group is read alone, so that batches begin
    with it and only one is in memory.
    """
    metadata = parquet.metadata
    lengths = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    starts = [0]
    for length in lengths:
        starts.append(starts[-1] + length)
    run: list[int] = []
    rows = 0
    for i in range(len(lengths)) if row_groups is None else row_groups:
        if run and (i != run[-1] + 1 or rows + lengths[i] > batch_size):
            yield starts[run[0]], rows, run
            run, rows = [], 0
        run.append(i)
        rows += lengths[i]
    if run:
        yield starts[run[0]], rows, run


def raw_batches(
    ready: OpenFile, row_groups: Sequence[int] | None, batch_size: int, use_threads: bool
) -> Iterator[RawBatch]:
    """Yield the batches of some row groups (None: all), in their order; the rows of a batch are consecutive."""
    for first, rows, run in runs(ready.parquet, row_groups, batch_size):
        if ready.prefixes == []:  # no column is read, but the rows count
            for start in range(0, rows, batch_size):
                yield RawBatch(first + start, min(batch_size, rows - start), [], [])
            continue
        position = first
        batches = ready.parquet.iter_batches(batch_size, run, ready.prefixes, use_threads)
        twins = iter(())
        if ready.exact is not None:
            twins = ready.exact.iter_batches(batch_size, run, ready.exact_prefixes, use_threads)
        for batch, twin in _pairs(ready, batches, twins):
            yield from _small(batch, twin, position)
            position += batch.num_rows
        if position != first + rows:
            raise CorruptFileError(
                f"The file holds {position - first} rows where its footer says {rows}", file=ready.file
            )


def _small(batch: pa.RecordBatch, twin: pa.RecordBatch | None, first: int) -> Iterator[RawBatch]:
    """Yield a batch in parts, so that 32-bit offsets can reach the end of each column."""
    if batch.num_rows > 1 and batch.get_total_buffer_size() >= 2**31 and batch.nbytes >= 2**31:
        half = batch.num_rows // 2
        yield from _small(batch.slice(0, half), None if twin is None else twin.slice(0, half), first)
        yield from _small(batch.slice(half), None if twin is None else twin.slice(half), first + half)
    elif batch.num_rows:
        yield RawBatch(first, batch.num_rows, batch.columns, [] if twin is None else twin.columns)


def _pairs(
    ready: OpenFile, batches: Iterator[pa.RecordBatch], twins: Iterator[pa.RecordBatch]
) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch | None]]:
    with arrow_errors(ready.file):
        if ready.exact is None:
            for batch in batches:
                yield batch, None
            return
        for batch, twin in zip_longest(batches, twins):
            if batch is None or twin is None or batch.num_rows != twin.num_rows:
                raise CorruptFileError("The file's columns have different numbers of rows", file=ready.file)
            yield batch, twin
