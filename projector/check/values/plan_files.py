"""Plan chosen files of a snapshot as file tasks, from manifests that are already read, with and without a filter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from projector.check.evidence.live_files import LiveFile
from projector.check.values.reading import Reading
from projector.errors import ExhaustedError, ProjectorError, StoreError
from projector.planning.filters.expressions import TRUE, Expression
from projector.planning.scan.planner import plan_listed
from projector.planning.scan.source import SnapshotSource
from projector.planning.scan.tasks import FileTask
from projector.schema.schema import Schema

if TYPE_CHECKING:
    from projector.check.evidence.state import TableState


@dataclass
class PlannedFiles:
    """Some files of one snapshot under a state's schema.

    The cost of planning a filter grows with these files and the deletes that apply to them, not with the table.
    """

    state: TableState
    snapshot_id: int
    files: Sequence[LiveFile]

    @cached_property
    def tasks(self) -> dict[str, FileTask]:
        """The task of every file, by its path. Raises `ProjectorError` if any of the files cannot be planned."""
        if not self.files:
            return {}
        return {task.file: task for task in self._plan(self.files, TRUE, self._live_deletes)}

    @cached_property
    def unplanned(self) -> dict[str, ProjectorError]:
        """Why files cannot be planned, by path; each is planned alone, so that others are not blamed."""
        found: dict[str, ProjectorError] = {}
        for file in self.files:
            try:
                list(self._plan((file,), TRUE, self._live_deletes))
            except (ExhaustedError, StoreError):
                raise
            except ProjectorError as error:
                found[file.path] = error
        return found

    @cached_property
    def _live_deletes(self) -> list[LiveFile]:
        return [file for file in self.state.files.live.deletes if self.snapshot_id in file.snapshots]

    @cached_property
    def _deletes(self) -> list[LiveFile]:
        """The delete files that apply to any of the files."""
        wanted = {(d.file, d.content_offset) for task in self.tasks.values() for d in task.deletes}
        if not wanted:
            return []
        return [file for file in self._live_deletes if (file.path, file.data_file.content_offset) in wanted]

    def kept(self, row_filter: Expression) -> tuple[FileTask, ...]:
        """Return the files that a filter does not skip, with their remaining deletes. Raises like `tasks`."""
        return tuple(self._plan(self.files, row_filter, self._deletes))

    def keeps_one(self, row_filter: Expression) -> bool:
        """Return whether a filter does not skip all of the files. Raises like `tasks`."""
        return next(self._plan(self.files, row_filter, ()), None) is not None

    def reading(self, columns: Schema, tasks: Sequence[FileTask], row_filter: Expression = TRUE) -> Reading:
        """Return the reading of some columns of the files, and of those in a filter. Raises `ProjectorError`."""
        files, metadata = self.state.files, self.state.metadata
        snapshot = metadata.snapshot(self.snapshot_id)
        source = SnapshotSource(metadata, snapshot, self.state.schema, files.storage, files.resolver)
        return Reading.of(source.request(columns, row_filter, tasks), tasks)

    def _plan(
        self, files: Sequence[LiveFile], row_filter: Expression, deletes: Sequence[LiveFile]
    ) -> Iterator[FileTask]:
        return plan_listed(
            self.state.metadata,
            [(file.manifest, file.entry) for file in files],
            [(file.manifest, file.entry) for file in deletes],
            self.state.schema,
            row_filter,
            self.state.files.resolver,
        )


def plan_files(
    state: TableState, snapshot_id: int, files: Sequence[LiveFile]
) -> tuple[PlannedFiles, Mapping[str, ProjectorError]]:
    """Return the files of a snapshot that can be planned, and the errors of the others, by path."""
    together = PlannedFiles(state, snapshot_id, files)
    try:
        _ = together.tasks
    except (ExhaustedError, StoreError):
        raise
    except ProjectorError:
        reasons = together.unplanned
        return PlannedFiles(state, snapshot_id, [file for file in files if file.path not in reasons]), reasons
    return together, {}


def delete_kinds(state: TableState, snapshot_id: int, files: Sequence[LiveFile]) -> Mapping[str, object]:
    """Return the kinds of deletes that apply to some files of a snapshot, by path."""
    if not state.files.live.deletes:
        return {}
    found, _ = plan_files(state, snapshot_id, files)
    return {path: delete_kind(task) for path, task in found.tasks.items()}


def delete_kind(task: FileTask) -> tuple[str, ...]:
    """Return the kinds of deletes that apply to a file."""
    positions = {"vector" if delete.is_vector else "position" for delete in task.position_deletes}
    return (*sorted(positions), *(("equality",) if task.equality_deletes else ()))
