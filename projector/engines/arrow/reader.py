"""Read a file under a requested schema as record batches, with Arrow.

`read_batches` reads a file of a scan; `read_file` reads any source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from projector.engines.arrow.compile import ArrowPlan, compile_plan
from projector.engines.arrow.constants import Bound
from projector.engines.arrow.parquet_reader import Source, opened, raw_batches
from projector.engines.arrow.project import project_batch
from projector.engines.deletes.positions import RowSelection
from projector.engines.errors import raise_failures
from projector.files.storage.storage import Storage
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import DEFAULT_BATCH_SIZE
from projector.projection.plan import Binding, Plan

_LONG = 20_000
"""Number of rows of a file from which threads for its columns gain more than they cost."""

RowGroups = Sequence[int] | Callable[[pq.FileMetaData], Sequence[int]] | None
"""Ascending indexes of row groups, or a function that chooses them by a file's footer; None for all."""


def read_batches(
    file: ProjectedFile,
    storage: Storage,
    batch_size: int = DEFAULT_BATCH_SIZE,
    *,
    row_groups: RowGroups = None,
    selection: RowSelection | None = None,
    use_threads: bool = True,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a projected file, in its order. Parameters, results and errors are those of `read_file`."""
    raise_failures(file.plan, file.binding.file)
    return _stored_batches(file, storage, batch_size, row_groups, selection, use_threads and file.row_count >= _LONG)


def _stored_batches(
    file: ProjectedFile,
    storage: Storage,
    batch_size: int,
    row_groups: RowGroups,
    selection: RowSelection | None,
    use_threads: bool,
) -> Iterator[pa.RecordBatch]:
    with storage.open_arrow(file.task.location) as source:
        yield from read_file(
            file.plan,
            source,
            file.binding,
            batch_size=batch_size,
            row_groups=row_groups,
            selection=selection,
            use_threads=use_threads,
        )


def read_file(
    plan: Plan,
    source: Source,
    binding: Binding,
    *,
    batch_size: int = DEFAULT_BATCH_SIZE,
    row_groups: RowGroups = None,
    selection: RowSelection | None = None,
    use_threads: bool = True,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a Parquet file under the schema of a plan, in the file's order.

    Parameters
    ----------
    plan:
        Compiled from the file's own shape.
    source:
        The file: a local path, a `pyarrow.NativeFile` or a binary file object. It is closed only if it
        is a path.
    binding:
        The values that the file adds to the plan; `binding.file` names the file in errors and in `_file`.
    batch_size:
        Maximum rows in a batch.
    row_groups:
        The row groups to read: indexes, or a function of the file's metadata; None for all. Positions (`_pos`)
        stay those in the file.
    selection:
        Which rows are read, by position; None for all.
    use_threads:
        Whether to decode columns in parallel. It costs a little; reading several files at a time is better.

    Returns
    -------
    Iterator[pa.RecordBatch]
        Batches of the schema `arrow_schema(plan.schema)`, none of them empty. A plan without fields gives batches
        without columns whose `num_rows` count.

    Raises
    ------
    ProjectionError
        At once for the plan's `Fail` nodes; while iterating for a value that does not fit, or a null under a required
        field.
    CorruptFileError, UnsupportedError, NotFoundError
        While iterating, for what pyarrow cannot read.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}; it must be at least 1")
    raise_failures(plan, binding.file)
    return _batches(compile_plan(plan), source, binding, batch_size, row_groups, selection, use_threads)


def _batches(
    compiled: ArrowPlan,
    source: Source,
    binding: Binding,
    batch_size: int,
    row_groups: RowGroups,
    selection: RowSelection | None,
    use_threads: bool,
) -> Iterator[pa.RecordBatch]:
    with opened(source, binding.file, compiled) as ready:
        bound = Bound(binding, ready.compiled.constants)
        chosen = row_groups(ready.parquet.metadata) if callable(row_groups) else row_groups
        for raw in raw_batches(ready, chosen, batch_size, use_threads):
            kept = None if selection is None else selection.kept(raw.first, raw.length)
            batch = project_batch(ready.compiled, raw.columns, raw.exact, raw.first, raw.length, kept, bound)
            if batch.num_rows:
                yield batch
