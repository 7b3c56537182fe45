"""Where a scan's files come from: a snapshot of a table, or a list of bare files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from projector.files.locations import PathResolver
from projector.files.storage import Storage
from projector.metadata.snapshots import Snapshot
from projector.metadata.table_metadata import TableMetadata
from projector.planning.expressions import Expression, bound_terms
from projector.planning.metadata_columns import metadata_columns
from projector.planning.probes import probes_for
from projector.planning.scan_plan import ScanPlan, plan_file_list, plan_snapshot
from projector.planning.scan_request import ScanRequest
from projector.planning.tasks import FileTask
from projector.schema.name_mapping import NameMapping
from projector.schema.reserved import DELETED, POS
from projector.schema.schema import Schema


@dataclass(frozen=True)
class SnapshotSource:
    """A snapshot of a table, None for a table without any, and the schema that it is read with."""

    metadata: TableMetadata
    snapshot: Snapshot | None
    schema: Schema
    storage: Storage = field(repr=False)
    resolver: PathResolver = field(repr=False)

    def plan(self, row_filter: Expression) -> ScanPlan:
        """The files that may hold rows of a filter, which is bound to `schema`."""
        return plan_snapshot(self.metadata, self.snapshot, self.schema, row_filter, self.storage, self.resolver)

    def request(self, selected: Schema, row_filter: Expression, key_ids: Collection[int]) -> ScanRequest:
        """The request for some columns, where equality deletes compare the fields of `key_ids`."""
        history = {s.schema_id: s for s in self.metadata.schemas} if key_ids else {}
        return _request(self.schema, selected, row_filter, key_ids, history, self.storage, self.metadata.name_mapping)


@dataclass(frozen=True)
class FileListSource:
    """Bare Parquet files and the schema that they are read under."""

    files: tuple[str, ...]
    schema: Schema
    storage: Storage = field(repr=False)
    name_mapping: NameMapping | None = None
    partition: Mapping[int, Any] = field(default_factory=dict)

    def plan(self, row_filter: Expression) -> ScanPlan:
        """All the files: nothing is known of their rows but how many there are."""
        return plan_file_list(self.files, self.storage, self.partition)

    def request(self, selected: Schema, row_filter: Expression, key_ids: Collection[int]) -> ScanRequest:
        """The request for some columns; bare files have no deletes."""
        return _request(self.schema, selected, row_filter, (), {}, self.storage, self.name_mapping)


ScanSource = SnapshotSource | FileListSource


def _request(
    schema: Schema,
    selected: Schema,
    row_filter: Expression,
    key_ids: Collection[int],
    history: Mapping[int, Schema],
    storage: Storage,
    name_mapping: NameMapping | None,
) -> ScanRequest:
    filter_ids = list(bound_terms(row_filter))
    if any(f.field_id == DELETED for f in selected.fields):
        filter_ids.append(POS)  # deleted rows are given out, and found again by their position
    probes = probes_for(metadata_columns(schema, filter_ids), filter_ids, sorted(key_ids), history)
    return ScanRequest(selected, storage, row_filter, probes, name_mapping)


def exact_count(task: FileTask) -> int | None:
    """The rows that a file gives out, where the manifests alone tell; None where they do not."""
    if not task.all_match or task.record_count is None:
        return None
    vectors = [d for d in task.deletes if d.is_vector]
    if len(vectors) == len(task.deletes) <= 1:
        return task.record_count - sum(d.record_count for d in vectors)
    return None
