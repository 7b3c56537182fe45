"""Live files of a table, from its manifests, each once.

The files of a manifest stay in columns; a `LiveFile` is made on access. Attributes that the columns do not have come
from the manifest's entries, which are read on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar, overload

from projector.check.evidence.listings import EntryKind, Listing
from projector.check.report.looked_at import Unreadable
from projector.errors import CorruptFileError
from projector.metadata.manifests.read import (
    DataFile,
    ManifestEntry,
    ManifestFile,
)
from projector.metadata.snapshots import Snapshot

K = TypeVar("K")


@dataclass(eq=False)
class LiveManifest:
    """A manifest and its live files.

    Parameters
    ----------
    manifest:
        The manifest, by its entry in a manifest list.
    listing, locations:
        Its live files, and the location of each.
    identity_ids:
        For each kind of file, the ids of the columns whose value the partition tuple holds.
    snapshots:
        Ids of the snapshots that hold the manifest.
    own:
        Indexes of the files that no earlier manifest lists.
    also_in:
        All snapshots of files that later manifests list as well, by index.
    metrics:
        Statistics of all its files, by name and field id, as far as they have been looked up.
    cache_key:
        The cache key of the listing; None if it is not cached.
    """

    manifest: ManifestFile
    listing: Listing
    locations: Sequence[str]
    identity_ids: Sequence[frozenset[int]]
    snapshots: frozenset[int]
    own: Sequence[int]
    cache_key: bytes | None
    read: Callable[[], Sequence[ManifestEntry]] = field(repr=False)
    also_in: dict[int, frozenset[int]] = field(default_factory=dict)
    metrics: dict[tuple[str, int], Sequence[Any]] = field(default_factory=dict, repr=False)

    @cached_property
    def entries(self) -> Sequence[ManifestEntry]:
        """The manifest's entry for each of its live files. Raises as `read_manifest` does."""
        found = self.read()
        if len(found) != len(self.listing):
            raise CorruptFileError("The manifest was replaced while the table was checked", file=self.manifest.path)
        return found


@dataclass(frozen=True, slots=True)
class LiveFile:
    """A data or delete file that at least one of the snapshots holds."""

    source: LiveManifest
    index: int

    @property
    def kind(self) -> EntryKind:
        """The attributes that it shares with others: content, format, partition fields, the snapshot that added it."""
        return self.source.listing.kind(self.index)

    @property
    def path(self) -> str:
        """The path as the manifest spells it."""
        return self.source.listing.paths[self.index]

    @property
    def location(self) -> str:
        """The location to read it from."""
        return self.source.locations[self.index]

    @property
    def record_count(self) -> int:
        """The number of rows, by the manifest."""
        return self.source.listing.row_counts[self.index]

    @property
    def target(self) -> str | None:
        """The only data file that a position delete applies to, if its manifest names it."""
        targets = self.source.listing.targets
        return None if targets is None else targets[self.index]

    @property
    def snapshots(self) -> frozenset[int]:
        """Ids of the snapshots that hold it."""
        return self.source.also_in.get(self.index, self.source.snapshots)

    @property
    def manifest(self) -> ManifestFile:
        """The first manifest that lists it."""
        return self.source.manifest

    @property
    def entry(self) -> ManifestEntry:
        """Its manifest entry; reads the manifest on first use."""
        return self.source.entries[self.index]

    @property
    def data_file(self) -> DataFile:
        """The data file of its manifest entry; see `entry`."""
        return self.entry.data_file


@dataclass(frozen=True, slots=True)
class Run:
    """Some files of one manifest, by their indexes."""

    source: LiveManifest
    indexes: Sequence[int]

    def column(self, values: Sequence[K]) -> Sequence[K]:
        """Return the values of these files in a column of the listing."""
        return values if len(self.indexes) == len(values) else [values[index] for index in self.indexes]


class Files(Sequence[LiveFile]):
    """Live files in order; each is made on access."""

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
        """The rows of all files, by the manifests."""
        return sum(sum(run.column(run.source.listing.row_counts)) for run in self.runs)

    @property
    def paths(self) -> Iterator[str]:
        """The paths of the files."""
        return chain.from_iterable(run.column(run.source.listing.paths) for run in self.runs)

    @property
    def snapshots(self) -> frozenset[frozenset[int]]:
        """The distinct sets of snapshots that hold any of the files."""
        found: set[frozenset[int]] = set()
        for run in self.runs:
            also_in = run.source.also_in
            others = also_in.keys() & set(run.indexes) if also_in else ()
            found.update(also_in[index] for index in others)
            if len(others) < len(run.indexes):
                found.add(run.source.snapshots)
        return frozenset(found)

    def by(self, key: Callable[[LiveManifest, EntryKind], K]) -> dict[K, Files]:
        """Group the files by a key of their manifest and kind."""
        found: dict[K, list[Run]] = {}
        for run in self.runs:
            source = run.source
            for each, indexes in source.listing.split(run.indexes, lambda kind, s=source: key(s, kind)).items():  # type: ignore[misc]
                found.setdefault(each, []).append(Run(source, indexes))
        return {each: Files(runs) for each, runs in found.items()}


@dataclass(frozen=True, slots=True)
class ListedTwice:
    """A file that one snapshot lists twice, so that a scan returns its rows, or applies its deletes, twice.

    Parameters
    ----------
    file:
        Its path; for a deletion vector, the path of its data file.
    manifests:
        The paths of the manifests, which may be equal.
    what:
        `data file`, `delete file` or `deletion vector`.
    """

    file: str
    manifests: tuple[str, str]
    what: str


@dataclass(frozen=True)
class LiveFiles:
    """The live files of some snapshots.

    Parameters
    ----------
    snapshots:
        The snapshots.
    data, deletes:
        Their files, each once, in the order of the manifests.
    unreadable:
        Manifest lists and manifests that could not be read.
    listed_twice:
        Files that one snapshot lists twice.
    """

    snapshots: tuple[Snapshot, ...] = ()
    data: Files = field(default_factory=Files)
    deletes: Files = field(default_factory=Files)
    unreadable: tuple[Unreadable, ...] = ()
    manifests: tuple[ManifestFile, ...] = field(default=(), repr=False)
    listed_twice: tuple[ListedTwice, ...] = ()

    @property
    def all(self) -> Files:
        """Data and delete files."""
        return self.data + self.deletes
