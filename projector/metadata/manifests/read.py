"""Read manifest lists and manifests: which files a snapshot has (spec: Manifests, Manifest Lists)."""

from __future__ import annotations

from collections.abc import Iterator

from projector.errors import CorruptFileError, UnsupportedError
from projector.files.storage.locations import PathResolver
from projector.files.storage.read_all import open_whole
from projector.files.storage.storage import RandomAccess, Storage
from projector.metadata.avro.file import read_header
from projector.metadata.manifests.model import (
    DataFile,
    EntryStatus,
    FieldSummary,
    FileContent,
    ManifestContent,
    ManifestEntry,
    ManifestFile,
)
from projector.metadata.manifests.records import (
    list_layout,
    manifest_entry,
    manifest_file,
    manifest_layout,
    read_records,
)
from projector.metadata.snapshots import Snapshot

__all__ = [
    "DataFile",
    "EntryStatus",
    "FieldSummary",
    "FileContent",
    "ManifestContent",
    "ManifestEntry",
    "ManifestFile",
    "embedded_manifest",
    "open_manifest",
    "read_manifest",
    "read_manifest_list",
    "snapshot_manifests",
]


def snapshot_manifests(storage: Storage, snapshot: Snapshot, resolver: PathResolver) -> Iterator[ManifestFile]:
    """Return the manifests of a snapshot, from its manifest list or, in version 1, from the snapshot itself.

    Raises `NotFoundError`, `CorruptFileError`, and `UnsupportedError` for an encrypted list.
    """
    if snapshot.manifest_list is None:
        for path in snapshot.manifests:
            yield embedded_manifest(storage, path, snapshot, resolver)
        return
    if snapshot.key_id is not None:
        raise UnsupportedError(
            "The manifest list is encrypted; encrypted tables are not read", file=snapshot.manifest_list
        )
    found = False
    for manifest in read_manifest_list(storage, resolver.resolve(snapshot.manifest_list)):
        found = True
        yield manifest
    total = (snapshot.summary or {}).get("total-data-files", "0")
    if not found and total.isdecimal() and int(total) > 0:
        # a list truncated after its header looks like the list of an empty snapshot
        raise CorruptFileError(
            f"The manifest list is empty, but snapshot {snapshot.snapshot_id} has {total} data files",
            file=snapshot.manifest_list,
        )


def embedded_manifest(storage: Storage, path: str, snapshot: Snapshot, resolver: PathResolver) -> ManifestFile:
    """Return a manifest that a snapshot of version 1 names itself; its length and spec are read from the file."""
    with storage.open(resolver.resolve(path)) as source:
        spec_id = read_header(source).text("partition-spec-id") or "0"
        if not spec_id.isdecimal():
            raise CorruptFileError(f"partition-spec-id is not a number: {spec_id[:40]!r}", file=path)
        return ManifestFile(path, source.size(), int(spec_id), added_snapshot_id=snapshot.snapshot_id)


def read_manifest_list(storage: Storage, path: str) -> Iterator[ManifestFile]:
    """Return the manifests that a manifest list names, in its order. `path` is the list's present location.

    Raises `NotFoundError` and `CorruptFileError`.
    """
    with open_whole(storage, path) as source:
        header = read_header(source)
        for record in read_records(source, header, list_layout(header, path)):
            yield manifest_file(record, path)


def open_manifest(storage: Storage, manifest: ManifestFile, resolver: PathResolver) -> RandomAccess:
    """Open a manifest to read it to its end."""
    return open_whole(storage, resolver.resolve(manifest.path))


def read_manifest(
    storage: Storage, manifest: ManifestFile, resolver: PathResolver, opened: RandomAccess | None = None
) -> Iterator[ManifestEntry]:
    """Yield all entries of a manifest, deleted ones too, with what they inherit, in order, one block at a time.

    `opened` is the manifest if it is open already; it is closed at the end.

    Raises `NotFoundError`, `CorruptFileError`, and `UnsupportedError` for an encrypted manifest.
    """
    if manifest.key_metadata is not None:
        raise UnsupportedError("The manifest is encrypted; encrypted tables are not read", file=manifest.path)
    path = resolver.resolve(manifest.path)
    with opened or open_whole(storage, path) as source:
        header = read_header(source)
        layout = manifest_layout(header, path)
        next_row_id = manifest.first_row_id
        count = 0
        for record in read_records(source, header, layout):
            entry, next_row_id = manifest_entry(record, manifest, layout, next_row_id, path)
            count += 1
            yield entry
        counts = (manifest.added_files_count, manifest.existing_files_count, manifest.deleted_files_count)
        expected = sum(c for c in counts if c is not None)
        if count < expected and source.size() < manifest.length:
            raise CorruptFileError(
                f"The manifest is cut off: {source.size()} of {manifest.length} bytes, {count} of {expected} entries",
                file=path,
            )
