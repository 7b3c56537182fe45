"""Read small files of one plan together: a batch costs more than its rows, so they are projected as one.

Only files that bind nothing to the plan and have no deletes qualify. If their columns do not fit together, or a value
does not fit the schema, each file is projected alone, so that errors name the right one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from projector.engines.arrow.compile import compile_plan
from projector.engines.arrow.constants import Bound
from projector.engines.arrow.parquet_reader import RawBatch, opened, raw_batches
from projector.engines.arrow.project import project_batch
from projector.engines.arrow.reader import read_batches
from projector.errors import ProjectorError
from projector.files.storage.storage import Storage
from projector.planning.scan.projected_files import ProjectedFile

RowGroups = Callable[[pq.FileMetaData], Sequence[int]] | None
"""Returns the row groups of a file to read; None for all."""

_MOST_FILES = 64
_MOST_ROWS = 20_000
_MOST_BYTES = 16 << 20
"""Memory limit for rows that are read together; joining them takes a multiple of it."""

_LEAF_BYTES, _INFLATED = 8, 3


class SmallFile(NamedTuple):
    """A file, its row groups, and the approximate memory of its rows."""

    file: ProjectedFile
    row_groups: RowGroups
    size: int


def batch_bytes(file: ProjectedFile, batch_size: int) -> int:
    """Return the approximate memory of a batch of a file."""
    rows = min(batch_size, file.row_count)
    compiled = compile_plan(file.plan)
    leaves = len(compiled.leaves)
    stored = (file.task.file_size or 0) * leaves // max(1, compiled.leaf_count) * rows // max(1, file.row_count)
    return max(_LEAF_BYTES * rows * leaves, _INFLATED * stored, 1)


def is_small(file: ProjectedFile, batch_size: int) -> bool:
    """Return whether reading a file without deletes together with others of its plan is possible and faster."""
    compiled = compile_plan(file.plan)
    return file.row_count <= min(_MOST_ROWS, batch_size) and compiled.binds_nothing and compiled.names_are_clear


def fits(small: SmallFile, others: Sequence[SmallFile], batch_size: int) -> bool:
    """Return whether a small file can be read together with those before it."""
    return (
        others[0].file.plan is small.file.plan
        and len(others) < _MOST_FILES
        and sum(other.file.row_count for other in others) + small.file.row_count <= batch_size
        and sum(other.size for other in others) + small.size <= _MOST_BYTES
    )


def read_together(files: Sequence[SmallFile], storage: Storage, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of small files of one plan, in order. Raises the error of the first file that fails."""
    while files:
        try:
            count, batch = _projected(files, storage, batch_size)
        except (ProjectorError, pa.ArrowException):
            for file, row_groups, _ in files:
                yield from read_batches(file, storage, batch_size, row_groups=row_groups)
            return
        files = files[count:]
        if batch is not None:
            yield batch


def _projected(files: Sequence[SmallFile], storage: Storage, batch_size: int) -> tuple[int, pa.RecordBatch | None]:
    """Return how many of the files were read, and their rows. Values may be longer than the footers predicted."""
    compiled = compile_plan(files[0].file.plan)
    raw: list[RawBatch] = []
    count = size = 0
    for file, row_groups, _ in files:
        with storage.open_arrow(file.task.location) as source, opened(source, file.binding.file, compiled) as ready:
            chosen = None if row_groups is None else row_groups(ready.parquet.metadata)
            read = list(raw_batches(ready, chosen, batch_size, use_threads=False))
        raw += read
        count += 1
        size += sum(column.get_total_buffer_size() for batch in read for column in batch.columns)
        if size > _MOST_BYTES:
            break
    if not raw:
        return count, None
    columns, exact = (_joined([getattr(batch, part) for batch in raw]) for part in ("columns", "exact"))
    length = sum(batch.length for batch in raw)
    bound = Bound(files[0].file.binding, compiled.constants)
    return count, project_batch(compiled, columns, exact, 0, length, None, bound)


def _joined(parts: list[list[pa.Array]]) -> list[pa.Array]:
    return [pa.concat_arrays(column) for column in zip(*parts, strict=True)]
