"""Plan the file tasks of a snapshot, manifest by manifest (spec: Scan Planning)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from projector.errors import InvalidMetadataError, ProjectionError, UnsupportedError
from projector.files.concurrency.ordered import worked_ahead
from projector.files.storage.locations import PathResolver
from projector.files.storage.read_all import workers_for
from projector.files.storage.storage import RandomAccess, Storage
from projector.metadata.manifests.cache import is_kept, manifest_entries
from projector.metadata.manifests.read import (
    DataFile,
    FileContent,
    ManifestContent,
    ManifestEntry,
    ManifestFile,
    open_manifest,
    snapshot_manifests,
)
from projector.metadata.partition_values import partition_value_as
from projector.metadata.partitioning import PartitionSpec
from projector.metadata.snapshots import Snapshot
from projector.metadata.table_metadata import TableMetadata
from projector.planning.filters.expressions import AlwaysFalse, AlwaysNull, AlwaysTrue, BoundTerm, Expression
from projector.planning.pruning.estimates import undecided_fraction
from projector.planning.pruning.facts import Facts, meet
from projector.planning.pruning.metrics_facts import file_facts
from projector.planning.pruning.metrics_fast import told_by_bounds
from projector.planning.pruning.moved_names import ids_with_moved_names
from projector.planning.pruning.outcomes import Lookup, matches
from projector.planning.pruning.partition_facts import PartitionFilter, partition_filter
from projector.planning.pruning.unread_columns import may_be_unread, or_unread
from projector.planning.scan.delete_index import DeleteIndex
from projector.planning.scan.metadata_columns import file_column_facts
from projector.planning.scan.partition_type import partition_fields
from projector.planning.scan.plan import Decoded, Opened, ScanPlan, Skipped, Step
from projector.planning.scan.tasks import DeleteFile, FileTask
from projector.schema.reserved import METADATA_COLUMNS
from projector.schema.schema import Schema
from projector.schema.types import IcebergType, UnknownType


def plan_snapshot(
    metadata: TableMetadata,
    snapshot: Snapshot | None,
    schema: Schema,
    row_filter: Expression,
    storage: Storage,
    resolver: PathResolver,
) -> ScanPlan:
    """Plan the live data files of a snapshot that may hold rows of a filter; none for a table without a snapshot.

    Parameters
    ----------
    schema:
        The schema of the scan, before columns are selected.
    row_filter:
        A filter bound to `schema`.

    Raises, while tasks are planned, `UnsupportedError` for files that cannot be read (Avro, ORC, encrypted ones),
    `NotFoundError` or `CorruptFileError` for a missing or broken manifest, and `InvalidMetadataError` for one that
    contradicts the table's metadata.
    """

    def steps() -> Iterator[Step]:
        if snapshot is not None:
            yield from _Planner(metadata, schema, row_filter, storage, resolver).steps(snapshot)

    return ScanPlan(steps)


ListedFile = tuple[ManifestFile, ManifestEntry]
"""A live file as some manifest lists it."""


def plan_listed(
    metadata: TableMetadata,
    data: Sequence[ListedFile],
    deletes: Sequence[ListedFile],
    schema: Schema,
    row_filter: Expression,
    resolver: PathResolver,
) -> Iterator[FileTask]:
    """Plan some data files of a snapshot, as `plan_snapshot` plans them, from manifest entries that were read before.

    With many filters for few files, each is planned on these files alone.

    Parameters
    ----------
    data, deletes:
        The data files, and the delete files of their snapshot that may apply to them.

    Raises what `plan_snapshot` raises for these files.
    """
    return _Planner(metadata, schema, row_filter, Storage(), resolver).listed(data, deletes)


class _Planner:
    """One pass over the manifests of a snapshot."""

    def __init__(
        self,
        metadata: TableMetadata,
        schema: Schema,
        row_filter: Expression,
        storage: Storage,
        resolver: PathResolver,
    ) -> None:
        self._metadata = metadata
        self._schema = schema
        self._filter = row_filter
        self._takes_all = isinstance(row_filter, AlwaysTrue)
        self._storage = storage
        self._resolver = resolver
        self._deletes = DeleteIndex()
        self._by_spec: dict[int, _Spec] = {}
        self._partition_types = {f.field_id: f.field_type for f in partition_fields(metadata)}
        self._written_types: Mapping[int, IcebergType] | None = None
        self._are_newest = False
        self._decoded = Decoded(0, 0)
        self._mapping = mapping = metadata.name_mapping
        self._doubtful = frozenset() if mapping is None else ids_with_moved_names(metadata.schemas, mapping)

    def steps(self, snapshot: Snapshot) -> Iterator[Step]:
        data: list[ManifestFile] = []
        deletes: list[ManifestFile] = []
        for manifest in snapshot_manifests(self._storage, snapshot, self._resolver):
            reason = self._reason_to_skip(manifest)
            if reason is not None:
                yield Skipped(manifest.path, reason)
            elif manifest.content is ManifestContent.DATA:
                data.append(manifest)
            else:
                deletes.append(manifest)
        for manifest, opened in self._opened(deletes):
            yield Opened(manifest.path)
            self._add_deletes(manifest, opened)
            yield self._decoded
        for manifest, opened in self._opened(data):
            yield Opened(manifest.path)
            yield from self._data_files(manifest, opened)
            yield self._decoded

    def listed(self, data: Sequence[ListedFile], deletes: Sequence[ListedFile]) -> Iterator[FileTask]:
        """Plan files whose manifest entries were read before."""
        skipped: dict[str, bool] = {}

        def may_match(manifest: ManifestFile) -> bool:
            if manifest.path not in skipped:
                skipped[manifest.path] = self._reason_to_skip(manifest) is not None
            return not skipped[manifest.path]

        for manifest, entry in deletes:
            if may_match(manifest):
                self._add_delete(self._spec(manifest), entry)
        for manifest, entry in data:
            if may_match(manifest):
                step = self._data_file(self._spec(manifest), entry)
                if isinstance(step, FileTask):
                    yield step

    def _opened(self, manifests: Sequence[ManifestFile]) -> Iterator[tuple[ManifestFile, RandomAccess | None]]:
        """Yield manifests, those in an object store with their content: the next ones are requested in the meantime."""
        workers = workers_for(self._resolver.resolve(manifests[0].path)) if manifests else 1
        if workers == 1:
            yield from ((manifest, None) for manifest in manifests)
            return

        def opened(manifest: ManifestFile) -> RandomAccess | None:
            encrypted = manifest.key_metadata is not None  # reading it raises the error
            if encrypted or is_kept(self._storage, manifest, self._resolver):
                return None
            return open_manifest(self._storage, manifest, self._resolver)

        yield from worked_ahead(manifests, opened, workers=workers)

    def _reason_to_skip(self, manifest: ManifestFile) -> str | None:
        spec = self._spec(manifest)
        if not manifest.has_live_files:
            return "it has no live files"
        if isinstance(self._filter, AlwaysFalse | AlwaysNull):
            return "no row passes the filter"
        # Deletes of a partition apply only to its data files, so the same summaries prune both.
        if not spec.partitions.manifest_might_match(manifest.partitions):
            return "its partitions hold no row of the filter"
        return None

    def _entries(self, manifest: ManifestFile, opened: RandomAccess | None) -> Iterator[ManifestEntry]:
        """Yield the live entries of a manifest, all of its content; at their end `_decoded` holds its cost."""
        kept = is_kept(self._storage, manifest, self._resolver)
        entries = 0
        for entry in manifest_entries(self._storage, manifest, self._resolver, opened):
            entries += 1
            if not entry.is_live:
                continue
            is_data = entry.data_file.content is FileContent.DATA
            if is_data is not (manifest.content is ManifestContent.DATA):
                raise InvalidMetadataError(
                    f"The manifest list says that it lists {manifest.content.name.lower()}, but it has an entry for"
                    f" {entry.data_file.content.name.lower().replace('_', ' ')}: {entry.data_file.file_path}",
                    file=manifest.path,
                )
            yield entry
        self._decoded = Decoded(0, 0) if kept else Decoded(entries, manifest.length)

    def _add_deletes(self, manifest: ManifestFile, opened: RandomAccess | None) -> None:
        spec = self._spec(manifest)
        for entry in self._entries(manifest, opened):
            self._add_delete(spec, entry)

    def _add_delete(self, spec: _Spec, entry: ManifestEntry) -> None:
        file = entry.data_file
        if spec.partitions.might_match(file.partition, file.partition_types):
            self._deletes.add(entry, spec.spec, self._resolver)

    def _data_files(self, manifest: ManifestFile, opened: RandomAccess | None) -> Iterator[Step]:
        spec = self._spec(manifest)
        for entry in self._entries(manifest, opened):
            yield self._data_file(spec, entry)

    def _data_file(self, spec: _Spec, entry: ManifestEntry) -> FileTask | Skipped:
        file = entry.data_file
        _refuse_unsupported(file)
        if not spec.partitions.might_match(file.partition, file.partition_types):
            return Skipped(file.file_path, "its partition holds no row of the filter", file.record_count)
        if self._takes_all:
            return self._task(entry, spec.spec, None)
        facts = None if spec.lies_beside(file) else self._facts(file, spec.partitions)
        matching = False if facts is None else matches(self._filter, facts)
        if matching:
            return self._task(entry, spec.spec, None)
        if facts is not None and matching is None:
            return self._task(entry, spec.spec, undecided_fraction(self._filter, facts))
        return Skipped(file.file_path, "its column bounds hold no row of the filter", file.record_count)

    def _facts(self, file: DataFile, partitions: PartitionFilter) -> Lookup:
        """Return what the bounds, the partition and the path of a file say of its columns."""
        by_bounds = file_facts(file, doubtful=self._doubtful)
        if may_be_unread(file, self._mapping):
            by_bounds = or_unread(by_bounds, self._schema)
        by_partition = partitions.facts(file.partition, file.partition_types) if partitions.sources else None

        def look_up(term: BoundTerm) -> Facts:
            if term.parent_ids or term.field_id in METADATA_COLUMNS:
                found = file_column_facts(term, file, self._newest_values(file))
                if found is not None:
                    return found
            return by_bounds(term) if by_partition is None else meet(by_bounds(term), by_partition(term))

        known: dict[int, Facts] = {}  # each column is looked up several times

        def lookup(term: BoundTerm) -> Facts:
            found = known.get(term.field_id)
            if found is None:
                found = known[term.field_id] = look_up(term)
            return found

        return lookup

    def _task(self, entry: ManifestEntry, spec: PartitionSpec, fraction: float | None) -> FileTask:
        """Return the task of a file, and the fraction of its rows that should pass; None if every row does."""
        file = entry.data_file
        deletes = self._deletes.for_file(entry)
        return FileTask(
            file=file.file_path,
            location=self._resolver.resolve(file.file_path),
            record_count=file.record_count,
            file_size=file.file_size_in_bytes,
            spec_id=spec.spec_id,
            partition=self._newest_values(file),
            identity_partition=identity_values(file, spec, self._schema),
            data_sequence_number=entry.data_sequence_number,
            first_row_id=file.first_row_id,
            position_deletes=deletes.positions,
            equality_deletes=deletes.equality,
            all_match=fraction is None,
            expected_count=(1.0 if fraction is None else fraction)
            * max(0, file.record_count - _deleted(deletes.positions)),
        )

    def _newest_values(self, file: DataFile) -> Mapping[int, Any]:
        """Return a file's partition tuple in the newest types of its fields; most manifests already have those."""
        written = file.partition_types
        if written is not self._written_types:
            self._written_types = written
            newest = self._partition_types
            self._are_newest = all(newest.get(i) == t and not isinstance(t, UnknownType) for i, t in written.items())
        return file.partition if self._are_newest else newest_values(file, self._partition_types)

    def _spec(self, manifest: ManifestFile) -> _Spec:
        found = self._by_spec.get(manifest.spec_id)
        if found is None:
            spec = self._metadata.specs.get(manifest.spec_id)
            if spec is None:
                raise InvalidMetadataError(
                    f"The manifest was written with partition spec {manifest.spec_id}, which the table does not have",
                    file=manifest.path,
                )
            partitions = partition_filter(self._filter, spec)
            untold = self._doubtful | partitions.sources.keys()
            lies_beside = told_by_bounds(self._filter, self._schema, untold)
            found = self._by_spec[manifest.spec_id] = _Spec(spec, partitions, lies_beside)
        return found


@dataclass(frozen=True, slots=True)
class _Spec:
    spec: PartitionSpec
    partitions: PartitionFilter
    lies_beside: Callable[[DataFile], bool]


def _deleted(positions: tuple[DeleteFile, ...]) -> int:
    """Return the number of rows that are certainly deleted from a file."""
    return sum(delete.record_count for delete in positions if delete.is_vector)


def _refuse_unsupported(file: DataFile) -> None:
    if file.file_format.upper() != "PARQUET":
        raise UnsupportedError(
            f"Data files in {file.file_format} are not read", file=file.file_path, hint="only Parquet data files are"
        )
    if file.key_metadata is not None:
        raise UnsupportedError("Encrypted data files are not read", file=file.file_path)


def newest_values(file: DataFile, types: Mapping[int, IcebergType]) -> Mapping[int, Any]:
    """Return a file's partition tuple in the newest types of its fields; null for a field of unknown type."""
    values: dict[int, Any] = {}
    for field_id, value in file.partition.items():
        newest, written = types.get(field_id), file.partition_types.get(field_id)
        if isinstance(newest, UnknownType):
            value = None
        elif newest is not None and written is not None and newest != written:
            # Days, months and so on are the same numbers, whatever type a manifest gives them.
            with suppress(InvalidMetadataError, ProjectionError):
                value = partition_value_as(value, written, newest)
        values[field_id] = value
    return values


def identity_values(file: DataFile, spec: PartitionSpec, schema: Schema) -> Mapping[int, Any]:
    """Return the values that a file's partition tuple gives to columns: {source field id: plain value}.

    A value written before its column was promoted is promoted too. Raises `InvalidMetadataError` or `ProjectionError`
    for
    a value that cannot be.
    """
    values: dict[int, Any] = {}
    if not spec.fields:
        return values
    for source_id, partition_field_id in spec.identity_source_ids.items():
        if partition_field_id not in file.partition:
            continue
        value = file.partition[partition_field_id]
        wanted, written = schema.fields_by_id.get(source_id), file.partition_types.get(partition_field_id)
        if value is not None and wanted is not None and written is not None and written != wanted.field_type:
            try:
                value = partition_value_as(value, written, wanted.field_type)
            except (InvalidMetadataError, ProjectionError) as error:
                raise type(error)(error.message, file=file.file_path, field_id=source_id) from None
        values[source_id] = value
    return values
