"""Recognise failures of the machine, which are not the fault of a file: no memory, threads, handles or disk space."""

from __future__ import annotations

import errno
from collections.abc import Iterator

_ERRNOS = {errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT}
_MESSAGES = ("can't start new thread", "Resource temporarily unavailable", "Cannot allocate memory")
_TYPES = {"OutOfMemoryException"}
"""DuckDB's error, by name, so as not to import DuckDB."""


def is_exhaustion(error: BaseException) -> bool:
    """Return whether an error, or one that it was raised from, says that the machine ran out of a resource."""
    return any(
        isinstance(each, MemoryError)
        or (isinstance(each, OSError) and each.errno in _ERRNOS)
        or type(each).__name__ in _TYPES
        or (isinstance(each, RuntimeError | OSError) and any(text in str(each) for text in _MESSAGES))
        for each in _chain(error)
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
