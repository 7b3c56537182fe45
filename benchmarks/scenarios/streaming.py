"""Measure the peak memory of a read, whole and as a stream of batches, compared with the raw scan of the engine.

Each read is a separate process, so the times include the start of an interpreter. The relevant figure is the memory,
less that of an interpreter with the same imports.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from ..measuring import Runner
from ..memory import peak_memory
from ..scenario import Prepared, Scenario
from ..tables.evolved import TABLES as EVOLVED
from .reads import made, size

_START = "import sys, pathlib\nfolder, columns = pathlib.Path(sys.argv[1]), sys.argv[2:]\n"
_RAW_FILES = "files = [str(path) for path in sorted((folder / 'raw').iterdir())]\n"
_OPEN = "import projector\nscan = projector.load_table(folder / 'table').scan(None, columns or ('*',))\n"
_DUCKDB = "import duckdb\nrelation = duckdb.connect().read_parquet(files).select(', '.join(columns) or '*')\n"

IMPORTS = {
    "arrow": "import projector.api.scan, pyarrow.parquet, pyarrow.dataset",
    "polars": "import projector.api.scan, polars",
    "duckdb": "import projector.api.scan, duckdb, pyarrow",
}
STREAMS = {
    "raw-arrow": _RAW_FILES + "import pyarrow.dataset as ds\n"
    "scanner = ds.dataset(files).scanner(columns or None, batch_readahead=1, fragment_readahead=1)\n"
    "rows = sum(batch.num_rows for batch in scanner.to_batches())",
    "projector-arrow": _OPEN + "rows = sum(batch.num_rows for batch in scan.to_arrow_batch_reader())",
}
WHOLE = {
    "raw-arrow": _RAW_FILES
    + "import pyarrow.dataset as ds\nrows = ds.dataset(files).to_table(columns or None).num_rows",
    "projector-arrow": _OPEN + "rows = scan.to_arrow().num_rows",
    "raw-polars": _RAW_FILES
    + "import polars\nrows = polars.scan_parquet(files).select(columns or polars.all()).collect().height",
    "projector-polars": _OPEN + "rows = scan.to_polars().height",
    "raw-duckdb": _RAW_FILES + _DUCKDB + "rows = relation.to_arrow_table().num_rows",
    "projector-duckdb": _OPEN + "rows = scan.to_duckdb('t').sql('FROM t').to_arrow_table().num_rows",
}


def _prepare(name: str, statements: dict[str, str], folder: Path, scale: float) -> Prepared:
    arguments = (str(made(name, folder, scale)), *(EVOLVED[name].read or ()))
    measured: dict[str, int] = {}

    def run(who: str) -> None:
        bare = peak_memory(IMPORTS[who.split("-")[1]])
        measured[who] = peak_memory(_START + statements[who], *arguments) - bare

    def facts(who: str) -> dict[str, object]:
        return {"peak_bytes": measured.get(who)}

    found = {}
    for who in statements:
        baseline = None if who.startswith("raw-") else who.replace("projector-", "raw-")
        found[who] = Runner(partial(run, who), baseline, partial(facts, who))
    return found


def _scenario(name: str, table: str, statements: dict[str, str], about: str) -> Scenario:
    prepare: Callable[[Path, float], Prepared] = partial(_prepare, table, statements)
    return Scenario(name, f"{about} of the table `{table}`.", partial(size, table), prepare, runs=1, group="memory")


TABLES = ("many", "nested", "wide")
SCENARIOS = (
    *(_scenario(f"memory-{table}", table, WHOLE, "All rows") for table in TABLES),
    *(_scenario(f"stream-{table}", table, STREAMS, "A stream of all rows") for table in TABLES),
)
