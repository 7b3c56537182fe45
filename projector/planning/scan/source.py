"""The origin of a scan's files: a snapshot of a table, or a list of bare files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from projector.files.storage.locations import PathResolver, canonical
from projector.files.storage.storage import Storage
from projector.metadata.snapshots import Snapshot
from projector.metadata.table_metadata import TableMetadata
from projector.planning.filters.expressions import Expression, bound_terms
from projector.planning.scan.metadata_columns import METADATA_FIELDS, metadata_columns, partition_field
from projector.planning.scan.partition_type import partition_fields
from projector.planning.scan.plan import ScanPlan, plan_file_list
from projector.planning.scan.planner import plan_snapshot
from projector.planning.scan.probes import key_probe, probe
from projector.planning.scan.request import ScanRequest
from projector.planning.scan.tasks import FileTask
from projector.schema.name_mapping import NameMapping
from projector.schema.reserved import POS
from projector.schema.schema import Schema
from projector.schema.types import NestedField


@dataclass(frozen=True)
class SnapshotSource:
    """A snapshot of a table, None for a table without any, and the schema to read it with."""

    metadata: TableMetadata
    snapshot: Snapshot | None
    schema: Schema
    storage: Storage = field(repr=False)
    resolver: PathResolver = field(repr=False)

    def plan(self, row_filter: Expression) -> ScanPlan:
        """Return the files that may hold rows of a filter, which is bound to `schema`."""
        return plan_snapshot(self.metadata, self.snapshot, self.schema, row_filter, self.storage, self.resolver)

    def request(self, selected: Schema, row_filter: Expression, tasks: Sequence[FileTask] = ()) -> ScanRequest:
        """Return the request for some columns of some files, with what their deletes need."""
        partition = partition_field(partition_fields(self.metadata), self.schema)
        found = _request(self.schema, selected, row_filter, self.storage, self.metadata.name_mapping, partition)
        by_key = {
            id(task.equality_deletes): task.equality_deletes for task in tasks
        }  # files share few tuples of deletes
        keys = {i for deletes in by_key.values() for delete in deletes for i in delete.equality_ids}
        keys -= {p.field_id for p in found.probes}
        history = {s.schema_id: s for s in self.metadata.schemas} if keys else {}
        keyed = tuple(key_probe(self.schema, i, history) for i in sorted(keys))
        by_path = any(not delete.is_vector for task in tasks for delete in task.position_deletes)
        data_files = frozenset(canonical(task.file) for task in tasks) if by_path else frozenset()
        if not keyed and not by_path:
            return found
        return replace(found, probes=(*found.probes, *keyed), data_files=data_files)


@dataclass(frozen=True)
class FileListSource:
    """Bare Parquet files and the schema to read them under."""

    files: tuple[str, ...]
    schema: Schema
    storage: Storage = field(repr=False)
    name_mapping: NameMapping | None = None
    partition: Mapping[int, Any] = field(default_factory=dict)

    def plan(self, row_filter: Expression) -> ScanPlan:
        """Return all the files: nothing is known of their rows but their number."""
        return plan_file_list(self.files, self.storage, self.partition)

    def request(self, selected: Schema, row_filter: Expression, tasks: Sequence[FileTask] = ()) -> ScanRequest:
        """Return the request for some columns; bare files have no deletes."""
        return _request(self.schema, selected, row_filter, self.storage, self.name_mapping, None)


ScanSource = SnapshotSource | FileListSource


def _request(
    schema: Schema,
    selected: Schema,
    row_filter: Expression,
    storage: Storage,
    name_mapping: NameMapping | None,
    partition: NestedField | None,
) -> ScanRequest:
    terms = bound_terms(row_filter)
    ids = {i for term in terms.values() for i in (term.field_id, *term.parent_ids)}
    known = metadata_columns(schema, ids, partition)
    probes = tuple(probe(known, field_id) for field_id in terms)
    request = ScanRequest(selected, storage, row_filter, probes, name_mapping)
    if request.marks_deleted and POS not in terms:
        # Deleted rows are returned, and identified by their position.
        request = replace(request, probes=(*probes, probe(Schema((METADATA_FIELDS[POS],)), POS)))
    return request


def enough_at_first(tasks: Sequence[FileTask], limit: int) -> Iterator[Sequence[FileTask]]:
    """Return the files of a scan that stops after some rows, in at most two portions: those that should suffice, and
    the rest.

    The rest is for manifests that count more rows than there are.
    """
    count = 0
    for place, task in enumerate(tasks):
        count += exact_count(task) or 0
        if count >= limit:
            yield tasks[: place + 1]
            if place + 1 < len(tasks):
                yield tasks[place + 1 :]
            return
    yield tasks


def exact_count(task: FileTask) -> int | None:
    """Return the number of rows that a file returns, if the manifests alone decide it; None otherwise."""
    if not task.all_match or task.record_count is None:
        return None
    if task.equality_deletes or not all(delete.is_vector for delete in task.position_deletes):
        return None
    return task.record_count - sum(vector.record_count for vector in task.position_deletes)
