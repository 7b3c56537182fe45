"""The check of a schema change on a table's old files, before anything is committed; and the audit of a table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from projector.api.table import Table, load_table
from projector.check.change.proposal import Proposal
from projector.check.level import Level
from projector.check.progress import Progress
from projector.check.report.policy import Compatibility
from projector.check.report.report import Report
from projector.check.report.suppressions import Suppression
from projector.evolution.updates.transaction import Transaction
from projector.evolution.updates.update_schema import UpdateSchema

if TYPE_CHECKING:
    from projector.api.check_request import SchemaLike


def check(
    table: Table | str | os.PathLike[str],
    update: UpdateSchema | Transaction | Proposal | str | None = None,
    *,
    sql: str | None = None,
    schema: SchemaLike | None = None,
    dialect: str = "spark",
    level: str | Level = "footers",
    compatibility: str | Compatibility = "backward-transitive",
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    suppressions: Iterable[Suppression] = (),
    engines: Iterable[str] = (),
    sample: int | None = None,
    sample_rows: int | None = None,
    all_columns: bool = False,
    queries: Mapping[str, str] | None = None,
    query_tables: Mapping[str, Table] | None = None,
    sql_file: str | None = None,
    any_table: bool = False,
    cache: bool = True,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Say what a change would do to the data that is there; without a change, audit the table as it stands.

    Reads only; nothing is written or committed. What cannot be applied is a finding, not an error.

    Parameters
    ----------
    table:
        A table, or where it is.
    update, sql, schema:
        The change, one of them: recorded operations or a transaction of several updates; `ALTER TABLE` statements,
        which may also be given as `update`; the schema that is wanted, as a `Schema`, its spec JSON, an Arrow schema,
        or the path of a file with one.
    dialect:
        Of the SQL: `spark`, `trino` or `duckdb`.
    level:
        `schema` opens no data file, `footers` reads the footers of all live ones, `values` reads values too.
    compatibility:
        `backward-transitive`: the new schema reads the files of every retained snapshot. `backward`: those of the
        current snapshot. `forward`, `full` and their `-transitive` forms ask the old schema to read new data (too).
        `none`: only what cannot be applied counts.
    select, ignore:
        Prefixes of the codes to report, and of those to leave out (`ALL` for all).
    suppressions:
        Findings that somebody has decided to live with.
    engines:
        The readers whose troubles count, of `spark`, `trino`, `duckdb`, `polars`, `pyiceberg`; all unless given.
        At level `values` Arrow reads, and those of these that projector has an engine for; each is compared with the
        row oracle.
    sample, sample_rows:
        At level `values`: how many files of each kind are read at most, or whole files, the smallest first, until they
        have so many rows; all unless given. A kind is a shape, a partition spec, and the kinds of deletes that apply.
    all_columns:
        At level `values`: whether to read columns that the change cannot alter, too. An audit reads all columns.
    queries:
        Downstream queries by their names: each is run over the current snapshot before and after, through DuckDB. They
        know the table as `t`, and by its own last name. One that does not run before is a finding.
    query_tables:
        Further tables by the names that the queries have for them.
    sql_file:
        Name of the file that the SQL came from, for the report.
    any_table:
        Whether the SQL may name any table. Unless allowed it names `t`, or the table by its own last name or its name
        in the catalog.
    cache:
        Whether what files, manifests and manifest lists say is kept on disk (in PROJECTOR_CACHE_DIR, or the user's
        folder of caches), so that those that were read once and have not changed are not opened again.
    executor:
        Where footers and values are read, unless in this process: any `concurrent.futures.Executor`, of threads,
        processes (at level `values` spawned ones) or a cluster, such as Dask's `Client.get_executor()`.
    progress:
        Called, in this thread, after each portion of work with how far the check has come.

    Raises
    ------
    ParseError
        SQL, or a schema, that is not understood; SQL for another table.
    NotFoundError, CorruptFileError, InvalidMetadataError, UnsupportedError
        A table that cannot be read.
    ExhaustedError, StoreError
        The machine or the store, and no file, is at fault while values are read.
    UnsupportedError
        A level, a compatibility, an engine or a prefix of codes that there is not; forked processes for values.
    """
    return _loaded(table).check(
        update,
        sql=sql,
        schema=schema,
        dialect=dialect,
        level=level,
        compatibility=compatibility,
        select=select,
        ignore=ignore,
        suppressions=suppressions,
        engines=engines,
        sample=sample,
        sample_rows=sample_rows,
        all_columns=all_columns,
        queries=queries,
        query_tables=query_tables,
        sql_file=sql_file,
        any_table=any_table,
        cache=cache,
        executor=executor,
        progress=progress,
    )


def audit(
    table: Table | str | os.PathLike[str],
    *,
    level: str | Level = "footers",
    compatibility: str | Compatibility = "backward-transitive",
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    suppressions: Iterable[Suppression] = (),
    engines: Iterable[str] = (),
    sample: int | None = None,
    sample_rows: int | None = None,
    cache: bool = True,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Say what there is to say of a table as it stands: its metadata, and the live files of its snapshots.

    Reads only. The parameters and errors are those of `check`; in the report of an audit every finding decides.
    """
    return _loaded(table).audit(
        level=level,
        compatibility=compatibility,
        select=select,
        ignore=ignore,
        suppressions=suppressions,
        engines=engines,
        sample=sample,
        sample_rows=sample_rows,
        cache=cache,
        executor=executor,
        progress=progress,
    )


def _loaded(table: Table | str | os.PathLike[str]) -> Table:
    return table if isinstance(table, Table) else load_table(table)
