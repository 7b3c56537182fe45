"""Measure the start: of Python, of imports, and of the help."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

from ..measuring import Runner
from ..scenario import Prepared, Scenario

_HELP = "from {}.main import run; raise SystemExit(run(['--help']))"


def _start(statement: str) -> None:
    subprocess.run([sys.executable, "-c", statement], check=True, stdout=subprocess.DEVNULL)


def _prepare(folder: Path, scale: float) -> Prepared:
    cli = __name__.split(".")[0].replace("benchmarks", "cli")
    return {
        "python": Runner(partial(_start, "pass")),
        "projector": Runner(partial(_start, "import projector"), "python"),
        "projector-help": Runner(partial(_start, _HELP.format(cli)), "python"),
        "pyarrow": Runner(partial(_start, "import pyarrow"), "python"),
        "polars": Runner(partial(_start, "import polars"), "python"),
        "pyiceberg": Runner(partial(_start, "import pyiceberg.table"), "python"),
    }


SCENARIOS = (
    Scenario(
        "start", "Start an interpreter and import, or print the help.", lambda scale: "once", _prepare, group="start"
    ),
)
