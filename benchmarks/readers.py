"""The runners of the reads: each reads a table, or the raw copy beside it, and gives rows and a sum to compare by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Bounds = tuple[int, int]
Outcome = tuple[int, int]


@dataclass(frozen=True)
class Reader:
    """A runner of the reads.

    Parameters
    ----------
    run:
        `run(folder, query, bounds)`; the folder holds `table` and `raw`.
    limit:
        The raw scan that bounds it from below; None for a raw scan.
    package:
        What must be installed, beside our own dependencies.
    """

    name: str
    run: Callable[[Path, str, Bounds], Outcome]
    limit: str | None = None
    package: str | None = None


def _filter(query: str, bounds: Bounds) -> str | None:
    return None if query in ("full", "sum") else f"{query} >= {bounds[0]} and {query} < {bounds[1]}"


def _metadata_file(folder: Path) -> str:
    files = (folder / "table" / "metadata").glob("v*.metadata.json")
    return str(max(files, key=lambda path: int(path.name.split(".")[0][1:])))


def _of_arrow(table: Any) -> Outcome:
    import pyarrow.compute as pc

    return table.num_rows, pc.sum(table["amount"]).as_py()


def _of_polars(frame: Any) -> Outcome:
    return frame.height, frame["amount"].sum()


def _raw_files(folder: Path) -> list[str]:
    return [str(path) for path in sorted((folder / "raw").iterdir())]


# ---------------------------------------------------------------------------------------------------------------- Arrow


def raw_arrow(folder: Path, query: str, bounds: Bounds) -> Outcome:
    import pyarrow.dataset as ds

    files = _raw_files(folder)
    columns = ["amount"] if query == "sum" else None
    where = None
    if _filter(query, bounds):
        where = (ds.field(query) >= bounds[0]) & (ds.field(query) < bounds[1])
    return _of_arrow(ds.dataset(files).to_table(columns=columns, filter=where))


def ours_arrow(folder: Path, query: str, bounds: Bounds) -> Outcome:
    import projector

    fields = ("amount",) if query == "sum" else ("*",)
    table = projector.load_table(folder / "table")
    return _of_arrow(table.scan(_filter(query, bounds), fields).to_arrow())


def pyiceberg(folder: Path, query: str, bounds: Bounds) -> Outcome:
    from pyiceberg.table import StaticTable

    table = StaticTable.from_metadata(_metadata_file(folder))
    fields = ("amount",) if query == "sum" else ("*",)
    where = _filter(query, bounds)
    scan = table.scan(where, selected_fields=fields) if where else table.scan(selected_fields=fields)
    return _of_arrow(scan.to_arrow())


def daft(folder: Path, query: str, bounds: Bounds) -> Outcome:
    import daft
    from pyiceberg.table import StaticTable

    frame = daft.read_iceberg(StaticTable.from_metadata(_metadata_file(folder)))
    if query == "sum":
        frame = frame.select("amount")
    elif _filter(query, bounds):
        frame = frame.where((daft.col(query) >= bounds[0]) & (daft.col(query) < bounds[1]))
    return _of_arrow(frame.to_arrow())


# --------------------------------------------------------------------------------------------------------------- Polars


def _polars(frame: Any, query: str, bounds: Bounds) -> Outcome:
    import polars as pl

    if query == "sum":
        frame = frame.select("amount")
    elif _filter(query, bounds):
        frame = frame.filter((pl.col(query) >= bounds[0]) & (pl.col(query) < bounds[1]))
    return _of_polars(frame.collect())


def raw_polars(folder: Path, query: str, bounds: Bounds) -> Outcome:
    import polars as pl

    return _polars(pl.scan_parquet(_raw_files(folder)), query, bounds)


def ours_polars(folder: Path, query: str, bounds: Bounds) -> Outcome:
    import projector

    return _polars(projector.load_table(folder / "table").scan().to_lazy(), query, bounds)


def polars_scan_iceberg(folder: Path, query: str, bounds: Bounds) -> Outcome:
    import polars as pl

    return _polars(pl.scan_iceberg(_metadata_file(folder)), query, bounds)


# --------------------------------------------------------------------------------------------------------------- DuckDB


def _duckdb(connection: Any, query: str, bounds: Bounds) -> Outcome:
    columns, where = ("amount" if query == "sum" else "*"), _filter(query, bounds)
    relation = connection.sql(f"SELECT {columns} FROM t{f' WHERE {where}' if where else ''}")
    return _of_arrow(relation.to_arrow_table())


def raw_duckdb(folder: Path, query: str, bounds: Bounds) -> Outcome:
    import duckdb

    connection = duckdb.connect()
    connection.read_parquet(_raw_files(folder)).create_view("t")
    return _duckdb(connection, query, bounds)


def ours_duckdb(folder: Path, query: str, bounds: Bounds) -> Outcome:
    import projector

    # A view is made before it is queried, so what decides about files goes to the scan.
    scan = projector.load_table(folder / "table").scan(_filter(query, bounds))
    return _duckdb(scan.to_duckdb("t"), query, bounds)


def duckdb_extension(folder: Path, query: str, bounds: Bounds) -> Outcome:
    import duckdb

    connection = duckdb.connect()
    connection.execute("LOAD iceberg")  # must be installed already: nothing is downloaded here
    connection.from_query(f"FROM iceberg_scan('{_metadata_file(folder)}')").create_view("t")
    return _duckdb(connection, query, bounds)


READERS = (
    Reader("raw-arrow", raw_arrow),
    Reader("projector-arrow", ours_arrow, "raw-arrow"),
    Reader("pyiceberg", pyiceberg, "raw-arrow", "pyiceberg"),
    Reader("daft", daft, "raw-arrow", "daft"),
    Reader("raw-polars", raw_polars),
    Reader("projector-polars", ours_polars, "raw-polars"),
    Reader("polars-scan_iceberg", polars_scan_iceberg, "raw-polars", "pyiceberg"),
    Reader("raw-duckdb", raw_duckdb),
    Reader("projector-duckdb", ours_duckdb, "raw-duckdb"),
    Reader("duckdb-iceberg", duckdb_extension, "raw-duckdb"),
)
