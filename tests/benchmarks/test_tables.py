"""The tables that are measured are what they are said to be: read with pyiceberg and pyarrow."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyiceberg.table import StaticTable

import projector
from benchmarks.make_tables import SCENARIOS, write_scenario
from benchmarks.many_files import LINKS_OF_ONE_FILE, ManyFiles, write_table
from benchmarks.queries import QUERIES
from benchmarks.readers import READERS


def test_sizes(tmp_path: Path) -> None:
    size = ManyFiles(23, 17, rows=7, versions=4, nesting=2, partitions=5, deletes=3, statistics=6, data="tiny")
    metadata = write_table(size, tmp_path)
    theirs = StaticTable.from_metadata(metadata)
    tasks = list(theirs.scan().plan_files())
    assert len(tasks) == 23
    assert len(theirs.schemas()) == 4
    assert len({task.file.partition[0] for task in tasks}) == 5
    assert sum(bool(task.delete_files) for task in tasks) == 3
    assert {len(task.file.lower_bounds) for task in tasks} == {6}
    assert theirs.scan().to_arrow().num_rows == projector.load_table(metadata).scan().count() == 23 * 7 - 3
    assert str(theirs.schema().find_field("c4").field_type).count("struct<") == 2


@pytest.mark.parametrize(("data", "shapes"), [("tiny", 3), ("shared", 3), ("new", 12)])
def test_shapes_are_as_many_as_versions_or_files(tmp_path: Path, data: str, shapes: int) -> None:
    write_table(ManyFiles(12, 8, versions=3, data=data), tmp_path)
    files = sorted((tmp_path / "data").iterdir())
    assert len({str(pq.read_schema(file)) for file in files}) == shapes
    assert len(projector.shapes(files)) == shapes
    links = {file.stat().st_ino for file in files}
    assert len(links) == (3 if data == "shared" else 12)
    assert LINKS_OF_ONE_FILE < 65_000


def test_metadata_alone(tmp_path: Path) -> None:
    metadata = write_table(ManyFiles(2500, 4, rows=1000, partitions=5), tmp_path)
    plan = projector.load_table(metadata).scan("c1 = 2").plan_files()
    assert (len(plan.tasks), plan.records_to_read) == (500, 500_000)
    assert not list((tmp_path / "data").iterdir())
    assert json.loads(Path(metadata).read_text())["last-column-id"] == 4


def test_all_readers_come_to_one_answer(tmp_path: Path) -> None:
    small = {name: replace(table, files=table.stages * 2, rows=50) for name, table in SCENARIOS.items()}
    for name in small:
        write_scenario(small[name], tmp_path)
        for query in QUERIES:
            question = query.ask(small[name].read, small[name].files * 50)
            answers = {
                reader.name: reader.run(tmp_path / name, question)
                for reader in READERS
                if reader.name in ("raw-arrow", "projector-arrow", "pyiceberg", "raw-polars", "projector-polars")
            }
            assert len(set(answers.values())) == 1, (name, query.name, answers)
