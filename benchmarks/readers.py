"""The runners of the reads. Each reads a table, or its raw copy, and returns the row count and a sum to compare."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .queries import Question

Outcome = tuple[int, int]


@dataclass(frozen=True)
class Reader:
    """A runner of the reads.

    Parameters
    ----------
    run:
        `run(folder, question)`; the folder holds `table` and `raw`.
    limit:
        The raw scan of the same engine, its lower limit; None for a raw scan.
    package:
        A package that it needs, beyond our own dependencies.
    """

    name: str
    run: Callable[[Path, Question], Outcome]
    limit: str | None = None
    package: str | None = None


def metadata_file(folder: Path) -> str:
    """Return the current metadata file of a table."""
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


def raw_arrow(folder: Path, question: Question) -> Outcome:
    import pyarrow.dataset as ds

    where = None
    if question.column is not None:
        where = (ds.field(question.column) >= question.low) & (ds.field(question.column) < question.high)
    columns = None if question.columns is None else list(question.columns)
    return _of_arrow(ds.dataset(_raw_files(folder)).to_table(columns=columns, filter=where))


def ours_arrow(folder: Path, question: Question) -> Outcome:
    import projector

    table = projector.load_table(folder / "table")
    return _of_arrow(table.scan(question.condition, question.columns or ("*",)).to_arrow())


def pyiceberg(folder: Path, question: Question) -> Outcome:
    from pyiceberg.table import StaticTable

    table = StaticTable.from_metadata(metadata_file(folder))
    fields = question.columns or ("*",)
    where = question.condition
    scan = table.scan(where, selected_fields=fields) if where else table.scan(selected_fields=fields)
    return _of_arrow(scan.to_arrow())


def daft(folder: Path, question: Question) -> Outcome:
    import daft
    from pyiceberg.table import StaticTable

    frame = daft.read_iceberg(StaticTable.from_metadata(metadata_file(folder)))
    if question.column is not None:
        frame = frame.where((daft.col(question.column) >= question.low) & (daft.col(question.column) < question.high))
    if question.columns is not None:
        frame = frame.select(*question.columns)
    return _of_arrow(frame.to_arrow())


# --------------------------------------------------------------------------------------------------------------- Polars


def _polars(frame: Any, question: Question) -> Outcome:
    import polars as pl

    if question.column is not None:
        frame = frame.filter((pl.col(question.column) >= question.low) & (pl.col(question.column) < question.high))
    if question.columns is not None:
        frame = frame.select(question.columns)
    return _of_polars(frame.collect())


def raw_polars(folder: Path, question: Question) -> Outcome:
    import polars as pl

    return _polars(pl.scan_parquet(_raw_files(folder)), question)


def ours_polars(folder: Path, question: Question) -> Outcome:
    import projector

    return _polars(projector.load_table(folder / "table").scan().to_lazy(), question)


def polars_scan_iceberg(folder: Path, question: Question) -> Outcome:
    import polars as pl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the facts record who planned
        return _polars(pl.scan_iceberg(metadata_file(folder)), question)


# --------------------------------------------------------------------------------------------------------------- DuckDB


def _duckdb(connection: Any, question: Question) -> Outcome:
    columns, where = ", ".join(question.columns or ("*",)), question.condition
    relation = connection.sql(f"SELECT {columns} FROM t{f' WHERE {where}' if where else ''}")
    return _of_arrow(relation.to_arrow_table())


def raw_duckdb(folder: Path, question: Question) -> Outcome:
    import duckdb

    connection = duckdb.connect()
    connection.read_parquet(_raw_files(folder)).create_view("t")
    return _duckdb(connection, question)


def ours_duckdb(folder: Path, question: Question) -> Outcome:
    import projector

    # A view is created before it is queried, so the filter and the columns go to the scan.
    scan = projector.load_table(folder / "table").scan(question.condition, question.columns or ("*",))
    return _duckdb(scan.to_duckdb("t"), question)


def ours_duckdb_arrow(folder: Path, question: Question) -> Outcome:
    import projector

    table = projector.load_table(folder / "table")
    return _of_arrow(table.scan(question.condition, question.columns or ("*",)).to_arrow(engine="duckdb"))


def duckdb_extension(folder: Path, question: Question) -> Outcome:
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET autoinstall_known_extensions = false")  # it must be installed: never download here
    connection.execute("LOAD iceberg")
    connection.from_query(f"FROM iceberg_scan('{metadata_file(folder)}')").create_view("t")
    return _duckdb(connection, question)


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
    Reader("projector-duckdb-arrow", ours_duckdb_arrow, "raw-duckdb"),
    Reader("duckdb-iceberg", duckdb_extension, "raw-duckdb"),
)
