"""Read the shapes of very many files: local ones in one pass, those in stores by concurrent requests, or by executors.

Results are parallel lists with an entry for each file, not a list of objects: with a hundred thousand files, objects
would take most of the memory and time.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from projector.errors import ProjectorError, ProjectorWarning
from projector.files.concurrency.ordered import worked_ahead
from projector.files.concurrency.tasks import task_answers
from projector.files.parquet.file_schema import FileSchema
from projector.files.shapes.cache import Marks, ShapeCache
from projector.files.shapes.shapes import FileShape, KnownShapes, file_shape, local_shapes
from projector.files.shapes.tasks import ShapeTask, run_task
from projector.files.storage.locations import parse_location
from projector.files.storage.storage import Storage
from projector.files.storage.tails import plain_local_path

DEFAULT_WORKERS = 32
"""Concurrent requests to an object store. One thread reads local footers: more would not be faster."""

FILES_IN_A_TASK = 500
"""Files in one task of an executor."""


@dataclass(slots=True)
class ShapesRead:
    """The shapes of some files, in their order.

    Parameters
    ----------
    schemas:
        The schema of each file, one object for all files of a shape; or the error of reading it.
    row_counts:
        The rows of each; 0 beside an error.
    opened:
        How many files were opened; the others were cached.
    """

    schemas: list[FileSchema | ProjectorError] = field(default_factory=list)
    row_counts: list[int] = field(default_factory=list)
    opened: int = 0


def read_shapes(
    paths: Sequence[str],
    storage: Storage,
    known: KnownShapes | None = None,
    *,
    max_workers: int | None = None,
    executor: Executor | None = None,
    cache: ShapeCache | None = None,
    marks: Marks | None = None,
) -> ShapesRead:
    """Return the shape of every file. Errors stand in place of schemas and are not raised.

    Parameters
    ----------
    known:
        The known shapes; new ones are added.
    max_workers:
        Threads to read with; by default `DEFAULT_WORKERS` if a path is in an object store, else one.
    executor:
        Reads instead: threads, processes, or a cluster (`dask.distributed.Client.get_executor()`). It receives small
        tasks that can be pickled and hold the properties of the storage. This process reads the files of lost tasks.
    cache:
        Shapes on disk: unchanged files that it holds are not opened.
    marks:
        Sizes and modification times of the files for the cache, if the caller has them already.
    """
    known = KnownShapes() if known is None else known
    if cache is None:
        return _read(paths, storage, known, max_workers, executor)
    stored = cache.look_up(paths, storage, known, marks)
    missing = [path for path, schema in zip(paths, stored.schemas, strict=True) if schema is None]
    if not missing:
        return ShapesRead(stored.schemas, stored.row_counts, 0)  # type: ignore[arg-type] # none of them is None
    if marks is None:
        marks = Marks.take(missing, storage)  # before the files are read, so that a later change is noticed
    fresh = _read(missing, storage, known, max_workers, executor)
    cache.store(missing, marks, fresh.schemas, fresh.row_counts, known, storage)
    result = ShapesRead(opened=fresh.opened)
    schemas, rows = iter(fresh.schemas), iter(fresh.row_counts)
    for schema, count in zip(stored.schemas, stored.row_counts, strict=True):
        result.schemas.append(next(schemas) if schema is None else schema)
        result.row_counts.append(next(rows) if schema is None else count)
    return result


def _read(
    paths: Sequence[str], storage: Storage, known: KnownShapes, max_workers: int | None, executor: Executor | None
) -> ShapesRead:
    result = ShapesRead(opened=len(paths))
    if executor is not None:
        _by_tasks(paths, storage, known, executor, result)
        return result
    if max_workers is None:
        max_workers = 1 if all(map(_is_local, paths)) else DEFAULT_WORKERS
    if max_workers <= 1:
        local_shapes(paths, storage, known, result.schemas, result.row_counts)
        return result

    def read(path: str) -> FileShape | ProjectorError:
        try:
            return file_shape(path, storage, known)
        except ProjectorError as error:
            return error

    for _, shape in worked_ahead(paths, read, workers=max_workers, ahead=4 * max_workers):
        if isinstance(shape, ProjectorError):
            result.schemas.append(shape)
            result.row_counts.append(0)
        else:
            result.schemas.append(shape.schema)
            result.row_counts.append(shape.row_count)
    return result


def _is_local(path: str) -> bool:
    return plain_local_path(path) is not None or parse_location(path).is_local


def _by_tasks(
    paths: Sequence[str], storage: Storage, known: KnownShapes, executor: Executor, result: ShapesRead
) -> None:
    properties = tuple(storage.properties.items())
    tasks = (ShapeTask(chunk, properties) for chunk in _chunks(paths))
    for answer in task_answers(executor, run_task, tasks, _warn):
        answer.append_to(result.schemas, result.row_counts, known)


def _warn(text: str) -> None:
    warnings.warn(text, ProjectorWarning, stacklevel=6)


def _chunks(paths: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for start in range(0, len(paths), FILES_IN_A_TASK):
        yield tuple(paths[start : start + FILES_IN_A_TASK])
