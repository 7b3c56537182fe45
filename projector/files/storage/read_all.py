"""Read whole files, such as metadata and manifests: from a store by one request each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from projector.files.storage.locations import parse_location
from projector.files.storage.storage import RandomAccess, Storage

WORKERS = 16
"""The most requests to object stores that a scan has in flight at once."""

MOST_BYTES = 64 << 20
"""Longer files are read in parts."""


@dataclass(slots=True)
class InMemory:
    """The content of a file in memory; see `RandomAccess`."""

    path: str
    content: bytes = field(repr=False)

    def size(self) -> int:
        """Return the length in bytes."""
        return len(self.content)

    def read_at(self, offset: int, length: int) -> bytes:
        """Return `length` bytes from `offset`; fewer only if the file ends there."""
        return self.content[offset : offset + length]

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_whole(storage: Storage, path: str) -> RandomAccess:
    """Open a file that will be read as a whole. Load one in an object store into memory, unless it is very long.

    Raises as `Storage.open` does.
    """
    if parse_location(path).is_local:
        return storage.open(path)
    tail = storage.read_tail(path, MOST_BYTES)
    if len(tail.data) < tail.size:
        return storage.open(path)
    return InMemory(path, tail.data)


def read_whole(storage: Storage, path: str) -> bytes:
    """Read the whole content of a file. Raises as `Storage.open` does."""
    with open_whole(storage, path) as file:
        return file.read_at(0, file.size())


def workers_for(path: str | None) -> int:
    """Return how many files to read at once: one from local disks, several from an object store."""
    return 1 if path is None or parse_location(path).is_local else WORKERS
