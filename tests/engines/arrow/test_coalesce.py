"""Files that are read ahead of their turn, and small ones that are projected together, give what each gives alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from projector.engines.arrow import coalesce as arrow_together
from projector.errors import CorruptFileError, ProjectionError
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, LongType, NestedField, StringType
from tests.planning.tables import TableBuilder

INT = Schema((NestedField(1, "id", IntegerType()), NestedField(2, "note", StringType())))
LONG = Schema((NestedField(1, "id", LongType()), NestedField(2, "text", StringType()), NestedField(3, "n", LongType())))


def many(folder: Path, files: int, rows: int = 3) -> TableBuilder:
    table = TableBuilder(folder, INT, 3)
    for n in range(files):
        table.append([{"id": n * rows + i, "note": f"n{i}", "text": f"n{i}", "n": None} for i in range(rows)])
        if n == files // 2:
            table.evolve(LONG)
    return table


def joined(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many files are read together, each time that some are."""
    found: list[int] = []
    known = arrow_together._projected

    def counted(files: Any, *rest: Any) -> Any:
        found.append(len(files))
        return known(files, *rest)

    monkeypatch.setattr(arrow_together, "_projected", counted)
    return found


def test_small_files_of_one_shape_share_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = many(tmp_path, 9)
    counts = joined(monkeypatch)
    batches = list(table.load().scan().to_arrow_batch_reader())
    assert counts == [5, 4]
    assert [batch.num_rows for batch in batches] == [15, 12]
    read = [row for batch in batches for row in batch.to_pylist()]
    assert read == [{"id": n, "text": f"n{n % 3}", "n": None} for n in range(27)]


def test_batches_stay_as_long_as_they_are_asked_for(tmp_path: Path) -> None:
    batches = list(many(tmp_path, 9).load().scan().to_arrow_batch_reader(batch_size=7))
    assert max(batch.num_rows for batch in batches) <= 7
    assert [v for batch in batches for v in batch["id"].to_pylist()] == list(range(27))


@pytest.mark.parametrize("condition", ["id >= 4 and id < 20", "text = 'n1'", "n is null", "n = 5"])
def test_filters(tmp_path: Path, condition: str) -> None:
    scan = many(tmp_path, 9).load().scan(condition)
    assert scan.to_arrow() == scan.to_arrow("rows")


def test_files_with_constants_of_their_own_are_read_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = many(tmp_path, 6)
    counts = joined(monkeypatch)
    scan = table.load().scan(None, ("id", "_pos", "_file"))
    assert scan.to_arrow() == scan.to_arrow("rows")
    assert counts == []


def test_deleted_rows_of_small_files_stay_deleted(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, INT, 2)
    files = [table.append([{"id": 3 * n + i, "note": "x"} for i in range(3)]) for n in range(5)]
    table.delete_positions([(files[2], 1)])
    scan = table.load().scan()
    assert scan.to_arrow()["id"].to_pylist() == [i for i in range(15) if i != 7]


def test_a_broken_file_is_named_after_the_rows_before_it(tmp_path: Path) -> None:
    table = many(tmp_path, 3)
    paths = [task.location for task in table.load().scan().plan_files()]
    content = bytearray(Path(paths[1]).read_bytes())
    content[4:40] = b"\xff" * 36
    Path(paths[1]).write_bytes(content)
    reader = table.load().scan().to_arrow_batch_reader()
    assert reader.read_next_batch()["id"].to_pylist() == [0, 1, 2]
    with pytest.raises(CorruptFileError, match=Path(paths[1]).name):
        reader.read_next_batch()


def test_a_value_that_does_not_fit_names_its_file(tmp_path: Path) -> None:
    table = many(tmp_path, 2)
    wrong = table.append([{"id": 90, "text": None, "n": None}])
    table.append([{"id": 91, "text": None, "n": 4}])
    table.evolve(Schema((*LONG.fields[:2], NestedField(3, "n", LongType(), True, initial_default=1))))
    with pytest.raises(ProjectionError, match=Path(wrong).name):
        table.load().scan("id >= 90").to_arrow()


def test_a_limit_reads_no_file_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = many(tmp_path, 9)
    counts = joined(monkeypatch)
    scan = table.load().scan(limit=4)
    assert scan.to_arrow()["id"].to_pylist() == [0, 1, 2, 3]
    assert counts == []


@pytest.mark.parametrize("broken", ["footer", "schema"])
def test_the_first_file_that_is_broken_is_named_whatever_is_broken_in_it(tmp_path: Path, broken: str) -> None:
    table = TableBuilder(tmp_path, INT, 3)
    table.append([{"id": 1, "note": "x"}])
    wrong = table.append([{"id": 2, "note": None}])
    if broken == "footer":
        later = table.append([{"id": 3, "note": "x"}])
        Path(later).write_bytes(Path(later).read_bytes()[:-4] + b"nope")
    else:
        table.evolve(Schema((INT.fields[0], NestedField(2, "note", LongType()))))
        table.append([{"id": 3, "note": 7}])
    table.evolve(Schema((INT.fields[0], NestedField(2, "note", StringType(), True))))
    for engine in ("rows", "arrow"):
        reader = table.load().scan().to_arrow_batch_reader(engine)
        assert reader.read_next_batch()["id"].to_pylist() == [1]
        with pytest.raises(ProjectionError, match=Path(wrong).name):
            reader.read_next_batch()


def test_wide_files_are_read_together_as_far_as_memory_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = many(tmp_path, 9)
    counts = joined(monkeypatch)
    monkeypatch.setattr(arrow_together, "_MOST_BYTES", 3 * 48)  # 48: eight bytes for three rows of two columns
    monkeypatch.setattr(arrow_together, "_INFLATED", 0)
    scan = table.load().scan(None, ("id", "text"))
    assert [row["id"] for row in scan.to_arrow().to_pylist()] == list(range(27))
    assert max(counts) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize("engine", ["rows", "arrow", "duckdb"])  # Polars itself does not work in a forked process
def test_a_forked_process_reads_what_its_parent_has_read(tmp_path: Path, engine: str) -> None:
    table = TableBuilder(tmp_path, INT, 2)
    for n in range(6):
        table.append([{"id": 3000 * n + i, "note": f"n{i}"} for i in range(3000)])
    table.load()
    location = str(tmp_path)
    script = f"""
import os, signal, sys
import projector
scan = projector.load_table({location!r}).scan("id >= 3")
whole = scan.to_arrow({engine!r})
half = scan.to_arrow_batch_reader(batch_size=10)
half.read_next_batch()
child = os.fork()
if not child:
    signal.alarm(30)
    os._exit(0 if scan.to_arrow({engine!r}).equals(whole) else 1)
sys.exit(os.waitpid(child, 0)[1])
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], timeout=60, check=True)


def test_values_that_are_longer_than_their_files_are_not_all_held_at_once(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, INT, 3)
    for n in range(6):
        table.append([{"id": 2 * n + i, "note": "x" * (5 << 20)} for i in range(2)])
    batches = [batch["id"].to_pylist() for batch in table.load().scan().to_arrow_batch_reader()]
    assert batches == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
