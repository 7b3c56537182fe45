"""Counts which files a scan opens, through whichever door."""

from __future__ import annotations

from typing import Any

import pytest

from projector.files.storage import Storage


class Opens:
    """The paths that storage was asked to open, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paths: list[str] = []
        for name in ("open", "open_arrow"):
            self._watch(monkeypatch, name, getattr(Storage, name))

    def _watch(self, monkeypatch: pytest.MonkeyPatch, name: str, original: Any) -> None:
        def opened(storage: Storage, path: str) -> Any:
            self.paths.append(path)
            return original(storage, path)

        monkeypatch.setattr(Storage, name, opened)

    def count(self, ending: str) -> int:
        """How many different files with a name of this ending were opened."""
        return sum(path.endswith(ending) for path in set(self.paths))
