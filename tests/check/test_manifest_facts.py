"""One pass over the manifests: what is counted, and what is left out where there are very many files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from projector.check.manifest_facts import ManifestFacts, gather
from projector.check.rule import Level
from projector.check.state import TableFiles
from tests.check.tables import Maker, table


def facts(made: Maker, folder: Path, **how: Any) -> ManifestFacts:
    loaded = made(folder)
    metadata = loaded.metadata
    files = TableFiles(metadata, loaded._storage, loaded._resolver, Level.FOOTERS, metadata.snapshots)
    return gather(metadata, metadata.name_mapping, files.live, **how)


def bad(count: int) -> Maker:
    bounds = [{"key": 1, "value": bytes(3)}]
    step = lambda b: b.append([{"v": None, "w": None}], change={"lower_bounds": bounds})  # noqa: E731
    return table("1 v long, 2 w int", *[step] * count)


def test_all_files_are_looked_at_where_there_are_few(tmp_path: Path) -> None:
    found = facts(bad(5), tmp_path)
    assert found.bounds_of == 5
    assert found.malformed[1].files == 5
    assert found.malformed[1].rows == 5


@pytest.mark.parametrize(("at_most", "files"), [(10, 5), (9, 5), (4, 3), (2, 1), (1, 1)])
def test_bounds_of_some_files_where_there_are_many(tmp_path: Path, at_most: int, files: int) -> None:
    # two columns, so ten bounds in five files; every second file where there are more than twice as many as wanted
    found = facts(bad(5), tmp_path, at_most=at_most)
    assert found.bounds_of == files
    assert found.malformed[1].files == files


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
