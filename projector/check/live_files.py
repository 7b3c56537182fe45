"""Every live file of a table's retained snapshots, each once, from the manifests: each manifest is read once.

The files of a manifest stay in columns; a `LiveFile` is made where one is looked at. What the columns do not have is
looked up in the manifest's entries, which are read then, unless they have been.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TypeVar, overload

from projector.check.listings import Kind, Listing, listing_recipes
from projector.errors import CorruptFileError, ProjectorError
from projector.files.cache_file import CacheFile
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

K = TypeVar("K")


@dataclass(eq=False)
class Source:
    """A manifest with live files, as far as they are not in a manifest before it.

    Parameters
    ----------
    manifest:
        The manifest, as a manifest list names it.
    listing, locations:
        Its live files, and where each is read from.
    identity_ids:
        For each kind of file, the ids of the columns whose value the partition tuple holds.
    snapshots:
        Ids of the snapshots that have the manifest.
    own:
        Indexes of the files that no manifest before it lists.
    also_in:
        All snapshots of files that manifests behind it list as well.
    recipe:
        What the listing depends on; None where nothing of it is kept on disk.
    """

    manifest: ManifestFile
    listing: Listing
    locations: Sequence[str]
    identity_ids: Sequence[frozenset[int]]
    snapshots: frozenset[int]
    own: Sequence[int]
    recipe: bytes | None
    read: Callable[[], Sequence[ManifestEntry]] = field(repr=False)
    also_in: dict[int, frozenset[int]] = field(default_factory=dict)

    @cached_property
    def entries(self) -> Sequence[ManifestEntry]:
        """What the manifest says of each of its live files. Raises as `read_manifest` does."""
        found = self.read()
        if len(found) != len(self.listing):
            raise CorruptFileError("The manifest was replaced while the table was looked at", file=self.manifest.path)
        return found


@dataclass(frozen=True, slots=True)
class LiveFile:
    """A data or delete file that at least one of the snapshots has: one of a manifest's."""

    source: Source
    index: int

    @property
    def kind(self) -> Kind:
        """What it has in common with others: content, format, partition fields, the snapshot that added it."""
        return self.source.listing.kind(self.index)

    @property
    def path(self) -> str:
        """The path as the manifest spells it."""
        return self.source.listing.paths[self.index]

    @property
    def location(self) -> str:
        """Where it is read from."""
        return self.source.locations[self.index]

    @property
    def record_count(self) -> int:
        """Its rows, by the manifest."""
        return self.source.listing.row_counts[self.index]

    @property
    def target(self) -> str | None:
        """Of a position delete: the one data file that it is about, as far as its manifest says."""
        targets = self.source.listing.targets
        return None if targets is None else targets[self.index]

    @property
    def snapshots(self) -> frozenset[int]:
        """Ids of the snapshots that have it."""
        return self.source.also_in.get(self.index, self.source.snapshots)

    @property
    def manifest(self) -> ManifestFile:
        """The first manifest that lists it, as a manifest list names that."""
        return self.source.manifest

    @property
    def entry(self) -> ManifestEntry:
        """All that its manifest says of it; the manifest is read for this, unless it has been."""
        return self.source.entries[self.index]

    @property
    def data_file(self) -> DataFile:
        """What the manifest says of the file itself; see `entry`."""
        return self.entry.data_file


@dataclass(frozen=True, slots=True)
class Run:
    """Some files of one manifest, by their indexes."""

    source: Source
    indexes: Sequence[int]

    def column(self, values: Sequence[K]) -> Sequence[K]:
        """The values of these files in a column of the listing."""
        return values if len(self.indexes) == len(values) else [values[index] for index in self.indexes]


class Files(Sequence[LiveFile]):
    """Live files in their order; each is made when it is looked at."""

    __slots__ = ("_length", "runs")

    def __init__(self, runs: Iterable[Run] = ()) -> None:
        self.runs = tuple(runs)
        self._length = sum(len(run.indexes) for run in self.runs)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[LiveFile]:
        return (LiveFile(run.source, index) for run in self.runs for index in run.indexes)

    @overload
    def __getitem__(self, at: int) -> LiveFile: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[LiveFile]: ...
    def __getitem__(self, at: int | slice) -> LiveFile | Sequence[LiveFile]:
        if isinstance(at, slice):
            return tuple(self)[at]
        place = at + self._length if at < 0 else at
        for run in self.runs if place >= 0 else ():
            if place < len(run.indexes):
                return LiveFile(run.source, run.indexes[place])
            place -= len(run.indexes)
        raise IndexError(at)

    def __add__(self, others: Files) -> Files:
        return Files((*self.runs, *others.runs))

    def __repr__(self) -> str:
        return f"Files({self._length} of {len(self.runs)} manifests)"

    @property
    def record_count(self) -> int:
        """Rows of all of them, by the manifests."""
        return sum(sum(run.column(run.source.listing.row_counts)) for run in self.runs)

    @property
    def paths(self) -> Iterator[str]:
        """The path of each."""
        return chain.from_iterable(run.column(run.source.listing.paths) for run in self.runs)

    @property
    def snapshots(self) -> frozenset[frozenset[int]]:
        """The sets of snapshots that have some of them."""
        found: set[frozenset[int]] = set()
        for run in self.runs:
            also_in = run.source.also_in
            others = also_in.keys() & set(run.indexes) if also_in else ()
            found.update(also_in[index] for index in others)
            if len(others) < len(run.indexes):
                found.add(run.source.snapshots)
        return frozenset(found)

    def by(self, key: Callable[[Source, Kind], K]) -> dict[K, Files]:
        """The files by something that depends on their manifest and kind alone."""
        found: dict[K, list[Run]] = {}
        for run in self.runs:
            source = run.source
            for each, indexes in source.listing.split(run.indexes, lambda kind, s=source: key(s, kind)).items():  # type: ignore[misc]
                found.setdefault(each, []).append(Run(source, indexes))
        return {each: Files(runs) for each, runs in found.items()}


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
    data: Files = field(default_factory=Files)
    deletes: Files = field(default_factory=Files)
    unreadable: tuple[Unreadable, ...] = ()
    manifests: tuple[ManifestFile, ...] = field(default=(), repr=False)

    @property
    def all(self) -> Files:
        """Data and delete files."""
        return self.data + self.deletes


def live_files(
    metadata: TableMetadata,
    storage: Storage,
    resolver: PathResolver,
    snapshots: Iterable[Snapshot],
    cache: CacheFile | None = None,
) -> LiveFiles:
    """The live files of the snapshots given.

    Parameters
    ----------
    cache:
        Where listings of manifests are kept; those that it has are not read.

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
    listed = tuple(manifests.values())
    recipes = [None] * len(listed) if cache is None else listing_recipes(listed, storage, resolver)
    kept = {} if cache is None else cache.pieces(recipe for recipe in recipes if recipe is not None)
    fresh: dict[bytes, bytes] = {}
    gathered = _Gathered()
    for manifest, recipe in zip(listed, recipes, strict=True):
        reader = _Reader(storage, manifest, resolver)
        listing = None if recipe is None else _kept_listing(kept.pop(recipe, None))
        if listing is None:
            listing, problem = reader.listing()
            if problem is not None:
                recipe = None
                if manifest.path in needed:
                    raise problem
                unreadable.append(Unreadable(manifest.path, str(problem), problem))
            if recipe is not None:
                fresh[recipe] = listing.to_bytes()
        held = _identity_ids(metadata, manifest)
        identity = [frozenset(s for s, part in held.items() if part in kind.partition_ids) for kind in listing.kinds]
        locations = resolver.resolve_all(listing.paths)
        holders = frozenset(held_by[manifest.path])
        own = range(len(listing))
        gathered.add(Source(manifest, listing, locations, identity, holders, own, recipe, reader.entries))
    if cache is not None:
        cache.keep_pieces(fresh)
    split = Files(Run(s, s.own) for s in gathered.sources).by(lambda _, kind: kind.content is FileContent.DATA)
    return LiveFiles(wanted, split.get(True, Files()), split.get(False, Files()), tuple(unreadable), listed)


@dataclass
class _Reader:
    """Reads the live entries of a manifest, once."""

    storage: Storage
    manifest: ManifestFile
    resolver: PathResolver
    _found: list[ManifestEntry] | None = None

    def listing(self) -> tuple[Listing, ProjectorError | None]:
        """The listing; of a manifest that is damaged, of the entries before that, and the error."""
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
        """The live entries. Raises as `read_manifest` does."""
        if self._found is None:
            entries = read_manifest(self.storage, self.manifest, self.resolver)
            self._found = [entry for entry in entries if entry.is_live]
        return self._found


class _Gathered:
    """Manifests with live files, put together so that each file is the first's that lists it."""

    def __init__(self) -> None:
        self.sources: list[Source] = []
        self._keys: set[str] = set()
        self._places: dict[str, tuple[Source, int]] = {}
        self._placed = 0
        self._interned: dict[frozenset[int], frozenset[int]] = {}

    def add(self, source: Source) -> None:
        """One more manifest. Files that are known stay with the one before, and are in its snapshots too."""
        keys = source.listing.keys
        self.sources.append(source)
        if len(set(keys)) == len(keys) and self._keys.isdisjoint(keys):
            self._keys.update(keys)
            return
        own: list[int] = []
        places = self._places
        for earlier in self.sources[self._placed : -1]:  # most tables never come here
            known = earlier.listing.keys
            places.update((known[index], (earlier, index)) for index in earlier.own)
        self._placed = len(self.sources)
        for index, key in enumerate(keys):
            first, place = places.setdefault(key, (source, index))
            if first is source and place == index:
                own.append(index)
                continue
            both = first.also_in.get(place, first.snapshots) | source.snapshots
            first.also_in[place] = self._interned.setdefault(both, both)
        source.own = own
        self._keys.update(keys)


def _identity_ids(metadata: TableMetadata, manifest: ManifestFile) -> Mapping[int, int]:
    spec = metadata.specs.get(manifest.spec_id)
    return {} if spec is None else spec.identity_source_ids


def _kept_listing(piece: bytes | None) -> Listing | None:
    if piece is None:
        return None
    try:
        return Listing.from_bytes(piece)
    except (ValueError, TypeError):
        return None
