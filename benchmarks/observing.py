"""Find out which files readers open, and who plans their scans, in runs that are not timed: observing takes time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import patch

from .memory import figures_of
from .queries import Question
from .readers import Reader, metadata_file

OBSERVE = """
import sys
opened = []
def observe(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        opened.append(arguments[0])
sys.addaudithook(observe)
"""
"""Python reports every file that it opens. Native readers do not, but ours read the footer of each file first."""

_READ = """
import json
from importlib import import_module
from pathlib import Path
package, name, folder, question = sys.argv[1:]
asked = import_module(package + ".queries").Question(**json.loads(question))
reader = next(each for each in import_module(package + ".readers").READERS if each.name == name)
reader.run(Path(folder), asked)
figures = {"files opened": len({path for path in opened if path.endswith(".parquet")})}
"""


def files_opened(reader: Reader, folder: Path, question: Question) -> Mapping[str, object]:
    """Count the data files that one of our readers opens, and those whose bounds match according to pyiceberg."""
    package = __package__ or "benchmarks"
    asked = json.dumps(asdict(question))
    found = {"files opened": figures_of(OBSERVE + _READ, package, reader.name, str(folder), asked)["files opened"]}
    if find_spec("pyiceberg") is not None:
        found["files whose bounds match"] = matching_files(folder, question)
    return found


def matching_files(folder: Path, question: Question) -> int:
    """Count the files that pyiceberg plans to read."""
    from pyiceberg.table import StaticTable

    table = StaticTable.from_metadata(metadata_file(folder))
    where = question.condition
    return sum(1 for _ in (table.scan(where) if where else table.scan()).plan_files())


def planner(reader: Reader, folder: Path, question: Question) -> Mapping[str, object]:
    """Return who planned a scan of Polars: its plugin, or pyiceberg, which it falls back to."""
    from pyiceberg.table import DataScan

    plan, calls = DataScan.plan_files, []

    def observed(self: DataScan, *arguments: Any, **options: Any) -> Any:
        calls.append(self)
        return plan(self, *arguments, **options)

    with patch.object(DataScan, "plan_files", observed):
        reader.run(folder, question)
    return {"planned by": "pyiceberg" if calls else "polars-iceberg"}
