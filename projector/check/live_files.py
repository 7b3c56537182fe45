"""Every live file of a table's retained snapshots, each once, from the manifests: each manifest is read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from projector.errors import ProjectorError
from projector.files.locations import PathResolver
from projector.files.storage import Storage
from projector.metadata.manifests import (
    DataFile,
    FileContent,
    ManifestEntry,
    ManifestFile,
    read_manifest,
    snapshot_manifests,
)
from projector.metadata.snapshots import Snapshot
from projector.metadata.table_metadata import TableMetadata


@dataclass(frozen=True, slots=True)
class LiveFile:
    """A data or delete file that at least one of the snapshots has.

    Parameters
    ----------
    entry:
        What its manifest says of it.
    location:
        Where it is read from.
    snapshots:
        Ids of the snapshots that have it.
    identity_ids:
        Ids of the columns whose value its partition tuple holds.
    manifest:
        The first manifest that lists it, as a manifest list names that.
    """

    entry: ManifestEntry
    location: str
    snapshots: frozenset[int]
    identity_ids: frozenset[int]
    manifest: ManifestFile

    @property
    def data_file(self) -> DataFile:
        """What the manifest says of the file itself."""
        return self.entry.data_file

    @property
    def path(self) -> str:
        """The path as the manifest spells it."""
        return self.entry.data_file.file_path

    @property
    def is_data(self) -> bool:
        """Whether it holds rows; otherwise it deletes some."""
        return self.entry.data_file.content is FileContent.DATA


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that could not be looked at, and why."""

    file: str
    reason: str
    error: ProjectorError | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class LiveFiles:
    """The live files of some snapshots.

    Parameters
    ----------
    snapshots:
        The snapshots that were looked at.
    data, deletes:
        Their files, each once, in the order of the manifests.
    unreadable:
        Manifest lists and manifests that could not be read.
    """

    snapshots: tuple[Snapshot, ...] = ()
    data: tuple[LiveFile, ...] = ()
    deletes: tuple[LiveFile, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    manifests: tuple[ManifestFile, ...] = field(default=(), repr=False)


def live_files(
    metadata: TableMetadata, storage: Storage, resolver: PathResolver, snapshots: Iterable[Snapshot]
) -> LiveFiles:
    """The live files of the snapshots given.

    Raises
    ------
    NotFoundError, CorruptFileError, UnsupportedError, InvalidMetadataError
        Where the manifests of the current snapshot cannot be read. Those of older snapshots are listed as unreadable.
    """
    wanted = tuple(snapshots)
    unreadable: list[Unreadable] = []
    held_by: dict[str, set[int]] = {}
    manifests: dict[str, ManifestFile] = {}
    needed: set[str] = set()
    for snapshot in wanted:
        is_current = snapshot.snapshot_id == metadata.current_snapshot_id
        try:
            found = tuple(snapshot_manifests(storage, snapshot, resolver))
        except ProjectorError as error:
            if is_current:
                raise
            unreadable.append(
                Unreadable(snapshot.manifest_list or f"snapshot {snapshot.snapshot_id}", str(error), error)
            )
            continue
        for manifest in found:
            if manifest.has_live_files:
                manifests.setdefault(manifest.path, manifest)
                held_by.setdefault(manifest.path, set()).add(snapshot.snapshot_id)
                if is_current:
                    needed.add(manifest.path)
    gathered: dict[str, LiveFile] = {}
    interned: dict[frozenset[int], frozenset[int]] = {}
    for path, manifest in manifests.items():
        holders = frozenset(held_by[path])
        identity = _identity_ids(metadata, manifest)
        try:
            for entry in read_manifest(storage, manifest, resolver):
                if not entry.is_live:
                    continue
                known = gathered.get(_key(entry))
                if known is not None:
                    both = known.snapshots | holders
                    holders_here = interned.setdefault(both, both)
                    gathered[_key(entry)] = replace(known, snapshots=holders_here)
                    continue
                there = frozenset(source for source, held in identity.items() if held in entry.data_file.partition)
                there = interned.setdefault(there, there)
                location = resolver.resolve(entry.data_file.file_path)
                gathered[_key(entry)] = LiveFile(entry, location, holders, there, manifest)
        except ProjectorError as error:
            if path in needed:
                raise
            unreadable.append(Unreadable(path, str(error), error))
    files = tuple(gathered.values())
    return LiveFiles(
        wanted,
        tuple(file for file in files if file.is_data),
        tuple(file for file in files if not file.is_data),
        tuple(unreadable),
        tuple(manifests.values()),
    )


def _key(entry: ManifestEntry) -> str:
    # Deletion vectors share their Puffin file.
    file = entry.data_file
    return file.file_path if file.content_offset is None else f"{file.file_path}#{file.content_offset}"


def _identity_ids(metadata: TableMetadata, manifest: ManifestFile) -> Mapping[int, int]:
    spec = metadata.specs.get(manifest.spec_id)
    return {} if spec is None else spec.identity_source_ids
