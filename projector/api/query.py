"""SQL over tables under their evolved schemas, in DuckDB or Polars. Queries read, and read nothing but the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from projector.api.query_needs import Needs, needs
from projector.api.query_text import QueryText, parse_query
from projector.api.scan import Scan
from projector.api.table import Table
from projector.errors import ProjectorError, UnsupportedError
from projector.planning.scan_request import DEFAULT_BATCH_SIZE

if TYPE_CHECKING:
    import pyarrow as pa


def query(sql: str, tables: Mapping[str, Table], *, engine: str = "duckdb") -> pa.RecordBatchReader:
    """Run a query over tables, and give its rows as a stream of batches in the engine's own types.

    Parameters
    ----------
    sql:
        One SELECT, VALUES, or EXPLAIN of one, in the dialect of the engine. It names the tables by the keys of
        `tables`, without regard to case. Of each table only the columns are read that it mentions. What its WHERE says
        of one table's columns alone decides, with the table's manifests, which files are opened.
    tables:
        The tables by their names in the query.
    engine:
        `duckdb` or `polars`. DuckDB's own access to files and settings is shut off before the query is seen.

    Raises
    ------
    ParseError, UnsupportedError, NotFoundError
        For text that is not one query, that does something else than read, or names a table that there is not.
    ProjectorError
        For whatever the engine does not take, or fails at; at once, or while batches are drawn.
    """
    run = {"duckdb": _with_duckdb, "polars": _with_polars}.get(engine)
    if run is None:
        raise UnsupportedError(f"Cannot query with engine {engine!r}", hint="choose duckdb or polars")
    by_name = {name.lower(): table for name, table in tables.items()}
    parsed = parse_query(sql, tables)
    return run(parsed, {name: by_name[name] for name in sorted(parsed.tables)})


def _scan(table: Table, need: Needs) -> Scan:
    selected = ("*",) if need.columns is None else tuple((column,) for column in need.columns)
    return table.scan(need.row_filter, selected)


def _with_duckdb(parsed: QueryText, tables: Mapping[str, Table]) -> pa.RecordBatchReader:
    import duckdb

    from projector.engines.duckdb_query import closed_database, run_query

    def make_views(connection: duckdb.DuckDBPyConnection, paths: list[str]) -> None:
        for name, table in tables.items():
            _scan(table, needs(parsed, name, table.schema()))._make_view(name, connection, paths)

    connection = closed_database(make_views)

    def start() -> pa.RecordBatchReader:
        return run_query(connection, parsed.sql).to_arrow_reader(DEFAULT_BATCH_SIZE)

    # The connection ends with the reader, which keeps it.
    return _named("DuckDB", start, (duckdb.Error, OSError), connection)


def _with_polars(parsed: QueryText, tables: Mapping[str, Table]) -> pa.RecordBatchReader:
    import polars as pl

    def start() -> pa.RecordBatchReader:
        frames = {name: table.scan().to_lazy() for name, table in tables.items()}
        frame = pl.SQLContext(frames=frames).execute(parsed.sql, eager=False).collect()
        return frame.to_arrow(compat_level=pl.CompatLevel.oldest()).to_reader(DEFAULT_BATCH_SIZE)

    return _named("Polars", start, (pl.exceptions.PolarsError, pl.exceptions.PanicException), None)


def _named(
    engine: str,
    start: Callable[[], pa.RecordBatchReader],
    errors: tuple[type[BaseException], ...],
    kept: Any,
) -> pa.RecordBatchReader:
    """A reader whose errors are those of this library, in one line."""
    import pyarrow as pa

    def told(error: BaseException) -> BaseException:
        if type(error).__name__ == "InterruptException":  # what DuckDB makes of Ctrl-C
            return KeyboardInterrupt()
        return ProjectorError(f"{engine}: {' '.join(str(error).split())}")

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
