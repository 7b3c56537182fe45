"""The end of an object, and what tells that it has changed, from any store that pyarrow knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from projector.files.storage.retry import attempted
from projector.files.storage.s3_requests import Refused, S3Requests, s3_requests
from projector.files.storage.tails import Tail

FEW_FILES = 20
"""Objects of one folder that are looked up one by one; for more the folder is listed, a thousand in a request."""


class S3Tails:
    """Ends of S3 objects by one request each, where the credentials are at hand."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = properties
        self._made_with: dict[str, str] | None = None
        self._requests: S3Requests | None = None

    def tail(self, bucket: str, key: str, length: int) -> Tail | None:
        """The end of an object; None where pyarrow has to be asked. Raises `OSError`."""
        settings = dict(self._properties)  # those that expire are renewed by being looked at
        if settings != self._made_with:
            self._made_with, self._requests = settings, s3_requests(settings)
        requests = self._requests
        if requests is None:
            return None
        try:
            return attempted(lambda: requests.tail(bucket, key, length))
        except Refused as answer:
            if answer.is_of_the_store:
                self._requests = None
            return None


def arrow_tail(store: Any, key: str, length: int) -> Tail:
    """The end of a file of a pyarrow file system. Raises what pyarrow raises."""
    with store.open_input_file(key) as file:
        size = int(file.size())
        return Tail(bytes(file.read_at(min(length, size), max(0, size - length))), size, None)


def arrow_marks(store: Any, keys: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Sizes and times of change of files, by key; those that are not there, or do not say, are left out.

    Folders are listed where many of their files are asked for. Raises what pyarrow raises.
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
                _note(info, found)
    for info in store.get_file_info(few) if few else ():
        _note(info, found)
    return found


def _note(info: Any, found: dict[str, tuple[int, int]]) -> None:
    if info.is_file and info.size is not None and info.mtime_ns is not None:
        found[info.path] = int(info.size), int(info.mtime_ns)
