"""Snapshots and the references to them (spec: Snapshots, Snapshot References)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from projector.errors import InvalidMetadataError
from projector.metadata.json_fields import (
    as_list,
    as_object,
    get_int_or_none,
    get_long,
    get_long_or_none,
    get_string,
    get_string_or_none,
    get_strings,
)

MAIN_BRANCH = "main"
"""The branch whose head is `current-snapshot-id`."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a table at one time.

    Parameters
    ----------
    snapshot_id, parent_snapshot_id:
        Its id, and that of the snapshot it is based on.
    sequence_number:
        Its place in the order of commits; 0 in tables of version 1.
    timestamp_ms:
        Its time, in milliseconds from 1970-01-01 UTC.
    manifest_list:
        The location of its manifest list; None if `manifests` holds the manifests' locations (version 1).
    summary:
        What the commit did, all values as text.
    schema_id:
        The schema that it was written with; None if the writer recorded none.
    first_row_id, added_rows:
        Row lineage (version 3).
    key_id:
        The key that encrypts the manifest list (version 3).
    """

    snapshot_id: int
    timestamp_ms: int
    parent_snapshot_id: int | None = None
    sequence_number: int = 0
    manifest_list: str | None = None
    manifests: tuple[str, ...] = ()
    summary: Mapping[str, str] | None = None
    schema_id: int | None = None
    first_row_id: int | None = None
    added_rows: int | None = None
    key_id: str | None = None

    @property
    def operation(self) -> str | None:
        """`append`, `replace`, `overwrite` or `delete`; None if the summary does not say."""
        return None if self.summary is None else self.summary.get("operation")


def snapshot_from_json(value: Any) -> Snapshot:
    """Return a snapshot from its JSON object. Raises `InvalidMetadataError`."""
    node = as_object(value, "snapshot")
    manifest_list = get_string_or_none(node, "manifest-list")
    manifests: tuple[str, ...] = ()
    if manifest_list is None:
        if node.get("manifests") is None:
            raise InvalidMetadataError(f"Snapshot {node.get('snapshot-id')} has neither manifest-list nor manifests")
        manifests = tuple(get_string({"manifests": m}, "manifests") for m in as_list(node["manifests"], "manifests"))
    return Snapshot(
        snapshot_id=get_long(node, "snapshot-id"),
        timestamp_ms=get_long(node, "timestamp-ms"),
        parent_snapshot_id=get_long_or_none(node, "parent-snapshot-id"),
        sequence_number=get_long_or_none(node, "sequence-number") or 0,
        manifest_list=manifest_list,
        manifests=manifests,
        summary=None if node.get("summary") is None else get_strings(node, "summary"),
        schema_id=get_int_or_none(node, "schema-id"),
        first_row_id=get_long_or_none(node, "first-row-id"),
        added_rows=get_long_or_none(node, "added-rows"),
        key_id=get_string_or_none(node, "key-id"),
    )


@dataclass(frozen=True, slots=True)
class SnapshotRef:
    """A named snapshot: a branch, which moves with its commits, or a tag, which does not. Ages in milliseconds."""

    snapshot_id: int
    kind: str
    min_snapshots_to_keep: int | None = None
    max_snapshot_age_ms: int | None = None
    max_ref_age_ms: int | None = None

    @property
    def is_branch(self) -> bool:
        """Whether it is a branch, and not a tag."""
        return self.kind == "branch"


def ref_from_json(value: Any) -> SnapshotRef:
    """Return a reference from its JSON object. Raises `InvalidMetadataError`."""
    node = as_object(value, "snapshot reference")
    kind = get_string(node, "type").lower()
    if kind not in ("branch", "tag"):
        raise InvalidMetadataError(f"Invalid snapshot ref type: {node['type']}")
    return SnapshotRef(
        get_long(node, "snapshot-id"),
        kind,
        get_int_or_none(node, "min-snapshots-to-keep"),
        get_long_or_none(node, "max-snapshot-age-ms"),
        get_long_or_none(node, "max-ref-age-ms"),
    )


@dataclass(frozen=True, slots=True)
class SnapshotLogEntry:
    """An entry of the snapshot log: from `timestamp_ms` on, `snapshot_id` was the current snapshot."""

    timestamp_ms: int
    snapshot_id: int


@dataclass(frozen=True, slots=True)
class MetadataLogEntry:
    """An entry of the metadata log: until `timestamp_ms`, `metadata_file` was the table's metadata."""

    timestamp_ms: int
    metadata_file: str


def snapshot_log_from_json(value: Any) -> SnapshotLogEntry:
    """Return an entry of the snapshot log from its JSON object."""
    node = as_object(value, "snapshot log entry")
    return SnapshotLogEntry(get_long(node, "timestamp-ms"), get_long(node, "snapshot-id"))


def metadata_log_from_json(value: Any) -> MetadataLogEntry:
    """Return an entry of the metadata log from its JSON object."""
    node = as_object(value, "metadata log entry")
    return MetadataLogEntry(get_long(node, "timestamp-ms"), get_string(node, "metadata-file"))
