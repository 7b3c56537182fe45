"""Which files are read at level `values`: all of them, or some of every shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from projector.check.live_files import LiveFile
from projector.check.shape_groups import Footers
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
    """

    by_snapshot: Mapping[int, tuple[LiveFile, ...]]
    left_out: int

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
    chosen: dict[int, list[LiveFile]] = {}
    count = 0
    for group in footers.groups:
        files = sorted(
            zip(group.row_counts, range(len(group.files)), group.files, strict=True), key=_smallest_with_rows
        )
        for _, _, file in files if per_group is None else files[:per_group]:
            count += 1
            current = metadata.current_snapshot_id
            snapshot_id = current if current in file.snapshots else max(file.snapshots)
            assert snapshot_id is not None
            chosen.setdefault(snapshot_id, []).append(file)
    return Sample({i: tuple(files) for i, files in chosen.items()}, footers.file_count - count)


def _smallest_with_rows(entry: tuple[int, int, LiveFile]) -> tuple[bool, int, int]:
    rows, place, _ = entry
    return rows == 0, rows, place
