"""Check a change at level `footers`, compared with pyarrow reading the same footers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import projector

from ..measuring import Runner
from ..memory import figures_of
from ..observing import OBSERVE
from ..scenario import Prepared, Scenario
from ..tables.many_files import ManyFiles
from .footers import read_metadata
from .planning import metadata_table

CHANGE = "ALTER TABLE t ADD COLUMN note string; ALTER TABLE t ALTER COLUMN c6 TYPE bigint"
_TABLE = ManyFiles(100_000, 50, versions=12, data="tiny")

_OPENS = """
import projector
report = projector.check(sys.argv[1], sql=sys.argv[2], cache=sys.argv[3] == "cache")
figures = {
    "data files opened": sum(path.endswith(".parquet") for path in opened),
    "manifests and lists read": sum(path.endswith(".avro") for path in opened),
}
"""


def ours(metadata_file: str, **options: Any) -> int:
    return projector.check(metadata_file, sql=CHANGE, **options).looked_at.rows


def first_run(metadata_file: str, cache: Path) -> int:
    shutil.rmtree(cache, ignore_errors=True)
    return ours(metadata_file)


def second_run(metadata_file: str, cache: Path) -> int:
    if not cache.exists():
        ours(metadata_file)
    return ours(metadata_file)


def pyarrows(folder: Path) -> int:
    return read_metadata([str(path) for path in sorted(folder.iterdir())])


def _figures(metadata_file: str, cache: str) -> Mapping[str, object]:
    """Count the files that a check opens and measure its memory, in a separate process."""
    if cache:
        ours(metadata_file)
    return figures_of(OBSERVE + _OPENS, metadata_file, CHANGE, cache)


def _prepare(table: ManyFiles, folder: Path, scale: float) -> Prepared:
    metadata_file = metadata_table(table.scaled(scale), folder)
    data = Path(metadata_file).parent.parent / "data"
    cache = folder / "cache"
    os.environ["PROJECTOR_CACHE_DIR"] = str(cache)  # not that of the user
    return {
        "pyarrow-read_metadata": Runner(partial(pyarrows, data)),
        "projector": Runner(
            partial(ours, metadata_file, cache=False), "pyarrow-read_metadata", partial(_figures, metadata_file, "")
        ),
        "projector-first-run": Runner(partial(first_run, metadata_file, cache), "pyarrow-read_metadata"),
        "projector-second-run": Runner(
            partial(second_run, metadata_file, cache), "projector", partial(_figures, metadata_file, "cache")
        ),
    }


SCENARIOS = (
    Scenario(
        "check-footers",
        "Check a change on 100,000 files of 50 columns under 12 schemas: without the cache on disk, in a first run that"
        " fills it, and in a second one.",
        lambda scale: str(_TABLE.scaled(scale)),
        partial(_prepare, _TABLE),
        runs=3,
        group="checks",
    ),
)
