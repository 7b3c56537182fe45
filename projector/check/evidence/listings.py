"""List the live files of a manifest in columns, in a form that can be cached on disk.

With a hundred thousand files, an object for each would dominate time and memory. A listing has a path, a number of rows
and a size for each file; everything else is the same for most files of a manifest and is stored once, as their kind.
Details that only some rules need, such as bounds, stay in the manifest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from projector.metadata.manifests.read import FileContent, ManifestEntry

K = TypeVar("K")


class EntryKind(NamedTuple):
    """The attributes that many files of a manifest share.

    Parameters
    ----------
    content, file_format, sort_order_id, equality_ids:
        As in `DataFile`.
    partition_ids:
        The partition fields of their tuples.
    snapshot_id:
        The snapshot that added them.
    is_encrypted:
        Whether they have key metadata.
    """

    content: FileContent
    file_format: str
    partition_ids: tuple[int, ...]
    snapshot_id: int | None
    is_encrypted: bool
    sort_order_id: int | None
    equality_ids: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Listing:
    """The live files of a manifest, in its order.

    Parameters
    ----------
    paths, row_counts:
        The path and rows of each file, by the manifest.
    kinds, kind_of:
        The kinds of files, and the number of each file's kind; None if all are of the first.
    offsets:
        The offset of each deletion vector in its file; None if there are no vectors.
    targets:
        The only data file that each position delete applies to, if the manifest names it; None if there are no position
        deletes.
    sizes:
        The size of each file in bytes, by the manifest.
    """

    paths: Sequence[str]
    row_counts: Sequence[int]
    kinds: Sequence[EntryKind]
    kind_of: Sequence[int] | None = None
    offsets: Sequence[int | None] | None = None
    targets: Sequence[str | None] | None = None
    sizes: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.paths)

    @property
    def keys(self) -> Sequence[str]:
        """The identity of each file: its path, and for deletion vectors, which share a Puffin file, the offset."""
        if self.offsets is None:
            return self.paths
        pairs = zip(self.paths, self.offsets, strict=True)
        return [path if offset is None else f"{path}#{offset}" for path, offset in pairs]

    def kind(self, index: int) -> EntryKind:
        """Return the kind of a file."""
        return self.kinds[0 if self.kind_of is None else self.kind_of[index]]

    def split(self, indexes: Sequence[int], key: Callable[[EntryKind], K]) -> dict[K, Sequence[int]]:
        """Group files by a key of their kind, in their order."""
        keys = [key(kind) for kind in self.kinds]
        if not indexes:
            return {}
        if self.kind_of is None or all(each == keys[0] for each in keys):
            return {keys[0]: indexes}
        found: dict[K, list[int]] = {}
        kind_of = self.kind_of
        for index in indexes:
            found.setdefault(keys[kind_of[index]], []).append(index)
        return {**found}

    @staticmethod
    def of(entries: Sequence[ManifestEntry]) -> Listing:
        """Return the listing of a manifest's live entries. Raises `CorruptFileError` for invalid bounds."""
        kinds: dict[tuple[object, ...], int] = {}
        kind_of, files = [], [entry.data_file for entry in entries]
        for entry, file in zip(entries, files, strict=True):
            made = (
                file.content,
                file.file_format,
                tuple(file.partition),
                entry.snapshot_id,
                file.key_metadata is not None,
                file.sort_order_id,
                file.equality_ids,
            )
            kind_of.append(kinds.setdefault(made, len(kinds)))
        has_positions = any(kind[0] is FileContent.POSITION_DELETES for kind in kinds)
        return Listing(
            [file.file_path for file in files],
            [file.record_count for file in files],
            [EntryKind(*kind) for kind in kinds],  # type: ignore[arg-type]
            kind_of if len(kinds) > 1 else None,
            [f.content_offset for f in files] if any(f.content_offset is not None for f in files) else None,
            [file.target_file for file in files] if has_positions else None,
            [file.file_size_in_bytes for file in files],
        )

    def to_bytes(self) -> bytes:
        """Return the listing in the form of the cache."""
        columns = (self.paths, self.row_counts, self.kinds, self.kind_of, self.offsets, self.targets, self.sizes)
        return json.dumps(columns).encode()

    @staticmethod
    def from_bytes(data: bytes) -> Listing:
        """Return a cached listing. Raises `ValueError` or `TypeError` for anything else."""
        paths, row_counts, kinds, *others = json.loads(data)
        columns = [column for column in (row_counts, *others) if column is not None]
        if len(others) != 4 or any(len(column) != len(paths) for column in columns):
            raise ValueError("columns of other lengths")
        made = [
            EntryKind(
                FileContent(content),
                name,
                tuple(ids),
                snapshot,
                encrypted,
                order,
                keys if keys is None else tuple(keys),
            )
            for content, name, ids, snapshot, encrypted, order, keys in kinds
        ]
        return Listing(paths, row_counts, made, *others)
