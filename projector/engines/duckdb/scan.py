"""The DuckDB executor: one SELECT for each group of files, filters and columns pushed into DuckDB's own reader.

If DuckDB fails, because of a value that does not fit or a file that contradicts its footer, its message is not shown:
the Arrow executor reads the same files again, and either returns the rows or names the value and the file at fault.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa

from projector.engines.arrow import scan as arrow_scan
from projector.engines.arrow.conform import conform_batch
from projector.engines.arrow.delete_files import DeleteReader
from projector.engines.arrow.project import make_batch
from projector.engines.common.support import NotLowered
from projector.engines.duckdb.groups import group_files
from projector.engines.duckdb.maps import IN_PARTS, MapForm
from projector.engines.duckdb.secrets import paths_on
from projector.engines.duckdb.select import Branch, branch
from projector.engines.duckdb.types import column_types, identifier
from projector.engines.errors import check_row_count
from projector.engines.fallback import skip_rows
from projector.errors import UnsupportedError
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest
from projector.schema.arrow_schema import arrow_schema

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, eq=False)
class PreparedScan:
    """A scan prepared for DuckDB: the branches that it reads, the files left to the Arrow executor, and all files."""

    request: ScanRequest
    branches: list[Branch]
    rest: list[ProjectedFile]
    files: list[ProjectedFile]

    @property
    def duckdb_files(self) -> list[ProjectedFile]:
        """The files that DuckDB reads, in the order of their rows."""
        return list(chain.from_iterable(b.group.files for b in self.branches))

    @property
    def sql(self) -> str:
        """The query for all rows that DuckDB reads."""
        return " UNION ALL ".join(b.select for b in self.branches)

    @property
    def keeps_order(self) -> bool:
        """Whether DuckDB returns the rows in the order of the files; joins do not guarantee it."""
        return not any(b.tables for b in self.branches)


def prepare(
    files: Iterable[ProjectedFile],
    request: ScanRequest,
    connection: duckdb.DuckDBPyConnection,
    prefix: str,
    maps: MapForm,
    *,
    local_only: bool = False,
) -> PreparedScan:
    """Group the files of a scan, build the SELECT of each group, and create the tables that it joins.

    `maps` is the form of maps. With `local_only` DuckDB itself reads nothing from object stores.
    """
    column_types(request.schema)
    grouped = group_files(files, request, paths_on(connection, request.storage.properties, local_only))
    branches: list[Branch] = []
    rest = grouped.rest
    deletes = DeleteReader(request)
    for group in grouped.groups:
        try:
            made = branch(group, request, deletes, f"{prefix} {len(branches)}", maps)
        except NotLowered:
            rest.extend(group.files)
            continue
        for name, table in made.tables.items():
            make_table(connection, name, table)
        if made.is_seen(connection):
            branches.append(made)
        else:
            rest.extend(group.files)
    return PreparedScan(request, branches, rest, grouped.files)


def make_table(connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    """Create a temporary table from an Arrow table."""
    connection.register("projector arrow", table)
    try:
        connection.execute(f'CREATE OR REPLACE TEMP TABLE {identifier(name)} AS SELECT * FROM "projector arrow"')
    finally:
        connection.unregister("projector arrow")


_bases: dict[int, duckdb.DuckDBPyConnection] = {}


def own_connection() -> duckdb.DuckDBPyConnection:
    """Return a new connection to an in-memory database that all scans of the process share.

    The database's name holds the process id: a forked process would otherwise reuse its parent's, whose threads it
    does not have.
    """
    import duckdb

    process = os.getpid()
    base = _bases.get(process)
    if base is None:
        base = _bases[process] = duckdb.connect(
            f":memory:projector {process}",
            config={"arrow_lossless_conversion": "true", "python_enable_replacements": "false"},
        )
    connection = base.cursor()
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def scan_batches(files: Iterable[ProjectedFile], request: ScanRequest, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a scan, group by group. See `engines.arrow.scan.scan_batches`."""
    import duckdb

    schema = arrow_schema(request.schema)
    connection = own_connection()
    try:
        prepared = prepare(files, request, connection, "projector", IN_PARTS)
        given = 0
        if prepared.branches:
            try:
                for batch in connection.sql(prepared.sql).to_arrow_reader(batch_size):
                    for sized in _conformed(batch, schema, batch_size):
                        given += sized.num_rows
                        yield sized
                check_row_count("DuckDB", prepared.duckdb_files, request, given)
            except (duckdb.Error, pa.ArrowException, OSError) as error:
                if not given:  # read all files in order, so that the error names the first unreadable one
                    yield from arrow_scan.scan_batches(prepared.files, request, batch_size)
                    return
                yield from _again(prepared, given, batch_size, error)
        yield from arrow_scan.scan_batches(prepared.rest, request, batch_size)
    finally:
        connection.close()


def reads(file: ProjectedFile, request: ScanRequest) -> bool:
    """Return whether DuckDB reads a file itself; otherwise the Arrow executor does."""
    connection = own_connection()
    try:
        return not prepare((file,), request, connection, "projector", IN_PARTS).rest
    finally:
        connection.close()


def _conformed(batch: pa.RecordBatch, schema: pa.Schema, batch_size: int) -> Iterator[pa.RecordBatch]:
    for start in range(0, batch.num_rows, max(batch_size, 1)):
        part = batch.slice(start, batch_size)
        yield conform_batch(part, schema) if len(schema) else make_batch([], schema, part.num_rows)


def _again(prepared: PreparedScan, given: int, batch_size: int, error: Exception) -> Iterator[pa.RecordBatch]:
    """Yield the rows after the first `given` ones, read by the Arrow executor, whose errors name the value at fault."""
    batches = arrow_scan.scan_batches(prepared.duckdb_files, prepared.request, batch_size)
    if not prepared.keeps_order:
        for _ in batches:
            pass
        raise UnsupportedError(f"DuckDB failed: {' '.join(str(error).split())}", hint="read it with engine='arrow'")
    yield from skip_rows(batches, given)
