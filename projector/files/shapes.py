"""Grouping files by shape: a table has many files and few physical schemas.

Every footer starts with its version and schema. The bytes of those, once parsed, are remembered; a later file whose
footer starts with bytes that are known is of a known shape, and nothing of it is parsed but its row count.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

from projector.files.footer import RandomAccess, leading_schema, parse_footer, read_tail, rows_after_schema
from projector.files.locations import parse_location
from projector.files.parquet_schema import file_schema, read_schema
from projector.files.physical import FileSchema
from projector.files.storage import Storage

DEFAULT_WORKERS = 16
"""Threads that read footers from an object store at once. Local footers are read by one: more would not be faster."""

_BUCKET_BYTES = 8
_ENDING_BYTES = 8

_MOST_TRIED = 100
"""Fingerprints with one beginning that a footer is compared with, the latest first; comparing with more is no quicker
than parsing."""


@dataclass(frozen=True, slots=True)
class ShapeGroup:
    """The files of one shape, in the order given, and the rows that each holds by its own footer."""

    schema: FileSchema
    files: tuple[str, ...]
    row_counts: tuple[int, ...]


class FileShape(NamedTuple):
    """What one file is: its schema (one object for all files of a shape) and its rows."""

    schema: FileSchema
    row_count: int


class _Known(NamedTuple):
    """A fingerprint met before, and its schema."""

    fingerprint: bytes
    schema: FileSchema


@dataclass(slots=True)
class KnownShapes:
    """Fingerprints and schemas met so far. Threads may share one.

    Whether columns are encrypted is said near the end of a footer, after all row groups. To find that out without
    walking through every footer, the last bytes of footers that were walked through are remembered: a footer with
    encrypted columns ends in a signature, which never looks like one of those.
    """

    _buckets: dict[bytes, tuple[_Known, ...]] = field(default_factory=dict)
    _schemas: dict[FileSchema, FileSchema] = field(default_factory=dict)
    _endings: set[bytes] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    def __len__(self) -> int:
        return len(self._schemas)

    def recognise(self, data: bytes, start: int) -> FileShape | None:
        """The shape of the footer that lies in `data` from `start` to 8 bytes before the end; None if unknown."""
        for known in self._buckets.get(data[start : start + _BUCKET_BYTES], ()):
            if data.startswith(known.fingerprint, start):
                if data[-8 - _ENDING_BYTES : -8] not in self._endings:
                    return None
                rows = rows_after_schema(data, start + len(known.fingerprint))
                return None if rows is None else FileShape(known.schema, rows)
        return None

    def learn(self, footer_bytes: bytes, path: str) -> FileShape:
        """Parse a footer that was not recognised, and remember it. Raises like `read_footer` and `file_schema`."""
        ending = footer_bytes[-_ENDING_BYTES:]
        at = leading_schema(footer_bytes) if ending in self._endings else None
        if at is not None:
            schema, end = read_schema(footer_bytes, at, path)
            rows = rows_after_schema(footer_bytes, end)
            if rows is not None:
                return FileShape(self._remember(footer_bytes[:end], schema), rows)
        footer = parse_footer(footer_bytes, path)
        schema = self._remember(footer.fingerprint, file_schema(footer))
        self._endings.add(ending)
        return FileShape(schema, footer.num_rows)

    def _remember(self, fingerprint: bytes, schema: FileSchema) -> FileSchema:
        with self._lock:
            schema = self._schemas.setdefault(schema, schema)
            bucket = self._buckets.get(fingerprint[:_BUCKET_BYTES], ())
            if all(known.fingerprint != fingerprint for known in bucket):
                self._buckets[fingerprint[:_BUCKET_BYTES]] = (_Known(fingerprint, schema), *bucket[: _MOST_TRIED - 1])
            return schema


def read_shape(source: RandomAccess, path: str, known: KnownShapes) -> FileShape:
    """The shape of one file.

    Parameters
    ----------
    source:
        The open file.
    path:
        Its path, for errors.
    known:
        Shapes met so far; an unknown one is added. Files of equal schema give the very same `FileSchema` object.

    Raises
    ------
    CorruptFileError, UnsupportedError
        As `read_footer` does.
    """
    data, start = read_tail(source, path)
    return known.recognise(data, start) or known.learn(data[start:-8], path)


def shapes(
    files: Iterable[str | os.PathLike[str] | tuple[str, RandomAccess]],
    *,
    storage: Storage | None = None,
    max_workers: int | None = None,
) -> list[ShapeGroup]:
    """Group Parquet files by their physical schema.

    Parameters
    ----------
    files:
        Paths, or pairs of a path and the file, open.
    storage:
        What opens paths; local files and object stores with default settings unless given.
    max_workers:
        Threads to read with; unless given, `DEFAULT_WORKERS` where a path is in an object store, else one.

    Returns
    -------
    list[ShapeGroup]
        One group for each schema, in the order of their first files.

    Raises
    ------
    NotFoundError, CorruptFileError, UnsupportedError
        For the first file, in the order given, that cannot be read.
    """
    wanted: list[tuple[str, RandomAccess | None]] = []
    for file in files:
        wanted.append(file if isinstance(file, tuple) else (os.fspath(file), None))
    storage = Storage() if storage is None else storage
    known = KnownShapes()
    if max_workers is None:
        local = all(source is not None or parse_location(path).is_local for path, source in wanted)
        max_workers = 1 if local else DEFAULT_WORKERS
    groups: dict[int, tuple[FileSchema, list[str], list[int]]] = {}
    for (path, _), shape in zip(wanted, _read_all(wanted, storage, known, max_workers), strict=True):
        # Equal schemas are one object here, so identity will do; hashing a wide schema for every file is not cheap.
        _, paths, rows = groups.setdefault(id(shape.schema), (shape.schema, [], []))
        paths.append(path)
        rows.append(shape.row_count)
    return [ShapeGroup(schema, tuple(paths), tuple(rows)) for schema, paths, rows in groups.values()]


def _read_all(
    files: list[tuple[str, RandomAccess | None]],
    storage: Storage,
    known: KnownShapes,
    max_workers: int,
) -> Iterator[FileShape]:
    def read(file: tuple[str, RandomAccess | None]) -> FileShape:
        path, source = file
        if source is not None:
            return read_shape(source, path, known)
        with storage.open(path) as opened:
            return read_shape(opened, path, known)

    if max_workers <= 1:
        yield from map(read, files)
        return
    with ThreadPoolExecutor(max_workers, thread_name_prefix="footers") as pool:
        yield from pool.map(read, files)
