"""What every test runs with."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _a_cache_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test finds what another one, or the user, left in the cache on disk."""
    monkeypatch.setenv("PROJECTOR_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
