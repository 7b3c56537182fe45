"""Counts which local files a scan opens, through whichever door."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from projector.files.storage.locations import canonical
from projector.files.storage.storage import Storage

_watching: list[Opens] = []


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or not _watching or not isinstance(arguments[0], (str, os.PathLike)):
        return
    if arguments[2] & (os.O_WRONLY | os.O_RDWR) == 0:
        for opens in _watching:
            opens.paths.append(os.fspath(arguments[0]))


sys.addaudithook(_hear)  # Python tells of every file that it opens; it cannot be asked to stop


class Opens:
    """The paths that were opened to be read, in order: by Python itself, and by pyarrow for its own readers."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paths: list[str] = []
        original = Storage.open_arrow

        def opened(storage: Storage, path: str) -> Any:
            self.paths.append(canonical(path))
            return original(storage, path)

        monkeypatch.setattr(Storage, "open_arrow", opened)
        monkeypatch.setattr(sys.modules[__name__], "_watching", [*_watching, self])

    def count(self, ending: str) -> int:
        """How many different files with a name of this ending were opened."""
        return sum(path.endswith(ending) for path in set(self.paths))
