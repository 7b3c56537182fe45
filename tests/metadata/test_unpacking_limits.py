"""Small files that unpack to very much are refused, quickly and by name."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from pyroaring import BitMap64

import projector
from projector import CorruptFileError
from projector.files.deletion_vector import read_deletion_vector
from projector.files.storage.storage import Storage
from projector.metadata.loading import read_metadata
from tests.check.tables import table
from tests.planning.tables import TableBuilder, vector_blob


def test_a_gzip_bomb(tmp_path: Path) -> None:
    file = tmp_path / "v1.gz.metadata.json"
    file.write_bytes(gzip.compress(b" " * (200 << 20)))
    with pytest.raises(CorruptFileError, match="too large"):
        read_metadata(str(file), Storage())


def test_very_many_empty_members(tmp_path: Path) -> None:
    file = tmp_path / "v1.gz.metadata.json"
    file.write_bytes(gzip.compress(b"", mtime=0) * 400_000)
    with pytest.raises(CorruptFileError, match="more than 100 members"):
        read_metadata(str(file), Storage())


def test_a_deletion_vector_of_more_rows_than_there_are(tmp_path: Path) -> None:
    """A run of 2**27 positions takes a few kilobytes, and a gigabyte once it is spelled out."""
    run = BitMap64()
    run.add_range(0, 1 << 27)
    run.run_optimize() if hasattr(run, "run_optimize") else None
    blob = vector_blob(range(3))
    path = tmp_path / "v.puffin"
    path.write_bytes(b"PFA1" + blob + b"PFA1{}")
    with Storage().open(str(path)) as source, pytest.raises(CorruptFileError, match="position 2 of a data file with 2"):
        read_deletion_vector(source, str(path), 4, len(blob), 3, 2)


def test_a_vector_beyond_the_end_is_refused_in_every_engine(tmp_path: Path) -> None:
    def far(builder: TableBuilder) -> None:
        builder.delete_vectors({builder.append([{"id": 1}, {"id": 2}]): [1 << 40]})

    made = table("1 id int", far, version=3)(tmp_path)
    for engine in ("arrow", "rows", "polars", "duckdb"):
        with pytest.raises(CorruptFileError, match=f"position {1 << 40} of a data file with 2 rows"):
            made.scan().to_arrow(engine=engine)


@pytest.mark.parametrize("location", ["s3://bucket/t", "gs://bucket/t", "abfs://c@a.dfs.core.windows.net/t"])
def test_a_local_copy_asks_no_store(location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = TableBuilder(tmp_path, table("1 id int")(tmp_path / "x").schema())
    builder.append([{"id": 1}])
    asked: list[str] = []
    exists = Storage.exists
    monkeypatch.setattr(Storage, "exists", lambda self, path: asked.append(path) or exists(self, path))
    with pytest.warns(projector.ProjectorWarning, match="its files are read from"):
        builder.load(location=location)
    assert not [path for path in asked if "://" in path], asked
    assert os.path.isdir(tmp_path)
