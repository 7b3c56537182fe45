"""Run SQL over tables under their evolved schemas, in DuckDB or Polars. Queries only read, and read only the tables."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from projector.api.query_needs import Needs, metadata_needs, needs
from projector.api.query_text import QueryText, parse_query
from projector.api.scan import Scan
from projector.api.table import Table
from projector.errors import NotFoundError, ProjectorError, UnsupportedError
from projector.planning.scan.request import DEFAULT_BATCH_SIZE

if TYPE_CHECKING:
    import pyarrow as pa


def query(sql: str, tables: Mapping[str, Table], *, engine: str = "duckdb") -> pa.RecordBatchReader:
    """Run a query over tables, and return its rows as a stream of batches in the engine's own types.

    Parameters
    ----------
    sql:
        One SELECT, VALUES, or EXPLAIN of one, in the dialect of the engine. It names the tables by the keys of
        `tables`,
        ignoring case. Of each table only the columns that it mentions are read, including metadata columns such as
        `_file` and `_pos`. Conditions of its WHERE on one table's columns alone, and the table's manifests, decide
        which
        files are opened.
    tables:
        The tables by their names in the query.
    engine:
        `duckdb` or `polars`. DuckDB's own access to files and settings is closed before it sees the query.

    Raises
    ------
    ParseError, UnsupportedError, NotFoundError
        The text is not one query, does something other than read, or names an unknown table.
    ProjectorError
        The engine rejects the query or fails; at once, or while batches are read.
    """
    run = {"duckdb": _with_duckdb, "polars": _with_polars}.get(engine)
    if run is None:
        raise UnsupportedError(f"Cannot query with engine {engine!r}", hint="choose duckdb or polars")
    by_name = {name.lower(): table for name, table in tables.items()}
    parsed = parse_query(sql, tables)
    return run(parsed, {name: by_name[name] for name in sorted(parsed.tables)})


def _scan(table: Table, need: Needs) -> Scan:
    return table.scan(need.row_filter, need.selected)


def _with_duckdb(parsed: QueryText, tables: Mapping[str, Table]) -> pa.RecordBatchReader:
    import duckdb

    from projector.engines.duckdb.sandbox import closed_database, run_query

    def make_views(connection: duckdb.DuckDBPyConnection, paths: list[str]) -> None:
        for name, table in tables.items():
            _scan(table, needs(parsed, name, table.schema()))._make_view(name, connection, paths)

    connection = closed_database(make_views)

    def start() -> pa.RecordBatchReader:
        return run_query(connection, parsed.sql).to_arrow_reader(DEFAULT_BATCH_SIZE)

    # The reader keeps the connection alive, and closes it when it ends.
    return _named("DuckDB", start, (duckdb.Error, OSError), connection, tables)


def _with_polars(parsed: QueryText, tables: Mapping[str, Table]) -> pa.RecordBatchReader:
    import polars as pl

    def start() -> pa.RecordBatchReader:
        frames = {
            name: table.scan(selected_fields=("*", *metadata_needs(parsed, table.schema()))).to_lazy()
            for name, table in tables.items()
        }
        frame = pl.SQLContext(frames=frames).execute(parsed.sql, eager=False).collect()
        return frame.to_arrow(compat_level=pl.CompatLevel.oldest()).to_reader(DEFAULT_BATCH_SIZE)

    return _named("Polars", start, (pl.exceptions.PolarsError, pl.exceptions.PanicException), None, tables)


_UNKNOWN_COLUMN = re.compile(
    r"(?:Referenced column|unable to find column) \"([^\"]*)\"|column '([^']*)' (?:not found|could not be resolved)"
)


def _near(name: str, tables: Mapping[str, Table]) -> str:
    """Return a hint for a column name that no table has."""
    columns = {f.name for table in tables.values() for f in table.schema().fields}
    close = difflib.get_close_matches(name.lower(), columns, n=3)
    if close:
        return f"did you mean {', '.join(close)}?"
    return f"the columns are {', '.join(sorted(columns)[:20])}"


def _named(
    engine: str,
    start: Callable[[], pa.RecordBatchReader],
    errors: tuple[type[BaseException], ...],
    kept: Any,
    tables: Mapping[str, Table],
) -> pa.RecordBatchReader:
    """Return a reader that raises this library's errors, with messages of one line."""
    import pyarrow as pa

    def told(error: BaseException) -> BaseException:
        if type(error).__name__ == "InterruptException":  # raised by DuckDB on Ctrl-C
            return KeyboardInterrupt()
        said = " ".join(str(error).split())
        unknown = _UNKNOWN_COLUMN.search(said)
        name = unknown and (unknown[1] or unknown[2])
        if not name or any(name == f.name for table in tables.values() for f in table.schema().fields):
            return ProjectorError(f"{engine}: {said}")
        return NotFoundError(f"No such column: {name}", hint=_near(name, tables))

    try:
        reader = start()
    except errors as error:
        raise told(error) from None

    def batches() -> Iterator[pa.RecordBatch]:
        alive = kept
        try:
            yield from reader
        except (*errors, pa.ArrowException) as error:
            raise told(error) from None
        finally:
            del alive

    return pa.RecordBatchReader.from_batches(reader.schema, batches())
