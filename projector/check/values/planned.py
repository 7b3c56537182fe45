"""Chosen files of a snapshot as file tasks, by what was read of the manifests: all of them, and those of a filter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from projector.check.live_files import LiveFile
from projector.check.values.reading import Reading
from projector.planning.expressions import TRUE, Expression
from projector.planning.scan_source import SnapshotSource
from projector.planning.snapshot_plan import plan_listed
from projector.planning.tasks import FileTask
from projector.schema.schema import Schema

if TYPE_CHECKING:
    from projector.check.state import TableState


@dataclass
class PlannedFiles:
    """Some files of one snapshot under a state's schema.

    Planning a filter costs what these files, and the deletes that apply to them, take; not what the table would.
    """

    state: TableState
    snapshot_id: int
    files: Sequence[LiveFile]

    @cached_property
    def tasks(self) -> dict[str, FileTask]:
        """The task of every file, by its path. Raises `ProjectorError` where the files cannot be planned."""
        live = [file for file in self.state.files.live.deletes if self.snapshot_id in file.snapshots]
        return {task.file: task for task in self._plan(TRUE, live)}

    @cached_property
    def _deletes(self) -> list[LiveFile]:
        """The delete files that apply to any of the files."""
        wanted = {(d.file, d.content_offset) for task in self.tasks.values() for d in task.deletes}
        return [
            file
            for file in self.state.files.live.deletes
            if self.snapshot_id in file.snapshots and (file.path, file.data_file.content_offset) in wanted
        ]

    def kept(self, row_filter: Expression) -> tuple[FileTask, ...]:
        """The files that a filter leaves, each with the deletes that it leaves. Raises like `tasks`."""
        return tuple(self._plan(row_filter, self._deletes))

    def keeps_one(self, row_filter: Expression) -> bool:
        """Whether a filter leaves any of the files. Raises like `tasks`."""
        return next(self._plan(row_filter, ()), None) is not None

    def reading(self, columns: Schema, tasks: Sequence[FileTask], row_filter: Expression = TRUE) -> Reading:
        """How some columns of some of the files are read, and what a filter looks at. Raises `ProjectorError`."""
        files, metadata = self.state.files, self.state.metadata
        snapshot = metadata.snapshot(self.snapshot_id)
        source = SnapshotSource(metadata, snapshot, self.state.schema, files.storage, files.resolver)
        return Reading.of(source.request(columns, row_filter, tasks), tasks)

    def _plan(self, row_filter: Expression, deletes: Sequence[LiveFile]) -> Iterator[FileTask]:
        return plan_listed(
            self.state.metadata,
            [(file.manifest, file.entry) for file in self.files],
            [(file.manifest, file.entry) for file in deletes],
            self.state.schema,
            row_filter,
            self.state.files.resolver,
        )
