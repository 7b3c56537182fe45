"""Plan scans of tables without data files, compared with pyiceberg's `plan_files`, both with cold caches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import projector
from projector.metadata.manifests import cache as kept_manifests

from ..measuring import Runner
from ..memory import peak_memory
from ..scenario import Prepared, Scenario, made_once
from ..tables.many_files import ManyFiles, write_table


def metadata_table(table: ManyFiles, folder: Path) -> str:
    """Return the metadata file of a table. Write the table if it does not exist."""
    name = f"table-{table}-{table.data}-{table.statistics}s-{table.partitions}p"
    home = made_once(folder / name, lambda home: write_table(table, home))
    return str(home.absolute() / "metadata" / "v1.metadata.json")


def ours(metadata_file: str, row_filter: str | None) -> int:
    kept_manifests.forget()
    return len(projector.load_table(metadata_file).scan(row_filter).plan_files().tasks)


def pyicebergs(metadata_file: str, row_filter: str | None) -> int:
    from pyiceberg.table import StaticTable

    table = StaticTable.from_metadata(metadata_file)
    _forget_manifests()
    return sum(1 for _ in (table.scan(row_filter) if row_filter else table.scan()).plan_files())


def _forget_manifests() -> None:
    """Clear pyiceberg's cache of manifest lists, if this version has one, so that it plans cold as well."""
    from pyiceberg import manifest

    clear = getattr(manifest, "clear_manifest_cache", None)
    if clear is not None:
        clear()


_OURS = """
import sys
import projector, projector.api.scan
if sys.argv[1:]:
    projector.load_table(sys.argv[1]).scan(sys.argv[2] or None).plan_files().tasks
"""
_PYICEBERGS = """
import sys
import pyiceberg.io.pyarrow
from pyiceberg.table import StaticTable
if sys.argv[1:]:
    table = StaticTable.from_metadata(sys.argv[1])
    tasks = list((table.scan(sys.argv[2]) if sys.argv[2] else table.scan()).plan_files())
"""


def _memory(statement: str, metadata_file: str, row_filter: str | None) -> dict[str, object]:
    """Return the peak resident bytes with all tasks in memory, less those of an interpreter with the same imports."""
    return {"peak_bytes": peak_memory(statement, metadata_file, row_filter or "") - peak_memory(statement)}


def _figures(metadata_file: str, row_filter: str | None) -> dict[str, object]:
    kept_manifests.forget()
    plan = projector.load_table(metadata_file).scan(row_filter).plan_files()
    tasks = plan.tasks
    found: dict[str, object] = {"files": len(tasks), "manifests": len(plan.manifests)}
    for name in ("entries_decoded", "bytes_read"):
        if hasattr(plan, name):
            found[name] = getattr(plan, name)
    return found | _memory(_OURS, metadata_file, row_filter)


def _prepare(table: ManyFiles, make_filter: Callable[[ManyFiles], str | None], folder: Path, scale: float) -> Prepared:
    sized = table.scaled(scale)
    metadata_file = metadata_table(sized, folder)
    row_filter = make_filter(sized)
    return {
        "pyiceberg": Runner(
            partial(pyicebergs, metadata_file, row_filter),
            facts=partial(_memory, _PYICEBERGS, metadata_file, row_filter),
        ),
        "projector": Runner(
            partial(ours, metadata_file, row_filter), "pyiceberg", partial(_figures, metadata_file, row_filter)
        ),
    }


def _scenario(name: str, about: str, table: ManyFiles, make_filter: Callable[[ManyFiles], str | None]) -> Scenario:
    prepare = partial(_prepare, table, make_filter)
    return Scenario(name, about, lambda scale: str(table.scaled(scale)), prepare, group="planning")


def _sorted_part(table: ManyFiles) -> str:
    """Return a filter on the sorted column that one file in a hundred can match."""
    start = table.files // 2 * table.rows
    return f"c2 >= {start} and c2 < {start + max(1, table.files // 100) * table.rows}"


_PLAN_20 = ManyFiles(20_000, 20, 1000, partitions=20)
_PLAN_200 = ManyFiles(20_000, 200, 1000, partitions=20, statistics=200)

SCENARIOS = (
    _scenario("plan-20", "Plan all of 20,000 files with statistics of 20 columns, cold.", _PLAN_20, lambda table: None),
    _scenario(
        "plan-200", "Plan all of 20,000 files with statistics of 200 columns, cold.", _PLAN_200, lambda table: None
    ),
    _scenario(
        "plan-20-filtered",
        "The same table of 20 columns, with a filter on bounds that one file in a hundred can match.",
        replace(_PLAN_20, partitions=0),
        _sorted_part,
    ),
    _scenario(
        "plan-20-partition",
        "The same, with a filter that one partition in twenty can match.",
        _PLAN_20,
        lambda table: "c1 = 3",
    ),
    _scenario(
        "plan-200-filtered",
        "The table of 200 columns, with a filter on bounds that one file in a hundred can match.",
        replace(_PLAN_200, partitions=0),
        _sorted_part,
    ),
)
