"""Read evolved tables with every installed runner, compared with plain scans of the same rows by each engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from ..measuring import Runner
from ..observing import files_opened, planner
from ..queries import QUERIES, Query, Question
from ..readers import READERS, Reader
from ..scenario import Prepared, Scenario, made_once, scaled
from ..tables.evolved import TABLES, EvolvedTable, write_evolved


def _prepare(name: str, query: Query, folder: Path, scale: float) -> Prepared:
    table = _scaled(TABLES[name], scale)
    home = made(name, folder, scale)
    question = query.ask(table.read, table.files * table.rows)
    found: dict[str, Runner] = {}
    for reader in READERS:
        if reader.package is not None and find_spec(reader.package) is None:
            continue
        found[reader.name] = Runner(partial(_run, reader, home, question), reader.limit, _facts(reader, home, question))
    return found


def _facts(reader: Reader, home: Path, question: Question) -> Callable[[], Mapping[str, object]]:
    if reader.name.startswith("projector-") and question.column is not None:
        return partial(files_opened, reader, home, question)
    return partial(planner, reader, home, question) if reader.name == "polars-scan_iceberg" else dict


def _run(reader: Reader, home: Path, question: Question) -> object:
    return reader.run(home, question)


def made(name: str, folder: Path, scale: float) -> Path:
    """Return the folder of a table and its raw copy. Write them if they do not exist."""
    table = _scaled(TABLES[name], scale)
    home = folder / f"reads-{table.files}"
    return made_once(home / name, lambda _: write_evolved(table, home))


def _scaled(table: EvolvedTable, scale: float) -> EvolvedTable:
    return replace(
        table,
        files=scaled(table.files, scale, table.stages),
        rows=scaled(table.rows, max(scale, 0.2) if scale < 1 else 1.0),
    )


def _columns(name: str) -> str:
    read = TABLES[name].read
    return "all columns" if read is None else f"{len(read)} columns"


def size(name: str, scale: float) -> str:
    table = _scaled(TABLES[name], scale)
    return f"{table.files}x{table.rows}x{len(table.columns)}"


def _scenarios() -> Mapping[str, Scenario]:
    found: dict[str, Scenario] = {}
    for table in ("many", "nested", "wide"):
        for query in QUERIES:
            name = f"{table}-{query.name}"
            prepare: Callable[[Path, float], Prepared] = partial(_prepare, table, query)
            found[name] = Scenario(
                name,
                f"{query.about}; {_columns(table)} of the table `{table}`.",
                partial(size, table),
                prepare,
                group="reads",
            )
    return found


SCENARIOS = tuple(_scenarios().values())
