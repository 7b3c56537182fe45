"""Find every live file of some snapshots, each once. Each manifest is read once, and cached on disk as a listing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from projector.check.evidence.cache_keys import file_cache_keys
from projector.check.evidence.listings import Listing
from projector.check.evidence.live_files import Files, ListedTwice, LiveFile, LiveFiles, LiveManifest, Run
from projector.check.evidence.manifest_lists import manifests_of
from projector.check.report.looked_at import Unreadable
from projector.errors import ProjectorError
from projector.files.cache.database import CacheFile
from projector.files.cache.entries import Pieces
from projector.files.storage.locations import PathResolver, canonical
from projector.files.storage.storage import Storage
from projector.metadata.manifests.read import FileContent, ManifestEntry, ManifestFile, read_manifest
from projector.metadata.snapshots import Snapshot
from projector.metadata.table_metadata import TableMetadata


def find_live_files(
    metadata: TableMetadata,
    storage: Storage,
    resolver: PathResolver,
    snapshots: Iterable[Snapshot],
    cache: CacheFile | None = None,
) -> LiveFiles:
    """Return the live files of some snapshots.

    Parameters
    ----------
    cache:
        Cached listings of manifests; manifests with a listing are not read.

    Raises
    ------
    NotFoundError, CorruptFileError, UnsupportedError, InvalidMetadataError
        If the manifests of the current snapshot cannot be read. Those of older snapshots are listed as unreadable.
    """
    wanted = tuple(snapshots)
    unreadable: list[Unreadable] = []
    held_by: dict[str, set[int]] = {}
    manifests: dict[str, ManifestFile] = {}
    needed: set[str] = set()
    for snapshot, found in manifests_of(wanted, storage, resolver, cache):
        is_current = snapshot.snapshot_id == metadata.current_snapshot_id
        if isinstance(found, ProjectorError):
            if is_current:
                raise found
            name = snapshot.manifest_list or f"snapshot {snapshot.snapshot_id}"
            unreadable.append(Unreadable(name, str(found), found, "manifest list"))
            continue
        for manifest in found:
            if manifest.has_live_files:
                manifests.setdefault(manifest.path, manifest)
                held_by.setdefault(manifest.path, set()).add(snapshot.snapshot_id)
                if is_current:
                    needed.add(manifest.path)
    listed = tuple(manifests.values())
    cache_keys: list[bytes | None] = [None] * len(listed)
    if cache is not None:
        inherited = [f"{m.length} {m.spec_id} {m.added_snapshot_id} {m.key_metadata!r}" for m in listed]
        cache_keys = file_cache_keys(
            "listing, targets by whole bounds", resolver.resolve_all([m.path for m in listed]), storage, inherited
        )
    pieces = Pieces(cache, cache_keys)
    gathered = _Gathered()
    for manifest, cache_key in zip(listed, cache_keys, strict=True):
        reader = _Reader(storage, manifest, resolver)
        listing = pieces.get(cache_key, Listing.from_bytes)
        if listing is None:
            listing, problem = reader.listing()
            if problem is not None:
                cache_key = None
                if manifest.path in needed:
                    raise problem
                unreadable.append(Unreadable(manifest.path, str(problem), problem, "manifest"))
            pieces.add(cache_key, listing.to_bytes)
        held = _identity_ids(metadata, manifest)
        identity = [frozenset(s for s, part in held.items() if part in kind.partition_ids) for kind in listing.kinds]
        locations = resolver.resolve_all(listing.paths)
        holders = frozenset(held_by[manifest.path])
        own = range(len(listing))
        gathered.add(LiveManifest(manifest, listing, locations, identity, holders, own, cache_key, reader.entries))
    pieces.save()
    split = Files(Run(s, s.own) for s in gathered.sources).by(lambda _, kind: kind.content is FileContent.DATA)
    data, deletes = split.get(True, Files()), split.get(False, Files())
    twice = (*gathered.listed_twice, *_spelled_twice(data), *_vectors_twice(deletes))
    return LiveFiles(wanted, data, deletes, tuple(unreadable), listed, twice)


@dataclass
class _Reader:
    """Reads the live entries of a manifest, once."""

    storage: Storage
    manifest: ManifestFile
    resolver: PathResolver
    _found: list[ManifestEntry] | None = None

    def listing(self) -> tuple[Listing, ProjectorError | None]:
        """Return the listing; for a damaged manifest, the listing of the entries before the damage, and the error."""
        self._found = found = []
        problem: ProjectorError | None = None
        try:
            for entry in read_manifest(self.storage, self.manifest, self.resolver):
                if entry.is_live:
                    found.append(entry)
        except ProjectorError as error:
            problem = error
        try:
            return Listing.of(found), problem
        except ProjectorError as error:
            found.clear()
            return Listing.of(()), problem or error

    def entries(self) -> Sequence[ManifestEntry]:
        """Return the live entries. Raises as `read_manifest` does."""
        if self._found is None:
            entries = read_manifest(self.storage, self.manifest, self.resolver)
            self._found = [entry for entry in entries if entry.is_live]
        return self._found


class _Gathered:
    """Manifests with live files. Each file belongs to the first manifest that lists it."""

    def __init__(self) -> None:
        self.sources: list[LiveManifest] = []
        self._keys: set[str] = set()
        self._places: dict[str, tuple[LiveManifest, int]] = {}
        self._placed = 0
        self._interned: dict[frozenset[int], frozenset[int]] = {}
        self.listed_twice: list[ListedTwice] = []

    def add(self, source: LiveManifest) -> None:
        """Add a manifest. Known files stay with their first manifest, and are recorded as in the new snapshots too."""
        keys = source.listing.keys
        self.sources.append(source)
        if len(set(keys)) == len(keys) and self._keys.isdisjoint(keys):
            self._keys.update(keys)
            return
        own: list[int] = []
        places = self._places
        for earlier in self.sources[self._placed : -1]:  # most tables never get here
            known = earlier.listing.keys
            places.update((known[index], (earlier, index)) for index in earlier.own)
        self._placed = len(self.sources)
        for index, key in enumerate(keys):
            first, place = places.setdefault(key, (source, index))
            if first is source and place == index:
                own.append(index)
                continue
            if first is source or first.also_in.get(place, first.snapshots) & source.snapshots:
                is_data = source.listing.kind(index).content is FileContent.DATA
                manifests = first.manifest.path, source.manifest.path
                what = "data file" if is_data else "delete file"
                self.listed_twice.append(ListedTwice(source.listing.paths[index], manifests, what))
            both = first.also_in.get(place, first.snapshots) | source.snapshots
            first.also_in[place] = self._interned.setdefault(both, both)
        source.own = own
        self._keys.update(keys)


def _spelled_twice(files: Files) -> Iterator[ListedTwice]:
    """Yield data files that one snapshot lists under two spellings of one path."""
    locations = [location for run in files.runs for location in run.column(run.source.locations)]
    if len({*map(canonical, locations)}) == len(locations):
        return
    first: dict[str, LiveFile] = {}
    for file in files:
        known = first.setdefault(canonical(file.location), file)
        if known is not file and known.snapshots & file.snapshots:
            yield ListedTwice(file.path, (known.manifest.path, file.manifest.path), "data file")


def _vectors_twice(deletes: Files) -> Iterator[ListedTwice]:
    """Yield data files with two deletion vectors in one snapshot (spec: at most one may apply)."""
    first: dict[str, list[LiveFile]] = {}
    for file in deletes:
        if file.kind.file_format.upper() == "PUFFIN" and file.target is not None:
            others = first.setdefault(canonical(file.target), [])
            for known in others:
                if known.snapshots & file.snapshots:
                    yield ListedTwice(file.target, (known.manifest.path, file.manifest.path), "deletion vector")
                    break
            others.append(file)


def _identity_ids(metadata: TableMetadata, manifest: ManifestFile) -> Mapping[int, int]:
    spec = metadata.specs.get(manifest.spec_id)
    return {} if spec is None else spec.identity_source_ids
