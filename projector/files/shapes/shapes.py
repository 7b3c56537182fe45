"""Recognising the shapes of files: a table has many files and few physical schemas.

Every footer starts with its version and schema. The bytes of those, once parsed, are remembered; a later file whose
footer starts with bytes that are known is of a known shape, and nothing of it is parsed but its row count.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

from projector.errors import CorruptFileError, ProjectorError
from projector.files.parquet.file_schema import FileSchema
from projector.files.parquet.footer import (
    MAGIC,
    MAX_FOOTER_BYTES,
    SMALLEST_FILE,
    TAIL_BYTES,
    damaged,
    leading_schema,
    parse_footer,
    read_tail,
    rows_after_schema,
)
from projector.files.parquet.schema import SchemaKey, read_keyed_schema
from projector.files.storage.storage import ByteSource, Storage
from projector.files.storage.tails import LOCAL_FLAGS, plain_local_path, read_from

_LEAST_SPARE = 256
_BUCKET_BYTES = 8
_ENDING_BYTES = 8
_ROWS_BYTES = 13
_LONG_BYTES = 12 * 1024
"""Of longer ends of files only the two ends of the footer are read, which by then costs less than reading all of it."""

_MOST_TRIED = 100
"""Fingerprints with one beginning that a footer is compared with, the latest first; comparing with more is no quicker
than parsing."""


class FileShape(NamedTuple):
    """What one file is: its schema (one object for all files of a shape) and its rows."""

    schema: FileSchema
    row_count: int


class _Known(NamedTuple):
    """A fingerprint met before, its length, and its schema."""

    fingerprint: bytes
    length: int
    schema: FileSchema


@dataclass(slots=True)
class KnownShapes:
    """Fingerprints and schemas met so far, and how long footers were. Threads may share one.

    Whether columns are encrypted is said near the end of a footer, after all row groups. To find that out without
    walking through every footer, the last bytes of footers that were walked through are remembered: a footer with
    encrypted columns ends in a signature, which never looks like one of those.
    """

    _last: _Known | None = None
    _buckets: dict[bytes, tuple[_Known, ...]] = field(default_factory=dict)
    _schemas: dict[SchemaKey, FileSchema] = field(default_factory=dict)
    _fingerprints: dict[int, bytes] = field(default_factory=dict)
    _endings: set[bytes] = field(default_factory=set)
    _longest: int = 0
    _longest_fingerprint: int = 0
    _lock: Lock = field(default_factory=Lock)

    def __len__(self) -> int:
        return len(self._schemas)

    @property
    def tail_bytes(self) -> int:
        """How much of the end of the next file to ask for, by the footers so far: one read will do for most."""
        return self._longest or TAIL_BYTES

    def note_length(self, length: int) -> None:
        """Remember how long a footer was. Longer ones count at once, shorter ones little by little."""
        longest = self._longest
        if length + _LEAST_SPARE > longest:
            self._longest = length + max(2 * _LEAST_SPARE, length >> 5)
        else:
            self._longest = longest - ((longest - length - _LEAST_SPARE) >> 6)

    @property
    def head_bytes(self) -> int:
        """How much of the beginning of a footer tells which of these shapes it is of, and the number of rows."""
        return self._longest_fingerprint + _ROWS_BYTES

    def recognise(self, data: bytes, start: int, ending: bytes) -> FileShape | None:
        """The shape of the footer that begins in `data` at `start` and ends with `ending`; None if unknown."""
        known = self._last  # files of one shape tend to come one after the other
        if known is None or not data.startswith(known.fingerprint, start):
            for known in self._buckets.get(data[start : start + _BUCKET_BYTES], ()):
                if data.startswith(known.fingerprint, start):
                    self._last = known
                    break
            else:
                return None
        if ending not in self._endings:
            return None
        rows = rows_after_schema(data, start + known.length)
        return None if rows is None else FileShape(known.schema, rows)

    def learn(self, footer_bytes: bytes, path: str) -> FileShape:
        """Parse a footer that was not recognised, and remember it. Raises like `read_footer` and `read_schema`."""
        ending = footer_bytes[-_ENDING_BYTES:]
        at = leading_schema(footer_bytes) if ending in self._endings else None
        if at is not None:
            with suppress(CorruptFileError):  # told below, in the same words whatever was known before
                schema, key, end = read_keyed_schema(footer_bytes, at, path)
                rows = rows_after_schema(footer_bytes, end)
                if rows is not None:
                    return FileShape(self._remember(footer_bytes[:end], schema, key), rows)
        footer = parse_footer(footer_bytes, path)
        schema, key, _ = read_keyed_schema(footer.data, footer.schema_at, path)
        found = FileShape(self._remember(footer.fingerprint, schema, key), footer.num_rows)
        self._endings.add(ending)
        return found

    def adopt(self, fingerprint: bytes, path: str = "a fingerprint") -> FileSchema:
        """The schema of a fingerprint that was kept elsewhere, parsed unless it is known. Raises `CorruptFileError`."""
        for known in self._buckets.get(fingerprint[:_BUCKET_BYTES], ()):
            if known.fingerprint == fingerprint:
                return known.schema
        at = leading_schema(fingerprint)
        if at is None:
            raise damaged(path, "it does not begin with a schema")
        schema, key, end = read_keyed_schema(fingerprint, at, path)
        if end != len(fingerprint):
            raise damaged(path, "it does not end with its schema")
        return self._remember(fingerprint, schema, key)

    def fingerprint(self, schema: FileSchema) -> bytes:
        """A fingerprint that one of these schemas, the very object, can be made of again."""
        return self._fingerprints[id(schema)]

    def _remember(self, fingerprint: bytes, schema: FileSchema, key: SchemaKey) -> FileSchema:
        with self._lock:
            schema = self._schemas.setdefault(key, schema)
            self._longest_fingerprint = max(self._longest_fingerprint, len(fingerprint))
            self._fingerprints.setdefault(id(schema), fingerprint)
            bucket = self._buckets.get(fingerprint[:_BUCKET_BYTES], ())
            if all(known.fingerprint != fingerprint for known in bucket):
                self._last = known = _Known(fingerprint, len(fingerprint), schema)
                self._buckets[fingerprint[:_BUCKET_BYTES]] = (known, *bucket[: _MOST_TRIED - 1])
            return schema


_so_far = KnownShapes()
_MOST_SO_FAR = 2000


def shapes_so_far() -> KnownShapes:
    """The shapes that the scans of this process have met, so that they parse each once; anew where they grew many."""
    global _so_far
    if len(_so_far) > _MOST_SO_FAR:
        _so_far = KnownShapes()
    return _so_far


def file_shape(path: str, storage: Storage, known: KnownShapes) -> FileShape:
    """The shape of the file at a path, by one read of its end in the usual case. See `read_shape`.

    Raises
    ------
    NotFoundError, CorruptFileError, UnsupportedError
        As `Storage.open` and `read_footer` do.
    """
    data, size, _ = storage.read_tail(path, known.tail_bytes)
    length = int.from_bytes(data[-8:-4], "little")
    if length + 8 > len(data) and length <= size - SMALLEST_FILE and length <= MAX_FOOTER_BYTES:
        data, size, _ = storage.read_tail(path, length + 8)
    if data[-4:] != MAGIC or length > size - SMALLEST_FILE or length + 8 > len(data):
        with storage.open(path) as source:  # what is wrong with it is found out, and said, there
            return read_shape(source, path, known)
    known.note_length(length)
    start = len(data) - 8 - length
    return known.recognise(data, start, _ending(data)) or known.learn(data[start:-8], path)


def _ending(data: bytes) -> bytes:
    """The last bytes of the footer, of the end of a file."""
    return data[-8 - _ENDING_BYTES : -8]


def local_shapes(
    paths: Iterable[str],
    storage: Storage,
    known: KnownShapes,
    schemas: list[FileSchema | ProjectorError],
    row_counts: list[int],
) -> None:
    """Add the schema and rows of each file to two lists, one file after the other.

    It is made for very many local files of few shapes: what is the same as of the file before it is settled here, in a
    few comparisons; everything else goes to `file_shape`. An error is added in the place of a schema, beside 0 rows.
    """
    os_open, seek, read, close, flags = os.open, os.lseek, read_from, os.close, LOCAL_FLAGS
    add_schema, add_rows, number, endings = schemas.append, row_counts.append, int.from_bytes, known._endings
    fingerprint, length, schema = _Known(b"\xff", 1, FileSchema(()))  # no footer begins so
    wanted, head = known.tail_bytes, known.head_bytes
    for path in paths:
        data, start, end, ending = b"", -1, b"", b""  # the buffer of the file before is free for this one
        try:
            local = path if path.startswith("/") else plain_local_path(path)
            if local is not None:
                handle = os_open(local, flags)
                try:
                    size = seek(handle, 0, 2)
                    if size <= wanted:
                        end = data = read(handle, size, 0)
                    elif wanted < _LONG_BYTES or head < length:
                        end = data = read(handle, wanted, size - wanted)
                    else:
                        end = read(handle, 16, size - 16)
                    if end.endswith(MAGIC):
                        ending, footer = end[-16:-8], number(end[-8:-4], "little")
                        if data:
                            start = len(data) - 8 - footer
                        elif footer <= size - SMALLEST_FILE:
                            data, start = read(handle, head, size - 8 - footer), 0
                finally:
                    close(handle)
        except (OSError, ValueError, OverflowError):
            pass  # said by file_shape
        if start >= 0 and data.startswith(fingerprint, start) and ending in endings:
            rows = rows_after_schema(data, start + length)
            if rows is not None:
                add_schema(schema)
                add_rows(rows)
                continue
        try:
            found = known.recognise(data, start, ending) if start >= 0 else None
            if found is None and start >= 4 and end is data:
                found = known.learn(data[start:-8], path)
                known.note_length(len(data) - 8 - start)
            elif found is None:
                found = file_shape(path, storage, known)
        except ProjectorError as error:
            add_schema(error)
            add_rows(0)
            continue
        add_schema(found.schema)
        add_rows(found.row_count)
        wanted, head = known.tail_bytes, known.head_bytes
        if known._last is not None:
            fingerprint, length, schema = known._last


def read_shape(source: ByteSource, path: str, known: KnownShapes) -> FileShape:
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
    return known.recognise(data, start, _ending(data)) or known.learn(data[start:-8], path)
