"""Manifests that were decoded once are not read again, unless they are other ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from projector.metadata import kept_manifests
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, NestedField
from tests.planning.tables import TableBuilder

SCHEMA = Schema((NestedField(1, "id", IntegerType()),))


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
