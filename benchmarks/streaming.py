"""Reading a table as a stream of batches: the time, and the memory that is resident at most, beside a raw stream."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from .make_tables import SCENARIOS as TABLES
from .make_tables import write_scenario
from .measuring import Runner
from .memory import peak_memory
from .reads import _scaled, _size
from .scenario import Prepared, Scenario

_OURS = """
import sys, projector
rows = sum(batch.num_rows for batch in projector.load_table(sys.argv[1] + "/table").scan().to_arrow_batch_reader())
"""
_RAW = """
import sys, pathlib, pyarrow.dataset as ds
files = [str(path) for path in sorted(pathlib.Path(sys.argv[1], "raw").iterdir())]
scanner = ds.dataset(files).scanner(batch_readahead=1, fragment_readahead=1)
rows = sum(batch.num_rows for batch in scanner.to_batches())
"""
_IMPORTS = "import projector, pyarrow.parquet, pyarrow.dataset"


def _prepare(name: str, folder: Path, scale: float) -> Prepared:
    table = _scaled(TABLES[name], scale)
    home = folder / f"reads-{table.files}"
    if not (home / name).exists():
        write_scenario(table, home)
    where = str(home / name)
    measured: dict[str, int] = {}

    def run(who: str, statement: str) -> None:
        measured[who] = peak_memory(statement, where) - peak_memory(_IMPORTS)

    def runner(who: str, statement: str, baseline: str | None = None) -> Runner:
        return Runner(partial(run, who, statement), baseline, lambda: {"peak_bytes": measured.get(who)})

    return {"raw-arrow": runner("raw", _RAW), "projector-arrow": runner("ours", _OURS, "raw-arrow")}


SCENARIOS = tuple(
    Scenario(
        f"stream-{name}",
        f"Stream all rows of the table `{name}`, in a process of its own; the figure of interest is the memory.",
        partial(_size, name),
        partial(_prepare, name),
        runs=2,
        group="memory",
    )
    for name in ("many", "wide")
)
