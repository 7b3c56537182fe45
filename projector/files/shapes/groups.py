"""Group files by shape."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass

from projector.errors import ProjectorError
from projector.files.parquet.file_schema import FileSchema
from projector.files.shapes.reader import read_shapes
from projector.files.shapes.shapes import KnownShapes, read_shape
from projector.files.storage.storage import ByteSource, Storage


@dataclass(frozen=True, slots=True)
class ShapeGroup:
    """The files of one shape, in the order of the input, and the rows of each according to its footer."""

    schema: FileSchema
    files: tuple[str, ...]
    row_counts: tuple[int, ...]


def shapes(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str] | tuple[str, ByteSource]],
    *,
    storage: Storage | None = None,
    max_workers: int | None = None,
    executor: Executor | None = None,
) -> list[ShapeGroup]:
    """Group Parquet files by their physical schema.

    Parameters
    ----------
    files:
        One path or several, taken literally, or pairs of a path and the open file.
    storage:
        Opens paths; by default local files, and object stores with default settings.
    max_workers:
        Threads to read with; by default several if a path is in an object store, else one.
    executor:
        Reads paths instead: any `concurrent.futures.Executor`, of threads, processes or a cluster.

    Returns
    -------
    list[ShapeGroup]
        One group for each schema, in the order of their first files.

    Raises
    ------
    NotFoundError, CorruptFileError, UnsupportedError
        For the first file, in the order of the input, that cannot be read.
    """
    names: list[str] = []
    opened: dict[int, ByteSource] = {}
    for number, file in enumerate((files,) if isinstance(files, (str, os.PathLike)) else files):
        if isinstance(file, tuple):
            opened[number] = file[1]
        names.append(file[0] if isinstance(file, tuple) else os.fspath(file))
    known = KnownShapes()
    paths = names if not opened else [name for number, name in enumerate(names) if number not in opened]
    found = read_shapes(paths, storage or Storage(), known, max_workers=max_workers, executor=executor)
    if not opened:
        return _grouped(names, found.schemas, found.row_counts)
    read = zip(found.schemas, found.row_counts, strict=True)
    schemas: list[FileSchema | ProjectorError] = []
    rows: list[int] = []
    for number, name in enumerate(names):
        schema, count = read_shape(opened[number], name, known) if number in opened else next(read)
        if isinstance(schema, ProjectorError):
            raise schema
        schemas.append(schema)
        rows.append(count)
    return _grouped(names, schemas, rows)


def _grouped(
    paths: Iterable[str], schemas: Iterable[FileSchema | ProjectorError], row_counts: Iterable[int]
) -> list[ShapeGroup]:
    groups: dict[int, tuple[FileSchema, list[str], list[int]]] = {}
    last: FileSchema | None = None
    members: list[str] = []
    rows: list[int] = []
    for path, schema, count in zip(paths, schemas, row_counts, strict=True):
        if schema is not last:
            if isinstance(schema, ProjectorError):
                raise schema
            # Equal schemas are one object here, so identity suffices; hashing a wide schema for every file is slow.
            last, members, rows = groups.setdefault(id(schema), (schema, [], []))
        members.append(path)
        rows.append(count)
    return [ShapeGroup(schema, tuple(files), tuple(rows)) for schema, files, rows in groups.values()]
