"""Rows of chosen files under a schema, by any engine, as plain rows. What it takes can be pickled."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from projector.engines.executors import ScanBatches, executor
from projector.engines.plain import to_plain_rows
from projector.errors import ProjectorError
from projector.files.shapes import KnownShapes
from projector.files.storage import Storage
from projector.planning.expressions import TRUE, Expression
from projector.planning.probes import Probe
from projector.planning.projected_files import PlanCache, ProjectedFile, project_file
from projector.planning.scan_request import ScanRequest
from projector.planning.tasks import FileTask
from projector.schema.name_mapping import NameMapping
from projector.schema.schema import Schema

Row = dict[str, Any]
ORACLE = "rows"
"""The engine that the others are compared with."""
BATCH_SIZE = 65_536


@dataclass(frozen=True, slots=True)
class Failed:
    """Rows that could not be read, and why. Failures are equal whatever they say: engines word things differently."""

    reason: str = field(compare=False)


Outcome = list[Row] | Failed


@dataclass(frozen=True)
class Reading:
    """Files, and what is read of them: a scan's request without the storage.

    Parameters
    ----------
    columns, probes, name_mapping, data_files:
        As in `ScanRequest`.
    files:
        The files.
    """

    columns: Schema
    files: tuple[FileTask, ...]
    probes: tuple[Probe, ...] = ()
    name_mapping: NameMapping | None = None
    data_files: frozenset[str] = frozenset()

    @staticmethod
    def of(request: ScanRequest, files: Iterable[FileTask]) -> Reading:
        """The reading that a scan's request asks for."""
        return Reading(request.schema, tuple(files), request.probes, request.name_mapping, request.data_files)

    def request(self, storage: Storage, row_filter: Expression = TRUE) -> ScanRequest:
        """The request of a scan, with what opens files."""
        return ScanRequest(
            self.columns, storage, row_filter, self.probes, self.name_mapping, data_files=self.data_files
        )


class Engines:
    """The executors of some engines. Raises `UnsupportedError` or `ImportError` for one that is not installed."""

    def __init__(self, engines: Iterable[str]) -> None:
        self._executors = {engine: executor(engine) for engine in (ORACLE, *engines)}

    def __getitem__(self, engine: str) -> ScanBatches:
        return self._executors[engine]


class Reader:
    """Reads the files of a reading. A footer is read once, whatever reads the file how often."""

    def __init__(self, reading: Reading, storage: Storage, engines: Engines, shapes: KnownShapes | None = None) -> None:
        self._reading = reading
        self._request = reading.request(storage)
        self._engines = engines
        self._plans = PlanCache(self._request.wide_schema, reading.name_mapping, shapes or KnownShapes())
        self._projected: dict[str, ProjectedFile] = {}

    def rows(self, file: FileTask, engine: str) -> Outcome:
        """All rows of a file, in its order."""
        return self.filtered((file,), TRUE, engine)

    def filtered(self, files: Iterable[FileTask], row_filter: Expression, engine: str) -> Outcome:
        """The rows of some files that pass a filter, which is pushed down into row groups and the engine."""
        request = self._request if row_filter is TRUE else replace(self._request, row_filter=row_filter)
        scan = self._engines[engine]
        try:
            projected = [self._project(file) for file in files]
            return [
                row
                for batch in scan(projected, request, BATCH_SIZE)
                for row in to_plain_rows(batch, self._reading.columns)
            ]
        except ProjectorError as error:
            return Failed(str(error))
        except Exception as error:  # an engine's own failure is what is looked for here
            return Failed(f"{type(error).__name__}: {' '.join(str(error).split())}")

    def _project(self, file: FileTask) -> ProjectedFile:
        known = self._projected.get(file.location)
        if known is None:
            known = self._projected[file.location] = project_file(file, self._plans, self._request.storage)
        return known if known.task is file else replace(known, task=file)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Engines warn of what a check looks at anyway. Nothing is done in other threads: warnings are a process's."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
