"""From a snapshot to file tasks, manifest by manifest, and what was skipped on the way (spec: Scan Planning)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from projector.errors import InvalidMetadataError, UnsupportedError
from projector.files.footer import read_footer
from projector.files.locations import PathResolver
from projector.files.storage import Storage
from projector.metadata.manifests import (
    DataFile,
    ManifestContent,
    ManifestEntry,
    ManifestFile,
    read_manifest,
    snapshot_manifests,
)
from projector.metadata.partitioning import PartitionSpec
from projector.metadata.snapshots import Snapshot
from projector.metadata.table_metadata import TableMetadata
from projector.planning.delete_index import DeleteIndex
from projector.planning.expressions import Expression
from projector.planning.facts import meet
from projector.planning.metrics_facts import file_facts
from projector.planning.moved_names import ids_with_moved_names
from projector.planning.outcomes import Lookup, might_match, must_match
from projector.planning.partition_facts import PartitionFilter, partition_filter
from projector.planning.tasks import DeleteFile, FileTask
from projector.schema.promotions import promote_value
from projector.schema.schema import Schema


@dataclass(frozen=True, slots=True)
class Skipped:
    """A manifest or data file that is not read, and why; `record_count` of a data file, by its manifest."""

    file: str
    reason: str
    record_count: int | None = None


@dataclass
class ScanPlan:
    """The data files of a scan. Iterating gives `FileTask`s, planned as they are asked for and kept for the next time.

    `manifests` and `skipped_manifests` are complete once the tasks have all been drawn; the properties draw them.
    """

    _planner: Callable[[ScanPlan], Iterator[FileTask]] = field(repr=False)
    _tasks: list[FileTask] = field(default_factory=list, repr=False)
    _manifests: list[str] = field(default_factory=list, repr=False)
    _skipped_manifests: list[Skipped] = field(default_factory=list, repr=False)
    _skipped_files: list[Skipped] = field(default_factory=list, repr=False)
    _source: Iterator[FileTask] | None = field(default=None, repr=False)

    def __iter__(self) -> Iterator[FileTask]:
        if self._source is None:
            self._source = self._planner(self)
        drawn = 0
        while True:
            while drawn < len(self._tasks):
                yield self._tasks[drawn]
                drawn += 1
            task = next(self._source, None)
            if task is None:
                return
            self._tasks.append(task)

    def open_manifest(self, file: str) -> None:
        """Record, while planning, that a manifest is opened."""
        self._manifests.append(file)

    def skip_manifest(self, file: str, reason: str) -> None:
        """Record, while planning, that a manifest is not opened."""
        self._skipped_manifests.append(Skipped(file, reason))

    def skip_file(self, file: str, reason: str, record_count: int) -> None:
        """Record, while planning, that a live data file is not read."""
        self._skipped_files.append(Skipped(file, reason, record_count))

    def _complete(self) -> None:
        for _ in self:
            pass

    @property
    def tasks(self) -> tuple[FileTask, ...]:
        """All files to read."""
        self._complete()
        return tuple(self._tasks)

    @property
    def manifests(self) -> tuple[str, ...]:
        """The manifests that were opened."""
        self._complete()
        return tuple(self._manifests)

    @property
    def skipped_manifests(self) -> tuple[Skipped, ...]:
        """The manifests that were not opened, and why."""
        self._complete()
        return tuple(self._skipped_manifests)

    @property
    def skipped_files(self) -> tuple[Skipped, ...]:
        """The live data files that are not read, and why."""
        self._complete()
        return tuple(self._skipped_files)

    @property
    def records_to_read(self) -> int:
        """Records in the files to read, by the manifests' counts."""
        return sum(task.record_count or 0 for task in self.tasks)


def plan_snapshot(
    metadata: TableMetadata,
    snapshot: Snapshot | None,
    schema: Schema,
    row_filter: Expression,
    storage: Storage,
    resolver: PathResolver,
) -> ScanPlan:
    """The live data files of a snapshot that may hold rows of a filter; none for a table without a snapshot.

    Parameters
    ----------
    schema:
        The schema of the scan, before columns are selected.
    row_filter:
        Bound to `schema`.

    Raises, while tasks are drawn, `UnsupportedError` for files that are not read (Avro, ORC, encrypted ones) and
    `NotFoundError` or `CorruptFileError` for a manifest that is missing or broken.
    """

    def tasks(plan: ScanPlan) -> Iterator[FileTask]:
        if snapshot is None:
            return
        manifests = list(snapshot_manifests(storage, snapshot, resolver))
        specs = {manifest.path: _spec(metadata, manifest) for manifest in manifests}
        deletes = DeleteIndex()
        for manifest in manifests:
            if manifest.content is ManifestContent.DELETES and _is_opened(plan, manifest, None):
                for entry in read_manifest(storage, manifest, resolver):
                    if entry.is_live:
                        deletes.add(entry, specs[manifest.path], resolver)
        mapping = metadata.name_mapping
        doubtful = frozenset() if mapping is None else ids_with_moved_names(metadata.schemas, mapping)
        partition_filters: dict[int, PartitionFilter] = {}
        for manifest in manifests:
            if manifest.content is not ManifestContent.DATA:
                continue
            spec = specs[manifest.path]
            if spec.spec_id not in partition_filters:
                partition_filters[spec.spec_id] = partition_filter(row_filter, spec)
            partitions = partition_filters[spec.spec_id]
            if not _is_opened(plan, manifest, partitions):
                continue
            for entry in read_manifest(storage, manifest, resolver):
                if not entry.is_live:
                    continue
                file = entry.data_file
                _refuse_unsupported(file)
                if not partitions.might_match(file.partition, file.partition_types):
                    plan.skip_file(file.file_path, "its partition holds no row of the filter", file.record_count)
                    continue
                facts = _facts(file, partitions, doubtful)
                if not might_match(row_filter, facts):
                    plan.skip_file(file.file_path, "its column bounds hold no row of the filter", file.record_count)
                    continue
                all_match = must_match(row_filter, facts)
                yield _task(entry, spec, schema, resolver, deletes.for_file(entry), all_match)

    return ScanPlan(tasks)


def _is_opened(plan: ScanPlan, manifest: ManifestFile, partitions: PartitionFilter | None) -> bool:
    """Whether a manifest is opened; recorded in the plan either way."""
    if not manifest.has_live_files:
        plan.skip_manifest(manifest.path, "it has no live files")
        return False
    if partitions is not None and not partitions.manifest_might_match(manifest.partitions):
        plan.skip_manifest(manifest.path, "its partitions hold no row of the filter")
        return False
    plan.open_manifest(manifest.path)
    return True


def _facts(file: DataFile, partitions: PartitionFilter, doubtful: frozenset[int]) -> Lookup:
    """What the bounds and the partition of a file say of its columns."""
    by_bounds, by_partition = (
        file_facts(file, doubtful=doubtful),
        partitions.facts(file.partition, file.partition_types),
    )
    return lambda term: meet(by_bounds(term), by_partition(term))


def _refuse_unsupported(file: DataFile) -> None:
    if file.file_format.upper() != "PARQUET":
        raise UnsupportedError(
            f"Data files in {file.file_format} are not read", file=file.file_path, hint="only Parquet data files are"
        )
    if file.key_metadata is not None:
        raise UnsupportedError("Encrypted data files are not read", file=file.file_path)


def _spec(metadata: TableMetadata, manifest: ManifestFile) -> PartitionSpec:
    spec = metadata.specs.get(manifest.spec_id)
    if spec is None:
        raise InvalidMetadataError(
            f"The manifest was written with partition spec {manifest.spec_id}, which the table does not have",
            file=manifest.path,
        )
    return spec


def _task(
    entry: ManifestEntry,
    spec: PartitionSpec,
    schema: Schema,
    resolver: PathResolver,
    deletes: tuple[DeleteFile, ...],
    all_match: bool,
) -> FileTask:
    file = entry.data_file
    return FileTask(
        file=file.file_path,
        location=resolver.resolve(file.file_path),
        record_count=file.record_count,
        file_size=file.file_size_in_bytes,
        spec_id=spec.spec_id,
        partition=file.partition,
        identity_partition=identity_values(file, spec, schema),
        data_sequence_number=entry.data_sequence_number,
        first_row_id=file.first_row_id,
        deletes=deletes,
        all_match=all_match,
    )


def identity_values(file: DataFile, spec: PartitionSpec, schema: Schema) -> Mapping[int, Any]:
    """The values that a file's partition tuple gives to columns: {source field id: plain value}.

    A value that was written before its column was promoted is promoted as well.
    """
    values: dict[int, Any] = {}
    for source_id, partition_field_id in spec.identity_source_ids.items():
        if partition_field_id not in file.partition:
            continue
        value = file.partition[partition_field_id]
        wanted, written = schema.fields_by_id.get(source_id), file.partition_types.get(partition_field_id)
        if value is not None and wanted is not None and written is not None and written != wanted.field_type:
            value = promote_value(value, written, wanted.field_type)
        values[source_id] = value
    return values


def plan_file_list(files: tuple[str, ...], storage: Storage, partition: Mapping[int, Any]) -> ScanPlan:
    """Bare Parquet files, with the same partition values for all of them: {source field id: plain value}.

    Their row counts are read from their footers.
    """

    def tasks(plan: ScanPlan) -> Iterator[FileTask]:
        for file in files:
            with storage.open(file) as source:
                footer = read_footer(source, file)
                yield FileTask(file, file, footer.num_rows, source.size(), identity_partition=partition)

    return ScanPlan(tasks)
