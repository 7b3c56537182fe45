"""The end of a file in one read: all that is asked of most files when shapes are recognised.

A local file costs an open, a stat, a read and a close, nothing besides: with very many files that is the time it takes.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

LOCAL_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_BINARY", "O_NONBLOCK"))
"""Never waits: without `O_NONBLOCK` opening a pipe would, until somebody writes to it."""


class Tail(NamedTuple):
    """The last bytes of a file, as many as were asked for or as it has.

    Parameters
    ----------
    data:
        The bytes.
    size:
        The length of the whole file.
    mark:
        What changes when the file does, the time of its last change in nanoseconds; None where it was not told.
    """

    data: bytes
    size: int
    mark: int | None


def local_tail(path: str, length: int) -> Tail:
    """The end of a local file. Raises `OSError`."""
    handle = os.open(path, LOCAL_FLAGS)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("not a regular file")
        size = status.st_size
        return Tail(read_from(handle, min(length, size), max(0, size - length)), size, status.st_mtime_ns)
    finally:
        os.close(handle)


def plain_local_path(path: str) -> str | None:
    """The path of the usual spellings of local files, without taking them apart; None for any other."""
    if path.startswith("/"):
        return path
    if path.startswith("file:///") and not path.startswith("file:////"):
        return path[7:]
    return None


if hasattr(os, "pread"):

    def read_from(handle: int, length: int, offset: int) -> bytes:
        """Bytes of an open file from an offset."""
        return os.pread(handle, length, offset)

else:

    def read_from(handle: int, length: int, offset: int) -> bytes:
        """Bytes of an open file from an offset."""
        os.lseek(handle, offset, os.SEEK_SET)
        return os.read(handle, length)
