"""Check a change at level `values`, compared with pyarrow reading the same column twice."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import projector

from ..measuring import Runner
from ..memory import figures_of
from ..scenario import Prepared, Scenario, made_once, scaled
from ..tables.iceberg_files import TableFiles
from ..tables.metrics import metrics

GROUP_ROWS = 1_000_000
PROMOTE = "ALTER TABLE t ALTER COLUMN n TYPE bigint"
PROMOTE_NESTED = "ALTER TABLE t ALTER COLUMN st.x TYPE bigint"
ARROW_ALONE = ("spark",)
"""Readers without an engine in projector, so that only Arrow reads."""

_PEAK = """
import projector
projector.check(sys.argv[1], sql=sys.argv[2], level="values", cache=False, engines=json.loads(sys.argv[3]))
"""


@dataclass(frozen=True)
class ValuesTable:
    """A table of six columns, and optionally a nested one.

    Parameters
    ----------
    rows, files:
        The number of rows and files of the table. All files have equally many rows.
    """

    rows: int
    files: int = 1
    nested: bool = False

    def __str__(self) -> str:
        return f"{self.rows:,} rows in {self.files:,} files" + (", nested" if self.nested else "")

    @property
    def change(self) -> str:
        return PROMOTE_NESTED if self.nested else PROMOTE

    @property
    def column(self) -> str:
        return "st" if self.nested else "n"


def _fields(nested: bool) -> list[dict[str, Any]]:
    kinds: list[tuple[str, Any]] = [
        ("id", "long"), ("n", "int"), ("f", "double"), ("s", "string"), ("d", "date"), ("k", "int"),
    ]  # fmt: skip
    if nested:
        items = {"type": "list", "element-id": 10, "element": "int", "element-required": False}
        inner = [("x", "int"), ("l", items)]
        kinds.append(
            ("st", {"type": "struct", "fields": [
                {"id": 8 + i, "name": name, "type": kind, "required": False} for i, (name, kind) in enumerate(inner)
            ]})
        )  # fmt: skip
    return [{"id": i, "name": name, "type": kind, "required": False} for i, (name, kind) in enumerate(kinds, 1)]


def _rows(first: int, count: int, nested: bool, random: np.random.Generator) -> pa.Table:
    def field(name: str, kind: pa.DataType, field_id: int) -> pa.Field:
        return pa.field(name, kind, metadata={"PARQUET:field_id": str(field_id)})

    columns = [
        pa.array(np.arange(first, first + count)),
        pa.array(random.integers(-(2**31), 2**31 - 1, count, dtype=np.int32), mask=random.random(count) < 0.05),
        pa.array(random.random(count)),
        pa.array(random.integers(0, 10_000, count)).cast(pa.string()),
        pa.array(random.integers(0, 20_000, count, dtype=np.int32)).view(pa.date32()),
        pa.array(random.integers(0, 100, count, dtype=np.int32)),
    ]
    names = ["id", "n", "f", "s", "d", "k"]
    if nested:
        offsets = np.concatenate([[0], np.cumsum(random.integers(0, 4, count))]).astype(np.int32)
        values = pa.array(random.integers(0, 1000, int(offsets[-1]), dtype=np.int32))
        element = field("element", pa.int32(), 10)
        lists = pa.ListArray.from_arrays(pa.array(offsets), values).cast(pa.list_(element))
        x = pa.array(random.integers(0, 1000, count, dtype=np.int32))
        fields = [field("x", pa.int32(), 8), field("l", lists.type, 9)]
        columns.append(pa.StructArray.from_arrays([x, lists], fields=fields, mask=pa.array(random.random(count) < 0.1)))
        names.append("st")
    fields = [field(name, column.type, i) for i, (name, column) in enumerate(zip(names, columns, strict=True), 1)]
    return pa.table(columns, schema=pa.schema(fields))


def make(table: ValuesTable, folder: Path) -> None:
    """Write a table."""
    files = TableFiles(folder)
    files.evolve(_fields(table.nested))
    (folder / "data").mkdir()
    random = np.random.default_rng(7)
    files.append(list(_data_files(table, folder, files.location, random)))
    files.finish()


def _data_files(
    table: ValuesTable, folder: Path, location: str, random: np.random.Generator
) -> Iterator[Mapping[str, Any]]:
    each = table.rows // table.files
    for number in range(table.files):
        name = f"data/{number:05}.parquet"
        rows = _rows(number * each, each, table.nested, random)
        pq.write_table(rows, folder / name, row_group_size=GROUP_ROWS)
        yield {
            "content": 0,
            "file_path": f"{location}/{name}",
            "file_format": "PARQUET",
            "partition": {},
            "record_count": each,
            "file_size_in_bytes": (folder / name).stat().st_size,
            **metrics(rows),
        }


def ours(metadata_file: str, change: str, engines: tuple[str, ...]) -> int:
    report = projector.check(metadata_file, sql=change, level="values", cache=False, engines=engines)
    assert report.ok, report.findings
    return report.looked_at.values_rows


def pyarrow_twice(folder: Path, column: str) -> int:
    """Read a column of all files twice, as for the states before and after a change."""
    rows = 0
    for path in sorted(folder.iterdir()):
        before, after = (pq.ParquetFile(path).read(columns=[column]) for _ in range(2))
        rows += min(before.num_rows, after.num_rows)
    return rows


def _memory(metadata_file: str, change: str, engines: tuple[str, ...]) -> Mapping[str, object]:
    return figures_of("import json, sys\n" + _PEAK, metadata_file, change, str(list(engines)).replace("'", '"'))


def _prepare(table: ValuesTable, folder: Path, scale: float) -> Prepared:
    table = _scaled(table, scale)
    made = made_once(folder / f"values-{table.rows}-{table.files}-{int(table.nested)}", partial(make, table))
    metadata_file = str(made / "metadata" / "v1.metadata.json")
    os.environ["PROJECTOR_CACHE_DIR"] = str(folder / "cache")  # not that of the user
    found = {"pyarrow-twice": Runner(partial(pyarrow_twice, made / "data", table.column))}
    for name, engines in (("projector-arrow", ARROW_ALONE), ("projector-all-engines", ())):
        found[name] = Runner(
            partial(ours, metadata_file, table.change, engines),
            "pyarrow-twice",
            partial(_memory, metadata_file, table.change, engines),
        )
    return found


def _scaled(table: ValuesTable, scale: float) -> ValuesTable:
    files = scaled(table.files, scale) if table.files > 1 else 1
    rows = scaled(table.rows, scale)
    return replace(table, rows=rows // files * files, files=files)


def _scenario(name: str, about: str, table: ValuesTable, group: str, runs: int = 5) -> Scenario:
    return Scenario(name, about, lambda scale: str(_scaled(table, scale)), partial(_prepare, table), runs, group)


SCENARIOS = (
    _scenario(
        "check-values-large", "Compare the values of a promoted column, in one file of 5 million rows.",
        ValuesTable(5_000_000), "checks",
    ),
    _scenario(
        "check-values-files", "Compare the values of a promoted column, in 2,000 files of 1,000 rows.",
        ValuesTable(2_000_000, 2_000), "checks",
    ),
    _scenario(
        "check-values-nested", "Compare the values of a struct with a promoted child, in one file of 2 million rows.",
        ValuesTable(2_000_000, nested=True), "checks",
    ),
    *(
        _scenario(
            f"growth-values-{rows}", f"Compare the values of a promoted column of {rows:,} rows.",
            ValuesTable(rows, max(1, rows // 5_000_000)), "growth-values", 3,
        )
        for rows in (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
    ),
)  # fmt: skip
