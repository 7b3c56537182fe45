"""A DuckDB that queries of users are run in: it sees some views and nothing else, and does nothing but read."""

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
    """An in-memory database, its time zone UTC, that opens no file but those of its views, and no connection.

    Parameters
    ----------
    make_views:
        Makes the views, and adds the paths that DuckDB opens for them to a list.
    config:
        Settings of DuckDB. No query can change any.
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
    """The relation of a query: one statement. Raises `UnsupportedError` for one of another kind, `duckdb.Error`."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1 or statements[0].type.name not in kinds:
        raise UnsupportedError("Cannot run this: queries only read", hint="give one SELECT")
    return connection.sql(sql)
