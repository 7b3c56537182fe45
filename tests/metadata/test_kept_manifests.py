"""Manifests that were decoded once are not read again, unless they are other ones."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from projector.files.storage.locations import PathResolver
from projector.files.storage.storage import Storage
from projector.metadata.manifests import cache as kept_manifests
from projector.metadata.manifests.cache import is_kept, manifest_entries
from projector.metadata.manifests.read import snapshot_manifests
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, NestedField
from tests.planning.tables import TableBuilder

SCHEMA = Schema((NestedField(1, "id", IntegerType()),))
SAME = PathResolver("")


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    kept_manifests.forget()
    yield
    kept_manifests.forget()


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The manifests that are read from disk."""
    found: list[str] = []
    known = kept_manifests.read_manifest

    def noted(storage: Any, manifest: Any, *rest: Any) -> Any:
        found.append(manifest.path)
        return known(storage, manifest, *rest)

    monkeypatch.setattr(kept_manifests, "read_manifest", noted)
    return found


def test_a_second_plan_reads_what_is_new(tmp_path: Path, read: list[str]) -> None:
    table = TableBuilder(tmp_path, SCHEMA, 2)
    table.append([{"id": 1}])
    table.append([{"id": 2}])
    first = [task.file for task in table.load().scan().plan_files()]
    assert len(read) == 2
    assert [task.file for task in table.load().scan().plan_files()] == first
    assert len(read) == 2
    table.append([{"id": 3}])
    assert len(list(table.load().scan().plan_files())) == 3
    assert len(read) == 3


def test_filters_find_the_same_in_kept_entries(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, SCHEMA, 2)
    for n in range(4):
        table.append([{"id": n}])
    fresh = [task.file for task in table.load().scan("id > 1").plan_files()]
    assert len(fresh) == 2
    assert [task.file for task in table.load().scan("id > 1").plan_files()] == fresh


def test_a_manifest_that_was_written_anew_is_read_anew(tmp_path: Path, read: list[str]) -> None:
    table = TableBuilder(tmp_path, SCHEMA, 2)
    table.append([{"id": 1}])
    list(table.load().scan().plan_files())
    path = Path(read[0].removeprefix("file://"))
    os.utime(path, ns=(1, 1))
    list(table.load().scan().plan_files())
    assert len(read) == 2


def test_a_table_that_takes_the_place_of_one_of_the_same_size_and_time_is_read_anew(tmp_path: Path) -> None:
    found = []
    for number in (1, 2):
        folder = tmp_path / "t"
        table = TableBuilder(folder, SCHEMA, 2)
        table.append([{"id": number}])
        (manifest,) = (folder / "metadata").glob("m-*.avro")
        os.utime(manifest, ns=(1, 1))
        found.append([task.record_count for task in table.load().scan(f"id = {number}").plan_files()])
        shutil.rmtree(folder)
    assert found == [[1], [1]]


def test_a_plan_that_is_broken_off_keeps_nothing(tmp_path: Path, read: list[str]) -> None:
    table = TableBuilder(tmp_path, SCHEMA, 2)
    table.append([{"id": 1}])
    next(iter(table.load().scan().plan_files()))
    list(table.load().scan().plan_files())
    assert len(read) == 2


def test_what_is_kept_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: list[str]) -> None:
    monkeypatch.setattr(kept_manifests, "_LONGEST", 10)
    table = TableBuilder(tmp_path, SCHEMA, 2)
    table.append([{"id": 1}])
    for _ in range(2):
        list(table.load().scan().plan_files())
    assert len(read) == 2


def test_the_same_path_in_another_store_is_another_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = TableBuilder(tmp_path, SCHEMA, 2)
    table.append([{"id": 1}])
    (snapshot,) = table.load().snapshots
    (manifest,) = snapshot_manifests(Storage(), snapshot, SAME)
    entries = list(manifest_entries(Storage(), manifest, SAME))
    remote = replace(manifest, path="s3://bucket/m0.avro")
    given = {"http://one": entries, "http://other": []}
    monkeypatch.setattr(
        kept_manifests, "read_manifest", lambda storage, *_: iter(given[storage.properties["s3.endpoint"]])
    )
    one, other = (Storage({"s3.endpoint": endpoint}) for endpoint in given)
    assert list(manifest_entries(one, remote, SAME)) == entries
    assert (is_kept(one, remote, SAME), is_kept(other, remote, SAME)) == (True, False)
    assert list(manifest_entries(other, remote, SAME)) == []
