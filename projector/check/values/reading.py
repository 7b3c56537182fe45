"""Chosen files read under a schema, by any engine, as Arrow batches. What it takes can be pickled."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from projector.engines.registry import ScanBatches, executor, reads_itself
from projector.errors import ExhaustedError, ProjectorError, StoreError, UnsupportedError
from projector.files.concurrency.exhaustion import is_exhaustion
from projector.files.shapes.shapes import KnownShapes
from projector.files.storage.storage import Storage
from projector.planning.filters.expressions import TRUE, Expression
from projector.planning.scan.metadata_columns import METADATA_FIELDS
from projector.planning.scan.probes import Probe
from projector.planning.scan.projected_files import PlanCache, ProjectedFile, project_file
from projector.planning.scan.request import ScanRequest
from projector.planning.scan.tasks import FileTask
from projector.schema.name_mapping import NameMapping
from projector.schema.reserved import POS
from projector.schema.schema import Schema

ARROW = "arrow"
"""The engine that reads before and after a change; other engines are compared with it."""
ORACLE = "rows"
"""The engine that judges Arrow, on chosen rows."""
BATCH_SIZE = 65_536


class ReadFailedError(Exception):
    """Raised with a reason, in one line, if rows could not be read. Not raised for trouble of the machine or a store.

    Attributes
    ----------
    is_unsupported:
        Whether the file may be valid, but of a kind that projector does not support.
    """

    def __init__(self, reason: str, *, is_unsupported: bool = False) -> None:
        super().__init__(reason)
        self.is_unsupported = is_unsupported


@dataclass(frozen=True)
class Reading:
    """Files and the columns to read of them: a scan's request without the storage.

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
        """Return the reading of a scan's request."""
        return Reading(request.schema, tuple(files), request.probes, request.name_mapping, request.data_files)

    def request(self, storage: Storage, row_filter: Expression = TRUE) -> ScanRequest:
        """Return the request of a scan, with a storage."""
        return ScanRequest(
            self.columns, storage, row_filter, self.probes, self.name_mapping, data_files=self.data_files
        )

    def of_columns(self, columns: Schema) -> Reading:
        """Return the reading of other columns of the same files."""
        return replace(self, columns=columns)

    def with_positions(self) -> Reading:
        """Return the same reading with the position of every row in its file as the last column."""
        position = replace(METADATA_FIELDS[POS], name="\0position")
        return replace(self, columns=replace(self.columns, fields=(*self.columns.fields, position)))


class Engines:
    """The executors of some engines. Raises `UnsupportedError` or `ImportError` for an engine that is not installed."""

    def __init__(self, engines: Iterable[str]) -> None:
        self._executors = {engine: executor(engine) for engine in (ARROW, *engines)}

    def __getitem__(self, engine: str) -> ScanBatches:
        return self._executors[engine]


class Reader:
    """Reads the files of a reading. A footer is read once, even if several engines read the file several times."""

    def __init__(self, reading: Reading, storage: Storage, engines: Engines, shapes: KnownShapes) -> None:
        self.reading = reading
        self.request = reading.request(storage)
        self._engines = engines
        self._shapes = shapes
        self._plans = PlanCache(self.request.wide_schema, reading.name_mapping, shapes)
        self._projected: dict[str, ProjectedFile] = {}

    @cached_property
    def with_positions(self) -> Reader:
        """A reader of the same columns and of the position of every row."""
        return Reader(self.reading.with_positions(), self.request.storage, self._engines, self._shapes)

    def of_columns(self, columns: Schema) -> Reader:
        """Return a reader of other columns of the same files."""
        return Reader(self.reading.of_columns(columns), self.request.storage, self._engines, self._shapes)

    def project(self, file: FileTask) -> ProjectedFile:
        """Return a file with its plan and the rows that its footer counts. Raises `ReadFailedError`."""
        known = self._projected.get(file.location)
        if known is None:
            with reading_errors():
                known = project_file(file, self._plans, self.request.storage)
            self._projected[file.location] = known
        return known if known.task is file else replace(known, task=file)

    def scan(self, files: Sequence[FileTask], engine: str, row_filter: Expression = TRUE) -> Iterator[pa.RecordBatch]:
        """Yield the rows of some files that pass a filter, by the engine's own scan.

        Raises `ReadFailedError` if they cannot be read, or do not have the Arrow types of every scan.
        """
        request = self.request if row_filter is TRUE else replace(self.request, row_filter=row_filter)
        projected = [self.project(file) for file in files]
        with reading_errors():
            yield from self._engines[engine](projected, request, BATCH_SIZE)

    def reads_itself(self, engine: str, file: FileTask) -> bool:
        """Return whether an engine reads a file itself, without falling back to Arrow."""
        projected = self.project(file)
        with reading_errors():
            return reads_itself(engine, projected, self.request)


@contextmanager
def reading_errors() -> Iterator[None]:
    """Turn errors while rows are read into `ReadFailedError`.

    Raise `ExhaustedError` and `StoreError` unchanged: the file is not at fault.
    """
    try:
        yield
    except (ReadFailedError, ExhaustedError, StoreError):
        raise
    except Exception as error:  # the check looks for failures of engines, of any type
        text = str(error) if isinstance(error, ProjectorError) else f"{type(error).__name__}: {error}"
        reason = " ".join(text.split())
        if is_exhaustion(error):
            raise ExhaustedError(f"The machine ran out of resources while values were read: {reason}") from error
        raise ReadFailedError(reason, is_unsupported=isinstance(error, UnsupportedError)) from error


@contextmanager
def without_warnings() -> Iterator[None]:
    """Silence warnings: engines warn about what a check reports anyway. Only the main thread may change the filters."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
