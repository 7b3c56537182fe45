"""Rows of chosen files under a schema, by any engine, as plain rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from projector.check.live_files import LiveFile
from projector.engines.executors import executor
from projector.engines.plain import to_plain_rows
from projector.errors import ProjectorError
from projector.planning.expressions import TRUE, Expression
from projector.planning.projected_files import PlanCache, project_files
from projector.planning.scan_source import SnapshotSource
from projector.planning.tasks import FileTask
from projector.schema.schema import Schema

if TYPE_CHECKING:
    from projector.check.state import TableState

Row = dict[str, Any]
ORACLE = "rows"
"""The engine that the others are compared with."""
BATCH_SIZE = 65_536


@dataclass(frozen=True, slots=True)
class Failed:
    """Rows that could not be read, and why. Failures are equal whatever they say: engines word things differently."""

    reason: str = field(compare=False)


Outcome = list[Row] | Failed


@dataclass
class Reader:
    """Reads files of one snapshot of a table under one schema.

    Parameters
    ----------
    columns:
        The columns that are read.
    """

    state: TableState
    snapshot_id: int
    columns: Schema
    _last: tuple[Expression, list[FileTask]] | None = field(default=None, init=False, repr=False)

    @cached_property
    def _source(self) -> SnapshotSource:
        files, metadata = self.state.files, self.state.metadata
        snapshot = metadata.snapshot(self.snapshot_id)
        return SnapshotSource(metadata, snapshot, self.state.schema, files.storage, files.resolver)

    @cached_property
    def _tasks(self) -> Mapping[str, FileTask]:
        return {task.file: task for task in self._source.plan(TRUE)}

    def rows(self, file: LiveFile, engine: str) -> Outcome:
        """All rows of a file, in its order."""
        return self._read(lambda: [self._tasks[file.path]], TRUE, engine)

    def filtered(self, files: Iterable[LiveFile], row_filter: Expression, engine: str) -> Outcome:
        """The rows of some files that pass a filter that is pushed down: into manifests, row groups, and the engine."""
        wanted = {file.path for file in files}
        return self._read(lambda: [t for t in self._kept(row_filter) if t.file in wanted], row_filter, engine)

    def _kept(self, row_filter: Expression) -> list[FileTask]:
        """The files of the snapshot that a filter leaves, kept for the last filter: each engine is asked in turn."""
        if self._last is None or self._last[0] is not row_filter:
            self._last = row_filter, list(self._source.plan(row_filter))
        return self._last[1]

    def _read(self, tasks: Any, row_filter: Expression, engine: str) -> Outcome:
        try:
            chosen: list[FileTask] = tasks()
            request = self._source.request(self.columns, row_filter, chosen)
            cache = PlanCache(request.wide_schema, request.name_mapping)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                projected = project_files(chosen, cache, request.storage)
                return [
                    row
                    for batch in executor(engine)(projected, request, BATCH_SIZE)
                    for row in to_plain_rows(batch, self.columns)
                ]
        except ProjectorError as error:
            return Failed(str(error))
        except Exception as error:  # an engine's own failure is what is looked for here
            return Failed(f"{type(error).__name__}: {' '.join(str(error).split())}")
