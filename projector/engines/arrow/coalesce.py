"""Small files of one plan: decoded one after the other and projected together, since a batch costs more than its rows.

Only files that add nothing of their own to the plan, and of which no row is deleted. Where their columns do not fit
together, or a value does not fit the schema, each file is projected alone, so that errors name the right one.
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
"""What chooses the row groups of a file; None for all of them."""

_MOST_FILES = 64
_MOST_ROWS = 20_000
_MOST_BYTES = 16 << 20
"""Memory of the rows that are read together: while they are joined it is taken more than once."""

_LEAF_BYTES, _INFLATED = 8, 3


class SmallFile(NamedTuple):
    """A file, its row groups, and about how much memory its rows take."""

    file: ProjectedFile
    row_groups: RowGroups
    size: int


def batch_bytes(file: ProjectedFile, batch_size: int) -> int:
    """About how much memory a batch of a file takes."""
    rows = min(batch_size, file.row_count)
    compiled = compile_plan(file.plan)
    leaves = len(compiled.leaves)
    stored = (file.task.file_size or 0) * leaves // max(1, compiled.leaf_count) * rows // max(1, file.row_count)
    return max(_LEAF_BYTES * rows * leaves, _INFLATED * stored, 1)


def is_small(file: ProjectedFile, batch_size: int) -> bool:
    """Whether a file without deletes can be read together with others of its plan, and gains by it."""
    compiled = compile_plan(file.plan)
    return file.row_count <= min(_MOST_ROWS, batch_size) and compiled.binds_nothing and compiled.names_are_clear


def fits(small: SmallFile, others: Sequence[SmallFile], batch_size: int) -> bool:
    """Whether a small file can be read together with others that come before it."""
    return (
        others[0].file.plan is small.file.plan
        and len(others) < _MOST_FILES
        and sum(other.file.row_count for other in others) + small.file.row_count <= batch_size
        and sum(other.size for other in others) + small.size <= _MOST_BYTES
    )


def read_together(files: Sequence[SmallFile], storage: Storage, batch_size: int) -> Iterator[pa.RecordBatch]:
    """The rows of small files of one plan, in order. Raises as `read_batches` does, for the first file that fails."""
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
    """How many of the files were read, and their rows. Values may turn out to be longer than their file told."""
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
