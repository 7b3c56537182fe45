"""Recognise the shapes of files: a table has many files and few physical schemas.

Every footer starts with its version and schema. Their bytes are remembered once parsed. A later file whose footer
starts with known bytes has a known shape, and only its row count is parsed.
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
"""If the end of a file is longer, only both ends of its footer are read: that is cheaper than reading all of it."""

_MOST_TRIED = 100
"""The most fingerprints with the same beginning that a footer is compared with, latest first. Comparing with more is
not faster than parsing."""


class FileShape(NamedTuple):
    """The schema of a file (one object for all files of a shape) and its rows."""

    schema: FileSchema
    row_count: int


class _Known(NamedTuple):
    """A known fingerprint, its length, and its schema."""

    fingerprint: bytes
    length: int
    schema: FileSchema


@dataclass(slots=True)
class KnownShapes:
    """The known fingerprints and schemas, and the lengths of footers so far. Threads may share one.

    The end of a footer, after all row groups, says whether columns are encrypted. So as not to walk through every
    footer, the last bytes of footers that were walked through are remembered: a footer with encrypted columns ends in a
    signature, which never equals one of those.
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
        """How many bytes at the end of the next file to read: enough for most footers like those so far."""
        return self._longest or TAIL_BYTES

    def note_length(self, length: int) -> None:
        """Record the length of a footer. `tail_bytes` grows at once for longer ones, and shrinks slowly otherwise."""
        longest = self._longest
        if length + _LEAST_SPARE > longest:
            self._longest = length + max(2 * _LEAST_SPARE, length >> 5)
        else:
            self._longest = longest - ((longest - length - _LEAST_SPARE) >> 6)

    @property
    def head_bytes(self) -> int:
        """How many bytes at the beginning of a footer suffice to recognise these shapes and to read the row count."""
        return self._longest_fingerprint + _ROWS_BYTES

    def recognise(self, data: bytes, start: int, ending: bytes) -> FileShape | None:
        """Return the shape of the footer that begins in `data` at `start` and ends with `ending`; None if unknown."""
        known = self._last  # files of one shape tend to follow each other
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
            with suppress(CorruptFileError):  # raised below, with the same message whatever is known
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
        """Return the schema of a fingerprint from elsewhere; parse it unless it is known. Raises `CorruptFileError`."""
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
        """Return a fingerprint of one of these schemas, which must be the same object."""
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
    """Return the shapes known to this process, so that its scans parse each once. Start over if they are too many."""
    global _so_far
    if len(_so_far) > _MOST_SO_FAR:
        _so_far = KnownShapes()
    return _so_far


def file_shape(path: str, storage: Storage, known: KnownShapes) -> FileShape:
    """Read the shape of the file at a path, usually by one read of its end. See `read_shape`.

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
        with storage.open(path) as source:  # it raises the right error
            return read_shape(source, path, known)
    known.note_length(length)
    start = len(data) - 8 - length
    return known.recognise(data, start, _ending(data)) or known.learn(data[start:-8], path)


def _ending(data: bytes) -> bytes:
    """Return the last bytes of the footer, given the end of a file."""
    return data[-8 - _ENDING_BYTES : -8]


def local_shapes(
    paths: Iterable[str],
    storage: Storage,
    known: KnownShapes,
    schemas: list[FileSchema | ProjectorError],
    row_counts: list[int],
) -> None:
    """Add the schema and rows of each file to two lists, one file after the other.

    Made for very many local files of few shapes: a file of the same shape as the one before is handled here by a few
    comparisons, everything else by `file_shape`. An error is added in place of a schema, with 0 rows.
    """
    os_open, seek, read, close, flags = os.open, os.lseek, read_from, os.close, LOCAL_FLAGS
    add_schema, add_rows, number, endings = schemas.append, row_counts.append, int.from_bytes, known._endings
    fingerprint, length, schema = _Known(b"\xff", 1, FileSchema(()))  # no footer begins so
    tail, head = known.tail_bytes, known.head_bytes
    for path in paths:
        data, start, end, ending = b"", -1, b"", b""  # frees the buffer of the previous file for this one
        try:
            local = path if path.startswith("/") else plain_local_path(path)
            if local is not None:
                handle = os_open(local, flags)
                try:
                    size = seek(handle, 0, 2)
                    if size <= tail:
                        end = data = read(handle, size, 0)
                    elif tail < _LONG_BYTES or head < length:
                        end = data = read(handle, tail, size - tail)
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
            pass  # file_shape raises the right error
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
        tail, head = known.tail_bytes, known.head_bytes
        if known._last is not None:
            fingerprint, length, schema = known._last


def read_shape(source: ByteSource, path: str, known: KnownShapes) -> FileShape:
    """Read the shape of one file.

    Parameters
    ----------
    source:
        The open file.
    path:
        Its path, for errors.
    known:
        The known shapes; an unknown one is added. Files of equal schemas share one `FileSchema` object.

    Raises
    ------
    CorruptFileError, UnsupportedError
        As `read_footer` does.
    """
    data, start = read_tail(source, path)
    return known.recognise(data, start, _ending(data)) or known.learn(data[start:-8], path)
