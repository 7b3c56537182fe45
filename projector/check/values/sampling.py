"""Choose the files to read at level `values`: all, or some of every shape, partition spec and kind of deletes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from projector.check.evidence.footers import Footers
from projector.check.evidence.live_files import LiveFile
from projector.check.level import SampleSize
from projector.metadata.table_metadata import TableMetadata


@dataclass(frozen=True, slots=True)
class SampledFile:
    """A live file, the snapshot to read it in, and the rows that its footer counts."""

    file: LiveFile
    snapshot_id: int
    rows: int


@dataclass(frozen=True)
class ChosenFiles:
    """The files to read, each in one snapshot that holds it.

    Parameters
    ----------
    groups:
        The files of each group of the footers: one shape, and the columns in the partition tuple.
    left_out, left_out_rows:
        The number of live files that are not read, and their rows.
    """

    groups: tuple[tuple[SampledFile, ...], ...]
    left_out: int
    left_out_rows: int

    @property
    def files(self) -> int:
        """The number of files to read."""
        return sum(map(len, self.groups))

    @property
    def rows(self) -> int:
        """The number of their rows, by their footers."""
        return sum(file.rows for group in self.groups for file in group)


def choose_files(
    metadata: TableMetadata,
    footers: Footers,
    size: SampleSize,
    delete_kinds: Callable[[int, Sequence[LiveFile]], Mapping[str, object]],
) -> ChosenFiles:
    """Choose the files to read: those with rows first, the smallest first.

    A fault that depends only on the kind of a file shows in any file of the kind.

    Parameters
    ----------
    delete_kinds:
        Returns the kinds of deletes that apply to some files of a snapshot, by path. Called only for a sample.
    """
    current = metadata.current_snapshot_id
    groups = [
        tuple(
            SampledFile(file, current if current in file.snapshots else max(file.snapshots), rows)
            for file, rows in zip(group.files, group.row_counts, strict=True)
        )
        for group in footers.groups
    ]
    if size.is_all:
        return ChosenFiles(tuple(groups), 0, 0)
    chosen = []
    for group in groups:
        deletes: dict[tuple[int, str], object] = {}
        for snapshot_id, files in by_snapshot(group).items():
            found = delete_kinds(snapshot_id, [each.file for each in files])
            deletes |= {(snapshot_id, path): kind for path, kind in found.items()}
        kinds: dict[object, list[SampledFile]] = {}
        for each in group:
            key = each.file.manifest.spec_id, deletes.get((each.snapshot_id, each.file.path))
            kinds.setdefault(key, []).append(each)
        chosen.append(tuple(each for files in kinds.values() for each in _taken(files, size)))
    sample = ChosenFiles(tuple(chosen), 0, 0)
    return ChosenFiles(sample.groups, footers.file_count - sample.files, footers.row_count - sample.rows)


def _taken(files: Iterable[SampledFile], size: SampleSize) -> Iterator[SampledFile]:
    rows = 0
    for number, each in enumerate(sorted(files, key=lambda each: (each.rows == 0, each.rows))):
        if size.files is not None and number >= size.files:
            return
        if size.rows is not None and number and rows >= size.rows:
            return
        rows += each.rows
        yield each


def by_snapshot(files: Iterable[SampledFile]) -> Mapping[int, tuple[SampledFile, ...]]:
    """Return files by the id of the snapshot to read them in."""
    found: dict[int, list[SampledFile]] = {}
    for each in files:
        found.setdefault(each.snapshot_id, []).append(each)
    return {snapshot_id: tuple(several) for snapshot_id, several in found.items()}
