"""The check before a change, at level `footers`, beside what pyarrow takes to read the same footers alone."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import projector

from .footers import read_metadata
from .many_files import ManyFiles
from .measuring import Runner
from .planning_scenarios import metadata_table
from .scenario import Prepared, Scenario, scaled

CHANGE = "ALTER TABLE t ADD COLUMN note string; ALTER TABLE t ALTER COLUMN c6 TYPE bigint"
_TABLE = ManyFiles(100_000, 50, versions=12, data="tiny")


def ours(metadata_file: str, **options: Any) -> int:
    return projector.check(metadata_file, sql=CHANGE, **options).looked_at.rows


def pyarrows(folder: Path) -> int:
    return read_metadata([str(path) for path in sorted(folder.iterdir())])


def _prepare(table: ManyFiles, folder: Path, scale: float) -> Prepared:
    metadata_file = metadata_table(_scaled(table, scale), folder)
    data = Path(metadata_file).parent.parent / "data"
    os.environ["PROJECTOR_CACHE_DIR"] = str(folder / "cache")  # not the user's
    return {
        "pyarrow-read_metadata": Runner(partial(pyarrows, data)),
        "projector": Runner(partial(ours, metadata_file, cache=False), "pyarrow-read_metadata"),
        "projector-second-run": Runner(partial(ours, metadata_file, cache=True), "projector"),
    }


def _scaled(table: ManyFiles, scale: float) -> ManyFiles:
    return replace(table, files=scaled(table.files, scale, table.versions))


SCENARIOS = (
    Scenario(
        "check-footers",
        "Check a change on 100,000 files of 50 columns under 12 schemas: the first run, and a second one.",
        lambda scale: str(_scaled(_TABLE, scale)),
        partial(_prepare, _TABLE),
        runs=3,
        group="checks",
    ),
)
