"""How work grows, by the number of calls that Python makes: the same on every machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import projector
from benchmarks.tables.many_files import ManyFiles, write_table
from projector.metadata.manifests import cache as kept_manifests

SMALL = ManyFiles(150, 10, versions=2, statistics=10, data="shared")
CHANGE = "ALTER TABLE t ADD COLUMN note string"


def calls(run: Callable[[], object]) -> int:
    """Calls of functions, of Python and of C, that something makes the second time."""
    run()
    kept_manifests.forget()
    made = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return made


def work(size: ManyFiles, folder: Path, schemas: int = 0) -> dict[str, int]:
    """What is asked of a table of some size, after so many more schemas that nothing is written under."""
    metadata = Path(write_table(size, folder))
    if schemas:
        raw = json.loads(metadata.read_text())
        last = raw["schemas"][-1]
        for number in range(schemas):
            renamed = [*last["fields"][:-1], {**last["fields"][-1], "name": f"other_{number}"}]
            raw["schemas"].append({**last, "schema-id": len(raw["schemas"]), "fields": renamed})
        raw["current-schema-id"] = len(raw["schemas"]) - 1
        metadata.write_text(json.dumps(raw))
    table, files = str(metadata), sorted(str(path) for path in (folder / "data").iterdir())
    return {
        "plan": calls(lambda: projector.load_table(table).scan().plan_files().tasks),
        "filtered": calls(lambda: projector.load_table(table).scan("c2 >= 5 and c2 < 9").plan_files().tasks),
        "shapes": calls(lambda: projector.shapes(files, max_workers=1)),
        "check": calls(lambda: projector.check(table, sql=CHANGE, cache=False)),
    }


@pytest.fixture(autouse=True)
def warm(tmp_path: Path) -> None:
    """What a process learns of manifests stays with it; the first table must not bear the cost alone."""
    work(SMALL, tmp_path / "warm")


@pytest.mark.parametrize("axis", ["files", "columns"])
def test_twice_the_size_is_twice_the_work_at_most(tmp_path: Path, axis: str) -> None:
    steps = [replace(SMALL, **{axis: getattr(SMALL, axis) * factor}) for factor in (1, 2, 4)]
    steps = [replace(step, statistics=step.columns) for step in steps]
    first, second, third = (work(step, tmp_path / str(n)) for n, step in enumerate(steps))
    for name in first:
        assert second[name] <= 2.1 * first[name], (name, first, second)
        assert third[name] - second[name] <= 2.2 * max(second[name] - first[name], first[name] / 10), name


def test_schemas_without_files_cost_plans_nothing_and_checks_little(tmp_path: Path) -> None:
    plain, more = work(SMALL, tmp_path / "plain"), work(SMALL, tmp_path / "more", schemas=100)
    for name in ("plan", "filtered"):
        assert more[name] - plain[name] <= 100 * 15, name
    assert more["shapes"] == plain["shapes"]
    assert more["check"] - plain["check"] <= 100 * SMALL.columns * 80  # each is parsed once


def test_shapes_cost_little_beside_files(tmp_path: Path) -> None:
    few = work(replace(SMALL, files=320), tmp_path / "few")
    many = work(replace(SMALL, files=320, versions=16), tmp_path / "many")
    for name, made in many.items():
        assert made <= 1.5 * few[name], name
