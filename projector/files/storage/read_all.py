"""Files that are needed from beginning to end, such as metadata and manifests: from a store by one request each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from projector.files.storage.locations import parse_location
from projector.files.storage.storage import RandomAccess, Storage

WORKERS = 16
"""Requests to object stores that a scan has under way at once, at most."""

MOST_BYTES = 64 << 20
"""A longer file is read piece by piece."""


@dataclass(slots=True)
class InMemory:
    """The content of a file, read by position; see `RandomAccess`."""

    path: str
    content: bytes = field(repr=False)

    def size(self) -> int:
        """The length of the file in bytes."""
        return len(self.content)

    def read_at(self, offset: int, length: int) -> bytes:
        """The bytes from `offset`; fewer than `length` only where the file ends."""
        return self.content[offset : offset + length]

    def close(self) -> None:
        """Nothing is open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_whole(storage: Storage, path: str) -> RandomAccess:
    """A file that is going to be read as a whole. Of an object store it is in memory already, unless it is very long.

    Raises as `Storage.open` does.
    """
    if parse_location(path).is_local:
        return storage.open(path)
    tail = storage.read_tail(path, MOST_BYTES)
    if len(tail.data) < tail.size:
        return storage.open(path)
    return InMemory(path, tail.data)


def read_whole(storage: Storage, path: str) -> bytes:
    """The whole content of a file. Raises as `Storage.open` does."""
    with open_whole(storage, path) as file:
        return file.read_at(0, file.size())


def workers_for(path: str | None) -> int:
    """How many requests at once pay where a path lies: one to local disks, several to an object store."""
    return 1 if path is None or parse_location(path).is_local else WORKERS
