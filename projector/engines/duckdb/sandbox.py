"""A DuckDB database that runs users' queries: it sees only the views that it is given, and only reads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from projector.engines.duckdb.view import shut
from projector.errors import UnsupportedError

if TYPE_CHECKING:
    import duckdb


def closed_database(
    make_views: Callable[[duckdb.DuckDBPyConnection, list[str]], None], config: Mapping[str, str | int] | None = None
) -> duckdb.DuckDBPyConnection:
    """Return an in-memory database, time zone UTC, that opens only the files of its views, and no network connection.

    Parameters
    ----------
    make_views:
        Makes the views, and appends the paths that DuckDB opens for them to a list.
    config:
        Settings of DuckDB. Queries cannot change them.
    """
    import duckdb

    connection = duckdb.connect(config=dict(config or {}))
    connection.execute("SET TimeZone = 'UTC'")
    paths: list[str] = []
    make_views(connection, paths)
    shut(connection, paths)
    return connection


def run_query(
    connection: duckdb.DuckDBPyConnection, sql: str, kinds: Collection[str] = ("SELECT", "EXPLAIN")
) -> duckdb.DuckDBPyRelation:
    """Return the relation of a query, one statement. Raises `UnsupportedError` for another kind, and `duckdb.Error`."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1 or statements[0].type.name not in kinds:
        raise UnsupportedError("Cannot run this: a query is one statement that only reads", hint="give one SELECT")
    return connection.sql(sql)
