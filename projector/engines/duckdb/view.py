"""Create a view of a scan on a DuckDB connection."""

from __future__ import annotations

import hashlib
import itertools
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

from projector.engines.duckdb.maps import AS_MAPS
from projector.engines.duckdb.scan import PreparedScan, prepare
from projector.engines.duckdb.storage import local_path
from projector.engines.duckdb.types import column_types, duckdb_names, identifier, text
from projector.errors import ProjectorError, ProjectorWarning, UnsupportedError
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest

if TYPE_CHECKING:
    import duckdb

_NO_LIMIT = 2**63 - 1
_numbers = itertools.count()


def make_view(
    files: Iterable[ProjectedFile],
    request: ScanRequest,
    name: str,
    connection: duckdb.DuckDBPyConnection | None = None,
    limit: int | None = None,
    paths: list[str] | None = None,
) -> duckdb.DuckDBPyConnection:
    """Create or replace a temporary view of a scan's rows, and return its connection.

    Parameters
    ----------
    name:
        The view's name, taken literally.
    connection:
        The connection to create it on. By default a new in-memory database, with time zone UTC.
    limit:
        The most rows that the view returns.
    paths:
        A list to which the paths that DuckDB opens for the view are appended, as the view spells them and resolved.

    Raises
    ------
    ProjectionError
        The first file that cannot be read under the schema.
    UnsupportedError
        DuckDB cannot make a view of the scan: a variant column, or no column at all.
    """
    import duckdb

    if not name or "\0" in name:
        raise ProjectorError(f"Invalid name of a view: {name!r}")
    if not request.schema.fields:
        raise UnsupportedError("Cannot make a DuckDB view without columns", hint="select at least one")
    _warn_of_names(request)
    is_new = connection is None
    if connection is None:
        connection = duckdb.connect()
        connection.execute("SET TimeZone = 'UTC'")
    family = f"projector {hashlib.sha256(name.lower().encode()).hexdigest()[:16]}"
    prefix = f"{family} {next(_numbers)}"
    prepared = prepare(files, request, connection, prefix, AS_MAPS, local_only=paths is not None)
    if prepared.rest:
        from projector.engines.duckdb.dataset import ScanDataset  # pyarrow.dataset alone takes 50 MB

        connection.register(f"{prefix} rest", ScanDataset(prepared.rest, request))
    try:
        connection.execute(f"CREATE OR REPLACE TEMP VIEW {identifier(name)} AS {_select(prepared, prefix, limit)}")
    except duckdb.Error as error:
        _drop(connection, f"{prefix} ", "")
        said = " ".join(str(error).split())
        raise UnsupportedError(f"DuckDB cannot make the view {name!r}: {said}") from None
    if not is_new:
        _drop(connection, f"{family} ", f"{prefix} ")
    if paths is not None:
        for made in prepared.branches:
            paths += made.group.paths
            paths += [local_path(file.task.location) for file in made.group.files]
    return connection


def shut(connection: duckdb.DuckDBPyConnection, paths: list[str]) -> None:
    """Limit a connection for good to some paths; it no longer sees Python objects of this process either."""
    connection.execute(f"SET allowed_paths = [{', '.join(map(text, paths))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET lock_configuration = true")


def _select(prepared: PreparedScan, prefix: str, limit: int | None) -> str:
    fields = prepared.request.schema.fields
    kinds = column_types(prepared.request.schema)
    selects = [b.select for b in prepared.branches]
    if prepared.rest:
        # This limit, above any row count, keeps DuckDB from pushing filters into Arrow, where NaN compares differently.
        fed = f"SELECT * FROM {identifier(f'{prefix} rest')} LIMIT {_NO_LIMIT}"
        selects.append(
            f"SELECT {', '.join(f'CAST(c{i} AS {kind}) AS c{i}' for i, kind in enumerate(kinds))} FROM ({fed})"
        )
    if not selects:
        selects.append(
            f"SELECT {', '.join(f'CAST(NULL AS {kind}) AS c{i}' for i, kind in enumerate(kinds))} WHERE false"
        )
    columns = ", ".join(f"c{i} AS {identifier(name)}" for i, name in enumerate(duckdb_names(fields)))
    limited = "" if limit is None else f" LIMIT {max(limit, 0)}"
    return f"SELECT {columns} FROM ({' UNION ALL '.join(selects)}){limited}"


def _warn_of_names(request: ScanRequest) -> None:
    names = [f.name for f in request.schema.fields]
    for name, there in zip(names, duckdb_names(request.schema.fields), strict=True):
        if name != there:
            text = f"Column {name!r} is {there!r} in the view: DuckDB does not tell names apart by case"
            warnings.warn(text, ProjectorWarning, stacklevel=4)


def _drop(connection: duckdb.DuckDBPyConnection, begin: str, but: str) -> None:
    """Drop the tables and registered datasets of a replaced view."""
    kept = "AND NOT starts_with({0}, ?)" if but else "AND ? = ''"
    for kind, source, column in (("TABLE", "duckdb_tables()", "table_name"), ("VIEW", "duckdb_views()", "view_name")):
        query = f"SELECT {column} FROM {source} WHERE temporary AND starts_with({column}, ?) {kept.format(column)}"
        for (found,) in connection.execute(query, [begin, but]).fetchall():
            if kind == "TABLE":
                connection.execute(f"DROP TABLE IF EXISTS temp.{identifier(found)}")
            else:
                connection.unregister(found)
