"""A table: its metadata as loaded, the location of its files, and the scans and changes that start from it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, overload

from projector.api.point_in_time import PointInTime, choose_point
from projector.api.scan import Scan
from projector.api.sql_names import sql_names
from projector.catalogs.catalog_table import CatalogTable
from projector.catalogs.commit import commit_to_catalog
from projector.catalogs.opening import open_from_catalog
from projector.check.evidence.find_live_files import find_live_files
from projector.check.evidence.footers import read_footers
from projector.errors import CorruptFileError, ProjectorError, ProjectorWarning
from projector.evolution.apply.name_mapping_update import (
    MappingProblem,
    check_name_mapping,
    proposed_name_mapping,
    repaired_name_mapping,
)
from projector.evolution.commit.filesystem import (
    Committed,
    CommittedUpdate,
    commit_schema_update,
    commit_transaction,
)
from projector.evolution.updates.blocks import Finish, TransactionContext, UpdateSortOrderContext, UpdateSpecContext
from projector.evolution.updates.pyiceberg_style import UpdateSchemaContext
from projector.evolution.updates.schema_commit import SchemaCommit, prepare_schema_update
from projector.evolution.updates.transaction import Transaction, TransactionCommit, Update, prepare_transaction
from projector.evolution.updates.update_schema import UpdateSchema
from projector.files.parquet.file_schema import FileSchema
from projector.files.storage.locations import PathResolver, join, relative_to
from projector.files.storage.storage import Storage
from projector.metadata.contradictions import id_above_last
from projector.metadata.loading import load_metadata
from projector.metadata.partitioning import PartitionSpec
from projector.metadata.snapshots import Snapshot, SnapshotRef
from projector.metadata.sort_order import SortOrder
from projector.metadata.table_metadata import TableMetadata
from projector.planning.filters.bind import bind
from projector.planning.filters.expressions import TRUE, Expression
from projector.planning.filters.parser import to_expression
from projector.planning.forecast.layout_plan import LayoutPlan, plan_layout
from projector.planning.forecast.null_proof import NullProof, prove_no_nulls
from projector.planning.scan.arguments import optional_number
from projector.planning.scan.metadata_columns import metadata_columns, partition_field, select_columns
from projector.planning.scan.partition_type import partition_fields
from projector.planning.scan.source import SnapshotSource
from projector.planning.scan.tasks import FileTask
from projector.schema.name_mapping import NAME_MAPPING_PROPERTY, NameMapping
from projector.schema.reserved import METADATA_COLUMNS
from projector.schema.schema import Schema

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from projector.api.check_request import SchemaLike
    from projector.check.change.proposal import Proposal
    from projector.check.evidence.live_files import LiveFile
    from projector.check.level import Level
    from projector.check.progress import Progress
    from projector.check.report.policy import Compatibility
    from projector.check.report.report import Report
    from projector.check.report.suppressions import Suppression

    AllowMovedPaths = Literal["auto"] | bool


@dataclass(frozen=True)
class Table:
    """An Iceberg table, as of the metadata file that it was loaded from. `load_table` returns one.

    Parameters
    ----------
    metadata:
        The table's metadata.
    metadata_file:
        The metadata file it was read from.
    """

    metadata: TableMetadata
    metadata_file: str
    _resolver: PathResolver = field(repr=False)
    _storage: Storage = field(repr=False)
    _home: CatalogTable | None = field(default=None, repr=False)

    def schema(self, schema_id: int | None = None) -> Schema:
        """Return the schema with an id, or the current one. Raises `NotFoundError` for an unknown id."""
        return self.metadata.schema(schema_id)

    @property
    def schemas(self) -> Mapping[int, Schema]:
        """All schemas of the table by id."""
        return {schema.schema_id: schema for schema in self.metadata.schemas}

    def spec(self, spec_id: int | None = None) -> PartitionSpec:
        """Return the partition spec with an id, or the default one. Raises `NotFoundError` for an unknown id."""
        return self.metadata.spec(spec_id)

    @property
    def specs(self) -> Mapping[int, PartitionSpec]:
        """All partition specs by id."""
        return self.metadata.specs

    @property
    def sort_orders(self) -> Mapping[int, SortOrder]:
        """All sort orders by id."""
        return self.metadata.sort_orders

    @property
    def snapshots(self) -> tuple[Snapshot, ...]:
        """The retained snapshots."""
        return self.metadata.snapshots

    @property
    def refs(self) -> Mapping[str, SnapshotRef]:
        """Branches and tags by name."""
        return self.metadata.refs

    @property
    def properties(self) -> Mapping[str, str]:
        """The table's properties."""
        return self.metadata.properties

    @property
    def location(self) -> str:
        """The location that the metadata records."""
        return self.metadata.location

    @property
    def identifier(self) -> tuple[str, ...] | None:
        """The table's namespace and name in the catalog that it was loaded from; None without a catalog."""
        return None if self._home is None else self._home.identifier

    @property
    def sql_names(self) -> tuple[tuple[str, ...], ...]:
        """The names that `ALTER TABLE` may use for the table, each split at its dots. `t` is always one of them."""
        return sql_names(self.metadata_file, self.location, self.identifier)

    def scan(
        self,
        row_filter: Any = None,
        selected_fields: Sequence[str | tuple[str, ...]] = ("*",),
        case_sensitive: bool = True,
        snapshot_id: int | None = None,
        ref: str | None = None,
        as_of: datetime | int | str | None = None,
        limit: int | None = None,
    ) -> Scan:
        """Return a scan of the table. It is pinned to a snapshot; no file is opened yet.

        Parameters
        ----------
        row_filter:
            Which rows to return: an SQL-like expression such as `total > 100 and region in ('EU', 'US')`, or a
            pyiceberg
            expression. It may name columns that are not selected.
        selected_fields:
            Dotted paths, or tuples of names; a path inside a struct prunes the struct. Columns come in the schema's
            order,
            followed by the metadata columns that are named (`_file`, `_pos`, `_spec_id`, `_partition`, `_deleted`,
            `_row_id`, `_last_updated_sequence_number`). With `_deleted`, deleted rows are returned too, and marked.
        case_sensitive:
            Whether names must match in case.
        snapshot_id, ref, as_of:
            At most one of them: a snapshot, a branch or tag, or a time (a datetime, ISO text, or milliseconds from
            1970-01-01 UTC). A snapshot or tag is read with its own schema, a branch with the table's current one.
        limit:
            The most rows to return.

        Raises
        ------
        NotFoundError
            The table has no such column, snapshot, ref or time.
        ParseError
            The filter cannot be parsed.
        """
        point = choose_point(self.metadata, snapshot_id=snapshot_id, ref=ref, as_of=as_of)
        schema = metadata_columns(
            point.schema, METADATA_COLUMNS, partition_field(partition_fields(self.metadata), point.schema)
        )
        bound = bind(to_expression(row_filter), schema, case_sensitive) if row_filter is not None else TRUE
        source = SnapshotSource(self.metadata, point.snapshot, point.schema, self._storage, self._resolver)
        return Scan(source, select_columns(schema, point.schema, selected_fields, case_sensitive), bound, limit)

    def update_schema(
        self, dry_run: bool = False, *, allow_incompatible_changes: bool = False, case_sensitive: bool = True
    ) -> UpdateSchemaContext:
        """Change the schema inside a `with` block, with pyiceberg's method names.

        The end of the block commits the change; with `dry_run` it only prepares the commit. `.commit` of the block's
        value
        then holds the `SchemaCommit`.

        Raises what `commit` raises, at the end of the block.
        """
        if not isinstance(dry_run, bool):
            raise ProjectorError(
                f"update_schema() opens a block and takes no {type(dry_run).__name__}",
                hint="to commit recorded changes, call commit(update)",
            )
        update = UpdateSchema(
            format_version=self.metadata.format_version,
            case_sensitive=case_sensitive,
            allow_incompatible_changes=allow_incompatible_changes,
        )

        def finish(recorded: UpdateSchema) -> SchemaCommit:
            if dry_run:
                return self.prepare(recorded)
            return self.commit(recorded).commit

        return UpdateSchemaContext(update, finish)

    def update_spec(self, dry_run: bool = False, *, case_sensitive: bool = True) -> UpdateSpecContext:
        """Change how new files are partitioned, inside a `with` block; see `UpdateSpec`.

        The end of the block commits the change; with `dry_run` it only prepares the commit. `.commit` of the block's
        value
        then holds the `TransactionCommit`.
        """
        return UpdateSpecContext(self._alone(dry_run), _forget, case_sensitive)

    def update_sort_order(self, dry_run: bool = False, *, case_sensitive: bool = True) -> UpdateSortOrderContext:
        """Change the sort order of new files, inside a `with` block; see `UpdateSortOrder` and `update_spec`."""
        return UpdateSortOrderContext(self._alone(dry_run), _forget, case_sensitive)

    def transaction(
        self, dry_run: bool = False, *, allow_incompatible_changes: bool = False, case_sensitive: bool = True
    ) -> TransactionContext:
        """Change schema, partition spec, sort order, properties and more in one commit, inside a `with` block.

        The end of the block commits all changes; with `dry_run` it only prepares the commit. After an error inside the
        block
        or in one of the updates, nothing is committed. `.commit` of the block's value then holds the
        `TransactionCommit`.

        Raises what `commit` raises, at the end of the block.
        """
        recording = Transaction(case_sensitive=case_sensitive, allow_incompatible_changes=allow_incompatible_changes)
        return TransactionContext(recording, self._finish(dry_run))

    def _finish(self, dry_run: bool) -> Finish:
        return self.prepare if dry_run else lambda recorded: self.commit(recorded).commit

    def _alone(self, dry_run: bool) -> Callable[[Update], TransactionCommit]:
        finish = self._finish(dry_run)
        return lambda update: finish(Transaction().record(update))

    @overload
    def prepare(self, update: UpdateSchema) -> SchemaCommit: ...
    @overload
    def prepare(self, update: Transaction) -> TransactionCommit: ...
    @overload
    def prepare(self, update: str) -> SchemaCommit | TransactionCommit: ...
    def prepare(self, update: UpdateSchema | Transaction | str) -> SchemaCommit | TransactionCommit:
        """Return what a commit of a change would write, based on the loaded metadata. Nothing is written.

        Parameters
        ----------
        update:
            Recorded changes, or `ALTER TABLE` statements in Spark's dialect.

        Raises `SchemaUpdateError` for a change that the table does not allow, `ParseError` for SQL that cannot be
        parsed.
        """
        update = self._recorded(update)
        below = relative_to(self.metadata_file, self._resolver.root or self.location)
        recorded = self.metadata_file if below is None else join(self.location, below)
        if isinstance(update, Transaction):
            return prepare_transaction(self.metadata, update, metadata_file=recorded)
        return prepare_schema_update(self.metadata, update, metadata_file=recorded)

    def _recorded(self, update: UpdateSchema | Transaction | str) -> UpdateSchema | Transaction:
        if not isinstance(update, str):
            return update
        from projector.check.change.proposal import from_sql

        return from_sql(update, "spark", self.metadata, table_names=self.sql_names).update

    def as_if(self, update: UpdateSchema | Transaction | str) -> Table:
        """Return the table as it would be after a change: the same files under the proposed schema. Nothing is
        written.

        Parameters
        ----------
        update:
            Recorded changes, or `ALTER TABLE` statements in Spark's dialect.

        Raises `SchemaUpdateError` for a change that the table does not allow, `ParseError` for SQL that cannot be
        parsed.
        """
        return replace(self, metadata=self.prepare(self._recorded(update)).metadata)

    @overload
    def commit(self, update: UpdateSchema, *, recheck: Callable[[Table], None] | None = None) -> CommittedUpdate: ...
    @overload
    def commit(
        self, update: Transaction, *, recheck: Callable[[Table], None] | None = None
    ) -> Committed[TransactionCommit]: ...
    def commit(
        self, update: UpdateSchema | Transaction, *, recheck: Callable[[Table], None] | None = None
    ) -> CommittedUpdate | Committed[TransactionCommit]:
        """Commit a change to the table, on top of the metadata that is current at that time.

        Parameters
        ----------
        recheck:
            Called before the commit if another writer was faster, with the table in its new state. An exception that it
            raises ends the commit.

        Raises
        ------
        SchemaUpdateError
            The table does not allow the change.
        CommitConflictError
            Other writers won every attempt.
        CommitUnknownError
            The catalog did not answer a request, and its later state does not tell whether the commit succeeded.
        UnsupportedError
            The table is not on a local disk and was not loaded through its catalog, or its catalog does not support the
            change.
        """

        def look(metadata: TableMetadata, file: str) -> None:
            if recheck is not None and metadata.raw != self.metadata.raw:
                recheck(replace(self, metadata=metadata, metadata_file=file))

        if self._home is not None:
            return commit_to_catalog(self._home, update, recheck=look)
        if isinstance(update, Transaction):
            return commit_transaction(self.metadata_file, update, recheck=look)
        return commit_schema_update(self.metadata_file, update, recheck=look)

    def plan_layout(self, after: TableMetadata, row_filter: Any = None) -> LayoutPlan:
        """Return what a change of partitioning or sort order means for the table's files and for the cost of a filter.

        Parameters
        ----------
        after:
            The metadata of a prepared commit, or the table's own for the present state.
        row_filter:
            A filter as in `scan`.

        Raises `ParseError` or `NotFoundError` for the filter, and the errors of reading manifests.
        """
        return plan_layout(self.metadata, after, self._storage, self._resolver, row_filter)

    def prove_no_nulls(self, path: str, *, read_files: bool = True) -> NullProof:
        """Search a column for nulls, to prove that it can be required.

        Files whose counts in the manifests exclude nulls are not opened. Of the others only the column is read; with
        `read_files=False` they are not read, and prove nothing.

        Raises `NotFoundError` for a column that the schema does not have.
        """

        def count(snapshot: Snapshot, task: FileTask, row_filter: Expression) -> int:
            source = SnapshotSource(
                self.metadata, snapshot, self.metadata.current_schema, self._storage, self._resolver
            )
            return Scan(source, Schema(()), row_filter).count_in((task,))

        return prove_no_nulls(self.metadata, path, self._storage, self._resolver, count if read_files else None)

    def name_mapping_problems(self) -> tuple[MappingProblem, ...]:
        """Return the problems of the table's name mapping, judged by the footers of the live files of all retained
        snapshots.

        A missing mapping is a problem only if some file has no field ids.
        """
        text, files = self.properties.get(NAME_MAPPING_PROPERTY), self._file_schemas()
        if text is None and all(file.has_field_ids for file in files):
            return ()
        return check_name_mapping(text, self.metadata.current_schema, files)

    def repaired_name_mapping(self) -> NameMapping:
        """Return a mapping to replace the table's with, based on the same files; see `repaired_name_mapping`."""
        text = self.properties.get(NAME_MAPPING_PROPERTY)
        return repaired_name_mapping(text, self.metadata.current_schema, self._file_schemas(), self.metadata.schemas)

    def proposed_name_mapping(self) -> NameMapping:
        """Return a mapping to propose for files without field ids: the present and the former names of every column."""
        return proposed_name_mapping(self.metadata.current_schema, self.metadata.schemas)

    def _file_schemas(self) -> tuple[FileSchema, ...]:
        """Return the physical schemas of the live files. Raises if one cannot be read."""
        files = find_live_files(self.metadata, self._storage, self._resolver, self.metadata.snapshots)
        footers = read_footers(files.data, self._storage)
        for unreadable in (*files.unreadable, *footers.unreadable):
            raise CorruptFileError(f"Cannot look at the table's columns: {unreadable.reason}", file=unreadable.file)
        return tuple({id(group.schema): group.schema for group in footers.groups}.values())

    def check(
        self,
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

        Nothing is written or committed. The parameters and errors are those of `projector.check`.
        """
        from projector.api.check_request import to_codes, to_compatibility, to_level, to_proposal
        from projector.check.check import Settings, check_table
        from projector.check.level import SampleSize
        from projector.check.portability import ALL_ENGINES, engines_of
        from projector.files.shapes.cache import default_cache

        names = () if any_table else self.sql_names
        proposal = to_proposal(self.metadata, update, sql, schema, dialect, sql_file, names)
        settings = Settings(
            to_level(level),
            to_compatibility(compatibility),
            to_codes(select),
            to_codes(ignore),
            tuple(suppressions),
            engines_of(engines) or ALL_ENGINES,
            SampleSize(optional_number("sample", sample, 1), optional_number("sample_rows", sample_rows, 1)),
            all_columns,
            dict(queries or {}),
            {name: other._current_source() for name, other in (query_tables or {}).items()},
            default_cache() if cache else None,
            executor,
            progress,
        )
        return check_table(self.metadata, self._storage, self._resolver, proposal, settings)

    def audit(
        self,
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
        """Audit the table as it is. The parameters and errors are those of `projector.audit`."""
        return self.check(
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

    def _current_source(self) -> SnapshotSource:
        metadata = self.metadata
        return SnapshotSource(metadata, metadata.current_snapshot, self.schema(), self._storage, self._resolver)

    def live_data_files(
        self, *, snapshot_id: int | None = None, ref: str | None = None, as_of: datetime | int | str | None = None
    ) -> Sequence[LiveFile]:
        """Return the data files of a snapshot as their manifest entries describe them. Arguments as in `scan`."""
        snapshot = self.point_in_time(snapshot_id=snapshot_id, ref=ref, as_of=as_of).snapshot
        if snapshot is None:
            return ()
        return find_live_files(self.metadata, self._storage, self._resolver, (snapshot,)).data

    def point_in_time(
        self, *, snapshot_id: int | None = None, ref: str | None = None, as_of: datetime | int | str | None = None
    ) -> PointInTime:
        """Return the snapshot and the schema that a scan with these arguments reads."""
        return choose_point(self.metadata, snapshot_id=snapshot_id, ref=ref, as_of=as_of)


def _forget(_: Update) -> None:
    """Discard an update that an error ended: it is not committed."""


def load_table(
    location: str | os.PathLike[str] | Sequence[str] | Any,
    *,
    catalog: str | Any | None = None,
    catalog_properties: Mapping[str, str] | None = None,
    properties: Mapping[str, str] | None = None,
    allow_moved_paths: AllowMovedPaths = "auto",
    path_map: Mapping[str, str] | None = None,
) -> Table:
    """Load a table from its root folder, from one of its metadata files, or from its catalog.

    Parameters
    ----------
    location:
        The table's root, its `metadata` folder, or a metadata file, local or in an object store. With a catalog, the
        table's name: `ns.table` or its parts. Also a pyiceberg `Table`, in the state that it holds.
    catalog:
        The name of a catalog that is configured for pyiceberg, or a pyiceberg catalog.
    catalog_properties:
        Settings of the catalog by pyiceberg's names, such as `uri`. They override its configuration.
    properties:
        Storage settings by pyiceberg's names, such as `s3.endpoint`. They override what the catalog says.
    allow_moved_paths:
        Whether to read files below the recorded location from the place where the metadata was found. `auto` does so if
        the recorded location does not hold this metadata file.
    path_map:
        {recorded prefix: actual prefix}, for files outside the table's location.

    Raises
    ------
    NotFoundError
        There is no table, or no catalog of that name.
    CorruptFileError, InvalidMetadataError, UnsupportedError
        The metadata cannot be read, contradicts itself, or has a format version above 3.
    ProjectorError
        A catalog or a store does not answer.
    """
    home: CatalogTable | None = None
    if catalog is None and isinstance(location, str | os.PathLike):
        if catalog_properties:
            raise ProjectorError("Settings of a catalog are given, but no catalog", hint="name one")
        storage = Storage(dict(properties or {}))
        loaded = load_metadata(os.fspath(location), storage)
    else:
        name = os.fspath(location) if isinstance(location, os.PathLike) else location
        found = open_from_catalog(name, catalog, catalog_properties or {}, properties or {})
        loaded, storage, home = found.loaded, found.storage, found.home
    resolver = loaded.resolver(storage, allow_moved_paths, path_map or {})
    if resolver.note is not None:
        warnings.warn(resolver.note, ProjectorWarning, stacklevel=2)
    if (problem := id_above_last(loaded.metadata)) is not None:
        warnings.warn(f"{problem.message}; the table can be read, not changed", ProjectorWarning, stacklevel=2)
    return Table(loaded.metadata, loaded.metadata_file, resolver, storage, home)
