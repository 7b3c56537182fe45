"""Which files are read at level `values`: all of them, or some of every shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from projector.check.footers import Footers
from projector.check.live_files import LiveFile
from projector.metadata.table_metadata import TableMetadata


@dataclass(frozen=True)
class Sample:
    """Files to read, each in one snapshot that has it.

    Parameters
    ----------
    by_snapshot:
        Files by the id of the snapshot that they are read in.
    left_out:
        Live files that are not read.
    groups:
        The same files with their snapshots, for each group of files.
    """

    by_snapshot: Mapping[int, tuple[LiveFile, ...]]
    left_out: int
    groups: tuple[tuple[tuple[int, LiveFile], ...], ...] = ()

    @property
    def files(self) -> int:
        """How many files are read."""
        return sum(map(len, self.by_snapshot.values()))


def choose_files(metadata: TableMetadata, footers: Footers, per_group: int | None) -> Sample:
    """Choose files to read.

    Parameters
    ----------
    per_group:
        Files of each group (a shape, and the partition values that are present) at most; None for all.

    The smallest files of a group are chosen, those with rows first: what is found in a shape is found in any of its
    files, as far as it depends on the shape.
    """
    chosen: list[tuple[tuple[int, LiveFile], ...]] = []
    current = metadata.current_snapshot_id
    for group in footers.groups:
        files = sorted(
            zip(group.row_counts, range(len(group.files)), group.files, strict=True), key=_smallest_with_rows
        )
        picked = [file for _, _, file in files[:per_group]]
        chosen.append(tuple((current if current in f.snapshots else max(f.snapshots), f) for f in picked))
    pairs = [pair for group in chosen for pair in group]
    return Sample(by_snapshot(pairs), footers.file_count - len(pairs), tuple(chosen))


def by_snapshot(pairs: Iterable[tuple[int, LiveFile]]) -> Mapping[int, tuple[LiveFile, ...]]:
    """Files by the id of the snapshot that they are read in."""
    found: dict[int, list[LiveFile]] = {}
    for snapshot_id, file in pairs:
        found.setdefault(snapshot_id, []).append(file)
    return {snapshot_id: tuple(files) for snapshot_id, files in found.items()}


def _smallest_with_rows(entry: tuple[int, int, LiveFile]) -> tuple[bool, int, int]:
    rows, place, _ = entry
    return rows == 0, rows, place
