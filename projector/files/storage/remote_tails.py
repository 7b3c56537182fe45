"""Read the end of objects, and the marks that show whether they changed, from any store that pyarrow supports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from projector.files.storage.retry import with_retries
from projector.files.storage.s3_requests import Refused, S3Requests, s3_requests
from projector.files.storage.tails import Tail

FEW_FILES = 20
"""Up to so many objects of a folder are looked up one by one. For more, the folder is listed, 1,000 in a request."""


class S3Tails:
    """Reads the ends of S3 objects by one request each, if the credentials are given outright."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = properties
        self._made_with: dict[str, str] | None = None
        self._requests: S3Requests | None = None

    def tail(self, bucket: str, key: str, length: int) -> Tail | None:
        """Read the end of an object; None if pyarrow has to do it. Raises `OSError`."""
        settings = dict(self._properties)  # reading them renews those that expire
        if settings != self._made_with:
            self._made_with, self._requests = settings, s3_requests(settings)
        requests = self._requests
        if requests is None:
            return None
        try:
            return with_retries(lambda: requests.tail(bucket, key, length))
        except Refused as answer:
            if answer.is_of_the_store:
                self._requests = None
            return None


def arrow_tail(store: Any, key: str, length: int) -> Tail:
    """Read the end of a file in a pyarrow file system. Raises what pyarrow raises."""
    with store.open_input_file(key) as file:
        size = int(file.size())
        return Tail(bytes(file.read_at(min(length, size), max(0, size - length))), size, None)


def arrow_marks(store: Any, keys: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return sizes and modification times of files, by key. Leave out missing files and those without either.

    List a folder if many of its files are requested. Raises what pyarrow raises.
    """
    from pyarrow import fs

    folders: dict[str, list[str]] = {}
    for key in keys:
        folders.setdefault(key.rpartition("/")[0], []).append(key)
    found: dict[str, tuple[int, int]] = {}
    few: list[str] = []
    for folder, members in folders.items():
        if len(members) <= FEW_FILES:
            few += members
            continue
        wanted = set(members)
        for info in store.get_file_info(fs.FileSelector(folder, allow_not_found=True)):
            if info.path in wanted:
                _add_mark(info, found)
    for info in store.get_file_info(few) if few else ():
        _add_mark(info, found)
    return found


def _add_mark(info: Any, found: dict[str, tuple[int, int]]) -> None:
    if info.is_file and info.size is not None and info.mtime_ns is not None:
        found[info.path] = int(info.size), int(info.mtime_ns)
