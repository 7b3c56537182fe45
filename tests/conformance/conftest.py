"""The tables of the archive, unpacked once per session."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tests.conformance.pack import ARCHIVE


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds one folder per case."""
    folder = tmp_path_factory.mktemp("conformance")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder
