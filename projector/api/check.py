"""The check of a schema change on a table's old files, before anything is committed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from projector.api.sql_names import sql_names
from projector.api.table import Table, load_table
from projector.check.change.proposal import Proposal, from_schema, from_sql
from projector.check.check import Settings, check_table
from projector.check.kit.rule import Level
from projector.check.portability import ALL_ENGINES, engines_of
from projector.check.progress import Progress
from projector.check.report.policy import Compatibility
from projector.check.report.report import Report
from projector.check.report.suppressions import Suppression, matches
from projector.check.rules import all_rules
from projector.check.values.sampling import SampleSize
from projector.errors import NotFoundError, ProjectorError, UnsupportedError
from projector.evolution.diff.schema_sources import SchemaSource, load_schema, source_from_arrow
from projector.evolution.updates.transaction import Transaction
from projector.evolution.updates.update_schema import UpdateSchema
from projector.files.shapes.cache import default_cache
from projector.planning.scan.arguments import optional_number
from projector.planning.scan.source import SnapshotSource
from projector.schema.schema import Schema
from projector.schema.type_json import MAX_INT

if TYPE_CHECKING:
    from typing import TypeAlias

    import pyarrow as pa

    SchemaLike: TypeAlias = "Schema | pa.Schema | str | Mapping[str, Any] | os.PathLike[str]"


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
    if sum(given is not None for given in (update, sql, schema)) > 1:
        raise ProjectorError("Cannot check several proposals at once", hint="give one of update, sql and schema")
    if isinstance(update, str):
        update, sql = None, update
    if not isinstance(table, Table):
        table = load_table(table)
    proposal: Proposal | None = None
    metadata = table.metadata
    if sql is not None:
        names = () if any_table else sql_names(table)
        proposal = from_sql(sql, dialect, metadata, sql_file, table_names=names)
    elif update is not None:
        proposal = update if isinstance(update, Proposal) else Proposal(update)
    elif schema is not None:
        proposal = from_schema(_source(schema), metadata.current_schema, metadata.format_version)
    settings = Settings(
        _level(level),
        _compatibility(compatibility),
        _codes(select),
        _codes(ignore),
        tuple(suppressions),
        engines_of(engines) or ALL_ENGINES,
        SampleSize(optional_number("sample", sample, 1), optional_number("sample_rows", sample_rows, 1)),
        all_columns,
        dict(queries or {}),
        {name: _source_of(other) for name, other in (query_tables or {}).items()},
        default_cache() if cache else None,
        executor,
        progress,
    )
    return check_table(metadata, table._storage, table._resolver, proposal, settings)


def _source_of(table: Table) -> SnapshotSource:
    metadata = table.metadata
    return SnapshotSource(metadata, metadata.current_snapshot, table.schema(), table._storage, table._resolver)


def _level(level: str | Level) -> Level:
    try:
        return Level.of(level)
    except KeyError:
        raise UnsupportedError(f"Unknown level: {level!r}", hint="choose schema, footers or values") from None


def _codes(prefixes: Iterable[str]) -> tuple[str, ...]:
    """Prefixes of codes; one that no rule's code begins with is a slip, which must not make a check pass."""
    given = tuple(prefixes)
    for prefix in given:
        if not any(matches(code, (prefix,)) for code in all_rules()):
            raise UnsupportedError(
                f"No rule has a code that begins with {prefix!r}", hint="`projector rules` lists them"
            )
    return given


def _compatibility(compatibility: str) -> Compatibility:
    try:
        return Compatibility(compatibility)
    except ValueError:
        known = ", ".join(Compatibility)
        raise UnsupportedError(f"Unknown compatibility: {compatibility!r}", hint=f"choose one of: {known}") from None


def _source(schema: SchemaLike) -> SchemaSource:
    match schema:
        case Schema():
            return SchemaSource("schema", "schema", schema)
        case Mapping():
            return SchemaSource("schema", "schema", Schema.from_json(schema, MAX_INT))
        case str() if schema.lstrip().startswith("{"):
            return SchemaSource("schema", "schema", Schema.from_json(schema, MAX_INT))
        case str() | os.PathLike():
            try:
                return load_schema(os.fspath(schema))
            except NotFoundError as error:
                raise NotFoundError(f"There is no schema at {os.fspath(schema)}", hint=error.hint) from None
    return source_from_arrow(schema)
