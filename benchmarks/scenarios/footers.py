"""Read the shape of every file, compared with pyarrow's `read_metadata` and `read_schema`, and Polars' schemas."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import projector

from ..measuring import Runner
from ..scenario import Prepared, Scenario, made_once
from ..tables.many_files import ManyFiles, write_data


def tiny_files(table: ManyFiles, folder: Path) -> list[str]:
    """Return the data files of a table. Write them if they do not exist."""
    data = made_once(folder / f"footers-{table}-{table.data}", lambda data: list(write_data(table, data)))
    return [str(path) for path in sorted(data.iterdir())]


def ours(files: Sequence[str]) -> int:
    groups = projector.shapes(files)
    return sum(sum(group.row_counts) for group in groups)


def read_metadata(files: Sequence[str]) -> int:
    import pyarrow.parquet as pq

    return sum(pq.read_metadata(file).num_rows for file in files)


def read_schema(files: Sequence[str]) -> None:
    import pyarrow.parquet as pq

    for file in files:
        pq.read_schema(file)


def polars_schema(files: Sequence[str]) -> None:
    import polars as pl

    for file in files:
        pl.read_parquet_schema(file)


def _prepare(table: ManyFiles, folder: Path, scale: float) -> Prepared:
    files = tiny_files(table.scaled(scale), folder)
    return {
        "pyarrow-read_metadata": Runner(partial(read_metadata, files)),
        "projector": Runner(partial(ours, files), "pyarrow-read_metadata"),
        "pyarrow-read_schema": Runner(partial(read_schema, files), "pyarrow-read_metadata"),
        "polars-read_parquet_schema": Runner(partial(polars_schema, files), "pyarrow-read_metadata"),
    }


def _scenario(name: str, about: str, table: ManyFiles, runs: int = 5) -> Scenario:
    return Scenario(
        name, about, lambda scale: str(table.scaled(scale)), partial(_prepare, table), runs, group="footers"
    )


SCENARIOS = (
    _scenario(
        "footers-20",
        "The shape of 10,000 files of 20 columns under 12 schemas.",
        ManyFiles(10_000, 20, versions=12, data="tiny"),
    ),
    _scenario(
        "footers-200",
        "The shape of 10,000 files of 200 columns under 4 schemas.",
        ManyFiles(10_000, 200, versions=4, data="tiny"),
        runs=3,
    ),
    _scenario(
        "footers-new-20",
        "The shape of 2,000 files of 20 columns, each with its own schema.",
        ManyFiles(2000, 20, data="new"),
    ),
    _scenario(
        "footers-new-200",
        "The shape of 1,000 files of 200 columns, each with its own schema.",
        ManyFiles(1000, 200, data="new"),
        runs=3,
    ),
)
