"""Read the live data files of a snapshot from its manifests, whether or not the files can be read."""

from __future__ import annotations

from collections.abc import Iterator

from projector.files.storage.locations import PathResolver
from projector.files.storage.storage import Storage
from projector.metadata.manifests.read import DataFile, FileContent, ManifestContent, read_manifest, snapshot_manifests
from projector.metadata.snapshots import Snapshot
from projector.metadata.table_metadata import TableMetadata


def live_data_files(snapshot: Snapshot, storage: Storage, resolver: PathResolver) -> Iterator[DataFile]:
    """Yield every live data file of a snapshot. Raises what `read_manifest` raises."""
    for manifest in snapshot_manifests(storage, snapshot, resolver):
        if manifest.content is ManifestContent.DATA and manifest.has_live_files:
            for entry in read_manifest(storage, manifest, resolver):
                if entry.is_live and entry.data_file.content is FileContent.DATA:
                    yield entry.data_file


def specs_in_use(metadata: TableMetadata, storage: Storage, resolver: PathResolver) -> frozenset[int]:
    """Return the ids of the specs that live files of any retained snapshot, delete files included, were written with.

    Only manifest lists are read. Raises what `snapshot_manifests` raises.
    """
    return frozenset(
        manifest.spec_id
        for snapshot in metadata.snapshots
        for manifest in snapshot_manifests(storage, snapshot, resolver)
        if manifest.has_live_files
    )
