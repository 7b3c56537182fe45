"""The plan of a scan: file tasks, planned on demand, and figures about what is skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from projector.errors import ProjectorError
from projector.files.concurrency.gc_pause import gc_paused
from projector.files.shapes.shapes import KnownShapes, file_shape
from projector.files.storage.storage import Storage
from projector.planning.scan.tasks import FileTask


@dataclass(frozen=True, slots=True)
class Opened:
    """A manifest that is read."""

    manifest: str


@dataclass(frozen=True, slots=True)
class Decoded:
    """The cost of a manifest read to its end: its entries, deleted ones included, and its bytes."""

    entries: int
    bytes_read: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A manifest or data file that is skipped, and why; `record_count` of a data file, by its manifest."""

    file: str
    reason: str
    record_count: int | None = None


Step = FileTask | Opened | Decoded | Skipped
"""What planning yields. A skipped data file has a record count, a skipped manifest has none."""


@dataclass(frozen=True, slots=True)
class SkippedTotal:
    """How many live data files are skipped for one reason, and their records by the manifests."""

    reason: str
    files: int
    records: int


@dataclass
class ScanPlan:
    """The data files of a scan. Iterating yields `FileTask`s, planned on demand and cached for the next iteration.

    Of skipped files only figures are stored, so memory grows with what is read. The properties plan all tasks.
    """

    _steps: Callable[[], Iterator[Step]] = field(repr=False)
    _source: Iterator[Step] | None = field(default=None, init=False, repr=False)
    _tasks: list[FileTask] = field(default_factory=list, init=False, repr=False)
    _manifests: list[str] = field(default_factory=list, init=False, repr=False)
    _skipped_manifests: list[Skipped] = field(default_factory=list, init=False, repr=False)
    _entries_decoded: int = field(default=0, init=False, repr=False)
    _bytes_read: int = field(default=0, init=False, repr=False)
    _skipped: dict[str, list[int]] = field(default_factory=dict, init=False, repr=False)

    def __iter__(self) -> Iterator[FileTask]:
        drawn = 0
        while True:
            while drawn < len(self._tasks):
                yield self._tasks[drawn]
                drawn += 1
            if not self._draw():
                return

    def __repr__(self) -> str:
        """Return the size of the scan in one line. Plans all tasks."""
        try:
            tasks = self.tasks
        except ProjectorError as error:
            return f"ScanPlan(fails: {error})"
        sizes = [task.file_size for task in tasks if task.file_size is not None]
        deletes = {(d.file, d.content_offset) for task in tasks for d in task.deletes}
        said = [_counted(len(tasks), "file"), _counted(self.records_to_read, "row")]
        if sizes:
            said.append(_counted(sum(sizes), "byte"))
        return f"ScanPlan({', '.join([*said, _counted(len(deletes), 'delete file')])})"

    def _draw(self) -> bool:
        """Plan the next task. Return False at the end."""
        if self._source is None:
            self._source = self._steps()
        try:
            for step in self._source:
                match step:
                    case FileTask():
                        self._tasks.append(step)
                        return True
                    case Opened(manifest):
                        self._manifests.append(manifest)
                    case Decoded(entries, bytes_read):
                        self._entries_decoded += entries
                        self._bytes_read += bytes_read
                    case Skipped(record_count=None):
                        self._skipped_manifests.append(step)
                    case Skipped(reason=reason, record_count=int(records)):
                        total = self._skipped.setdefault(reason, [0, 0])
                        total[0] += 1
                        total[1] += records
        except BaseException:
            # Raise the planning error again on every later call, instead of returning the tasks so far.
            self._source = None
            self._entries_decoded = self._bytes_read = 0
            for kept in (self._tasks, self._manifests, self._skipped_manifests, self._skipped):
                kept.clear()
            raise
        return False

    def _complete(self) -> None:
        with gc_paused():
            while self._draw():
                pass

    @property
    def tasks(self) -> tuple[FileTask, ...]:
        """All files to read."""
        self._complete()
        return tuple(self._tasks)

    @property
    def manifests(self) -> tuple[str, ...]:
        """The manifests that were opened."""
        self._complete()
        return tuple(self._manifests)

    @property
    def entries_decoded(self) -> int:
        """The number of entries in the manifests read, including deleted entries and delete files."""
        self._complete()
        return self._entries_decoded

    @property
    def bytes_read(self) -> int:
        """The stored size in bytes of the manifests read."""
        self._complete()
        return self._bytes_read

    @property
    def skipped_manifests(self) -> tuple[Skipped, ...]:
        """The manifests that were not opened, and why."""
        self._complete()
        return tuple(self._skipped_manifests)

    @property
    def skipped(self) -> tuple[SkippedTotal, ...]:
        """The live data files in the opened manifests that are not read: how many, by reason."""
        self._complete()
        return tuple(SkippedTotal(reason, files, records) for reason, (files, records) in self._skipped.items())

    @property
    def records_to_read(self) -> int:
        """The records in the files to read, by the manifests' counts."""
        return sum(task.record_count or 0 for task in self.tasks)

    @property
    def records_expected(self) -> int:
        """The records that the scan should return: exact if the manifests decide, otherwise an estimate.

        The estimate assumes that values are spread evenly between the bounds of their file. Compared with
        `records_to_read` it
        shows what the table's partition spec or sort order saves, or could save.
        """
        return round(sum(task.expected_count or 0.0 for task in self.tasks))


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def plan_file_list(files: tuple[str, ...], storage: Storage, partition: Mapping[int, Any]) -> ScanPlan:
    """Return the plan of bare Parquet files with the same partition values: {source field id: plain value}.

    Their row counts are read from their footers.
    """

    def steps() -> Iterator[Step]:
        known = KnownShapes()
        for file in files:
            rows = file_shape(file, storage, known).row_count
            yield FileTask(file, file, rows, identity_partition=partition, expected_count=float(rows))

    return ScanPlan(steps)
