"""Check a schema change against a table's old files before it is committed, or audit a table."""

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
    """Report what a change would do to the existing data; without a change, audit the table as it is.

    Reads only; nothing is written or committed. A change that cannot be applied is a finding, not an error.

    Parameters
    ----------
    table:
        A table, or its location.
    update, sql, schema:
        The change, as one of them: recorded operations or a transaction of several updates; `ALTER TABLE` statements,
        which may also be given as `update`; or the desired schema as a `Schema`, its spec JSON, an Arrow schema, or the
        path of a file that holds one.
    dialect:
        The dialect of the SQL: `spark`, `trino` or `duckdb`.
    level:
        `schema` opens no data file, `footers` reads the footers of all live files, `values` also reads values.
    compatibility:
        `backward-transitive`: the new schema must read the files of every retained snapshot. `backward`: those of the
        current snapshot. `forward`: the old schema must read new data. `full`: both. `forward-transitive` and
        `full-transitive` ask it of every retained snapshot. `none`: only changes that cannot be applied count.
    select, ignore:
        Prefixes of the codes to report, and of those to leave out (`ALL` for all).
    suppressions:
        Findings to accept, each with a reason.
    engines:
        The readers to consider, of `spark`, `trino`, `duckdb`, `polars`, `pyiceberg`; all by default. At level
        `values`,
        Arrow and those of them that projector has an executor for read the files; each is compared with the row oracle.
    sample, sample_rows:
        At level `values`: the most files of each kind to read, or whole files, the smallest first, until they have that
        many rows; all by default. A kind is a shape, a partition spec, and the kinds of deletes that apply.
    all_columns:
        At level `values`: also read columns that the change cannot alter. An audit reads all columns.
    queries:
        Downstream queries by name. Each runs in DuckDB over the current snapshot before and after the change. Queries
        call the table `t`, or by its own last name. A query that fails before the change is a finding.
    query_tables:
        Further tables, by the names that the queries use.
    sql_file:
        The name of the file that the SQL came from, for the report.
    any_table:
        Let the SQL name any table. By default it must name `t`, the table's own last name, or its name in the catalog.
    cache:
        Store facts about files, manifests and manifest lists on disk (in PROJECTOR_CACHE_DIR, or the user's cache
        folder),
        so that unchanged ones are not opened again.
    executor:
        Where footers and values are read, instead of in this process: a `concurrent.futures.Executor` of threads, of
        processes (at level `values` spawned ones), or of a cluster, such as Dask's `Client.get_executor()`.
    progress:
        Called in this thread after each portion of work, with the progress of the check.

    Raises
    ------
    ParseError
        SQL or a schema that cannot be parsed; SQL that names another table.
    NotFoundError, CorruptFileError, InvalidMetadataError, UnsupportedError
        The table cannot be read.
    ExhaustedError, StoreError
        While values are read, the machine or the store fails, not a file.
    UnsupportedError
        An unknown level, compatibility, engine or prefix of codes; forked processes at level `values`.
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
    """Audit a table as it is: its metadata, and the live files of its snapshots.

    Reads only. The parameters and errors are those of `check`. In the report of an audit every finding decides.
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
