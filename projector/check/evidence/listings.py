"""What a check needs to know of every live file that a manifest lists, in columns, and kept on disk.

With a hundred thousand files an object for each is what time and memory go to. A listing has a path and a number of
rows for each file; the rest is the same for most files of a manifest and is said once, as their kind. What only some
rules want, such as bounds, is left in the manifest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from projector.metadata.manifests.read import DataFile, FileContent, ManifestEntry
from projector.schema.reserved import DELETE_FILE_PATH

K = TypeVar("K")


class EntryKind(NamedTuple):
    """What many files of a manifest have in common.

    Parameters
    ----------
    content, file_format, sort_order_id, equality_ids:
        As in `DataFile`.
    partition_ids:
        The partition fields that their tuples have.
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
        Of each file, as the manifest has it.
    kinds, kind_of:
        The kinds of files, and the number of each file's; None where all are of the first.
    offsets:
        Where in its file each deletion vector begins; None where there are none.
    targets:
        The one data file that each position delete is about, as far as the manifest says; None where there are none.
    sizes:
        The size of each file in bytes, as the manifest has it.
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
        """What tells the files apart: their paths, but deletion vectors share their Puffin file."""
        if self.offsets is None:
            return self.paths
        pairs = zip(self.paths, self.offsets, strict=True)
        return [path if offset is None else f"{path}#{offset}" for path, offset in pairs]

    def kind(self, index: int) -> EntryKind:
        """The kind of a file."""
        return self.kinds[0 if self.kind_of is None else self.kind_of[index]]

    def split(self, indexes: Sequence[int], key: Callable[[EntryKind], K]) -> dict[K, Sequence[int]]:
        """Files by something that depends on their kind alone, in their order."""
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
        """The listing of a manifest's live entries. Raises `CorruptFileError` for bounds that cannot be decoded."""
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
            [_target(file) for file in files] if has_positions else None,
            [file.file_size_in_bytes for file in files],
        )

    def to_bytes(self) -> bytes:
        """The listing, to be kept."""
        columns = (self.paths, self.row_counts, self.kinds, self.kind_of, self.offsets, self.targets, self.sizes)
        return json.dumps(columns).encode()

    @staticmethod
    def from_bytes(data: bytes) -> Listing:
        """A listing that was kept. Raises `ValueError` or `TypeError` for anything else."""
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


def _target(file: DataFile) -> str | None:
    """The one data file that a position delete is about, as far as its manifest says."""
    if file.content is not FileContent.POSITION_DELETES or file.referenced_data_file is not None:
        return file.referenced_data_file
    lower = file.lower_bounds.get(DELETE_FILE_PATH)
    if lower is None or lower != file.upper_bounds.get(DELETE_FILE_PATH):
        return None
    try:
        return str(lower.decode())
    except UnicodeDecodeError:
        return None
