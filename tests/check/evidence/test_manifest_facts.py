"""One pass over the manifests: what is counted, and what is left out where there are very many files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import projector
from benchmarks.tables.many_files import ManyFiles, write_table
from projector.check.evidence.manifest_facts import ManifestFacts, find_manifest_facts
from projector.check.evidence.state import TableFiles
from projector.check.level import Level
from tests.check.tables import Maker, table


def facts(made: Maker, folder: Path, **how: Any) -> ManifestFacts:
    loaded = made(folder)
    metadata = loaded.metadata
    files = TableFiles(metadata, loaded._storage, loaded._resolver, Level.FOOTERS, metadata.snapshots)
    return find_manifest_facts(metadata, metadata.name_mapping, files.live, **how)


def bad(count: int) -> Maker:
    bounds = [{"key": 1, "value": bytes(3)}]
    step = lambda b: b.append([{"v": None, "w": None}], change={"lower_bounds": bounds})  # noqa: E731
    return table("1 v long, 2 w int", *[step] * count)


def test_all_files_are_looked_at_where_there_are_few(tmp_path: Path) -> None:
    found = facts(bad(5), tmp_path)
    assert found.bounds_of == 5
    assert found.malformed[1].files == 5
    assert found.malformed[1].rows == 5


@pytest.mark.parametrize(("at_most", "files"), [(384, 64), (192, 32), (191, 16), (48, 8), (6, 1)])
def test_bounds_of_some_files_where_there_are_many(tmp_path: Path, at_most: int, files: int) -> None:
    # 6 columns, so 384 bounds in 64 files of one manifest; one file in a power of two is looked at
    made = projector.load_table(write_table(ManyFiles(64, 6), tmp_path))
    state = TableFiles(made.metadata, made._storage, made._resolver, Level.FOOTERS, made.metadata.snapshots)
    found = find_manifest_facts(made.metadata, None, state.live, at_most)
    assert found.bounds_of == files


def test_as_many_files_are_looked_at_when_manifests_are_small(tmp_path: Path) -> None:
    # each manifest has one file, and by its name it is looked at or not: always the same, and about one in four
    made = bad(40)
    found = facts(made, tmp_path, at_most=20)
    assert 2 <= found.bounds_of <= 20
    assert found.malformed[1].files == found.bounds_of


def test_all_files_where_all_are_wanted(tmp_path: Path) -> None:
    assert facts(bad(5), tmp_path, at_most=None).bounds_of == 5


def test_columns_whose_name_has_moved_are_passed_over(tmp_path: Path) -> None:
    mapping = '[{"field-id": 1, "names": ["w"]}, {"field-id": 2, "names": ["v"]}]'
    bounds = [{"key": 1, "value": bytes(3)}]
    made = table(
        "1 v long, 2 w int",
        lambda b: b.append([{"v": None, "w": None}], change={"lower_bounds": bounds}),
        properties={"schema.name-mapping.default": mapping},
    )
    assert not facts(made, tmp_path).malformed
