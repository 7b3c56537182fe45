"""`import projector` and `projector --help` load no engine and no other heavy library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = {"duckdb", "fastavro", "mmh3", "numpy", "pandas", "polars", "pyarrow", "pyiceberg", "pyroaring", "sqlglot"}
LOADED = "import sys, json; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})), file=sys.stderr)"


def loaded_by(statement: str) -> set[str]:
    """The top-level packages in memory after a statement in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"{statement}\n{LOADED}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "statement",
    [
        "import projector",
        "import projector; projector.Schema, projector.types, projector.NotFoundError",
        "from cli.main import run; run(['--help'])",
        "from cli.main import run; run(['--version'])",
    ],
)
def test_no_engine_is_loaded(statement: str) -> None:
    assert loaded_by(statement) & (HEAVY | {"rich"}) == set()


def test_the_probe_would_see_an_engine() -> None:
    assert "pyarrow" in loaded_by("import pyarrow")
