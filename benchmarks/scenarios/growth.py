"""Measure how cost grows with files, columns and schema versions. Each point is a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..measuring import Runner
from ..scenario import Prepared, Scenario
from ..tables.many_files import ManyFiles
from .footers import ours as our_shapes
from .footers import read_metadata
from .planning import metadata_table, ours, pyicebergs

FILES = (100, 1000, 10_000, 100_000)
COLUMNS = (10, 50, 200, 1000, 2000)
VERSIONS = (1, 4, 16, 64, 256)


@dataclass(frozen=True)
class Point:
    """A point of a growth curve: its axis, and its value on it."""

    axis: str
    value: int
    table: ManyFiles
    scales: bool = True

    def at(self, scale: float) -> ManyFiles:
        return self.table.scaled(scale) if self.scales else self.table


def _prepare(point: Point, folder: Path, scale: float) -> Prepared:
    table = point.at(scale)
    metadata_file = metadata_table(table, folder)
    files = [str(path) for path in sorted((Path(metadata_file).parent.parent / "data").iterdir())]
    return {
        "pyarrow-read_metadata": Runner(partial(read_metadata, files)),
        "projector-shapes": Runner(partial(our_shapes, files), "pyarrow-read_metadata"),
        "pyiceberg-plan": Runner(partial(pyicebergs, metadata_file, None)),
        "projector-plan": Runner(partial(ours, metadata_file, None), "pyiceberg-plan"),
    }


def _scenario(point: Point) -> Scenario:
    name = f"growth-{point.axis}-{point.value}"
    about = f"Shapes and plan at {point.value} {point.axis}."
    return Scenario(
        name, about, lambda scale: str(point.at(scale)), partial(_prepare, point), runs=3, group=f"growth-{point.axis}"
    )


POINTS = (
    *(Point("files", n, ManyFiles(n, 20, versions=12, data="shared")) for n in FILES),
    *(Point("columns", n, ManyFiles(500, n, statistics=n, versions=4, data="shared"), False) for n in COLUMNS),
    *(Point("versions", n, ManyFiles(5000, 50, versions=n, data="shared"), False) for n in VERSIONS),
)
SCENARIOS = tuple(_scenario(point) for point in POINTS)
