"""Reads of evolved tables by every runner that is installed, beside one plain scan by each engine of the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from .make_tables import SCENARIOS as TABLES
from .make_tables import Scenario as Evolved
from .make_tables import write_scenario
from .measuring import Runner
from .queries import QUERIES, Query
from .readers import READERS, Reader
from .scenario import Prepared, Scenario, scaled


def _prepare(name: str, query: Query, folder: Path, scale: float) -> Prepared:
    table = _scaled(TABLES[name], scale)
    home = folder / f"reads-{table.files}"
    if not (home / name).exists():
        write_scenario(table, home)
    home /= name
    bounds = query.bounds(table.files * table.rows)
    found: dict[str, Runner] = {}
    for reader in READERS:
        if reader.package is not None and find_spec(reader.package) is None:
            continue
        found[reader.name] = Runner(partial(_run, reader, home, query.name, bounds), reader.limit)
    return found


def _run(reader: Reader, home: Path, query: str, bounds: tuple[int, int]) -> object:
    return reader.run(home, query, bounds)


def _scaled(table: Evolved, scale: float) -> Evolved:
    return replace(
        table,
        files=scaled(table.files, scale, table.stages),
        rows=scaled(table.rows, max(scale, 0.2) if scale < 1 else 1.0),
    )


def _size(name: str, scale: float) -> str:
    table = _scaled(TABLES[name], scale)
    return f"{table.files}x{table.rows}x{len(table.columns)}"


def _scenarios() -> Mapping[str, Scenario]:
    found: dict[str, Scenario] = {}
    for table in ("many", "nested", "wide"):
        for query in QUERIES:
            name = f"{table}-{query.name}"
            prepare: Callable[[Path, float], Prepared] = partial(_prepare, table, query)
            found[name] = Scenario(
                name, f"{query.about}, of the table `{table}`.", partial(_size, table), prepare, group="reads"
            )
    return found


SCENARIOS = tuple(_scenarios().values())
