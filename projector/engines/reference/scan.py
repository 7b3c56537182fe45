"""Execute a whole scan one row at a time, with deletes and filters, independently of Arrow's code."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from projector.engines.plain_rows import from_plain_rows
from projector.engines.reference.decode import FileRow
from projector.engines.reference.project import Row, project_row, read_rows, stored_rows
from projector.errors import CorruptFileError, ProjectionError
from projector.files.deletion_vector import read_deletion_vector
from projector.files.storage.locations import canonical, without_authority
from projector.planning.filters.evaluate import evaluate_leaves
from projector.planning.filters.unknown import assuming
from projector.planning.scan.position_deletes import POSITION_DELETE_NAMES, POSITION_DELETE_SCHEMA
from projector.planning.scan.probes import Probe
from projector.planning.scan.projected_files import PlanCache, ProjectedFile, project_file
from projector.planning.scan.request import ScanRequest
from projector.planning.scan.tasks import DeleteFile, FileTask
from projector.schema.name_mapping import NameMapping
from projector.schema.reserved import DELETED
from projector.schema.schema import Schema


def scan_batches(files: Iterable[ProjectedFile], request: ScanRequest, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a scan, file by file. See `scan_batches` of the Arrow executor."""
    for file in files:
        rows = list(_file_rows(file, request))
        for start in range(0, len(rows), batch_size):
            yield from_plain_rows(rows[start : start + batch_size], request.schema)


def rows_at(file: ProjectedFile, request: ScanRequest, positions: Sequence[int]) -> dict[int, Row | None]:
    """Return the rows of a scan at some positions of a file, ascending; None for a row that is deleted or filtered out.

    Raises the errors of `scan_batches`.
    """
    judge = _RowJudge(file, request)
    with request.storage.open_arrow(file.task.location) as source:
        return {
            position: judge.project(position, row)
            for position, row in stored_rows(file.plan, source, file.binding, positions)
        }


def _file_rows(file: ProjectedFile, request: ScanRequest) -> Iterator[Row]:
    judge = _RowJudge(file, request)
    with request.storage.open_arrow(file.task.location) as source:
        rows = list(stored_rows(file.plan, source, file.binding))
    for position, row in rows:
        given = judge.project(position, row)
        if given is not None:
            yield given


class _RowJudge:
    """Decides which rows of one file a scan returns, by the deletes and the filter.

    A value that cannot be read is an error only if its row is returned, or cannot be decided without it.
    """

    def __init__(self, file: ProjectedFile, request: ScanRequest) -> None:
        self._file = file
        self._request = request
        self._positions = _deleted_positions(file, request)
        self._keys = [_deleted_keys(d, request) for d in file.task.equality_deletes]

    def project(self, position: int, row: FileRow) -> Row | None:
        """Return a row of the file projected, without its probes; None if it is deleted or does not pass the filter."""
        request, file = self._request, self._file
        width = len(request.schema.fields)
        deleted = position in self._positions
        if deleted and not request.marks_deleted:
            return None
        probed: dict[int, Any] = {}
        failure: ProjectionError | None = None
        for probe, node in zip(request.probes, file.plan.fields[width:], strict=True):
            try:
                probed[probe.field_id] = _probed(project_row(file.plan, row, file.binding, position, (node,)), probe)
            except ProjectionError as error:
                failure = failure or error
        readable = [(ids, found) for ids, found in self._keys if all(i in probed for i in ids)]
        deleted = deleted or any(tuple(_comparable(probed[i]) for i in ids) in found for ids, found in readable)
        if deleted and not request.marks_deleted:
            return None
        may_be_deleted = len(readable) < len(self._keys)
        if not may_be_deleted:
            probed[DELETED] = deleted
        if not self._passes(probed, True):
            return None
        asks_for_deletes = not request.marks_deleted or request.deleted_column is not None
        if not self._passes(probed, False) or (may_be_deleted and asks_for_deletes):
            assert failure is not None, "without a failure every value is known"
            raise failure
        given = project_row(file.plan, row, file.binding, position, file.plan.fields[:width])
        if request.deleted_column is not None:
            given[request.schema.fields[request.deleted_column].name] = deleted
        return given

    def _passes(self, probed: Mapping[int, Any], answer: bool) -> bool:
        """Return whether a row passes the filter if predicates on unknown values are `answer`."""
        row_filter = assuming(self._request.row_filter, probed, answer)
        return evaluate_leaves(row_filter, lambda term: probed[term.field_id]) is True


def _probed(row: Row, probe: Probe) -> Any:
    value = row[probe.column.name]
    for name in probe.path:
        value = None if value is None else value[name]
    return value


def _comparable(value: Any) -> Any:
    """Return a key's value in a form in which null equals null, NaN equals NaN, and 0.0 is not -0.0."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else struct.pack(">d", value)
    return value


def _deleted_positions(file: ProjectedFile, request: ScanRequest) -> set[int]:
    found: set[int] = set()
    for delete in file.task.position_deletes:
        if delete.is_vector:
            with request.storage.open(delete.location) as source:
                vector = delete.vector_range
                positions = set(read_deletion_vector(source, delete.file, *vector, delete.record_count, file.row_count))
        else:
            named = _delete_rows(delete, POSITION_DELETE_SCHEMA, POSITION_DELETE_NAMES, request)
            positions = {r["pos"] for r in named if _is_meant(r["file_path"], file.task.file, request)}
        outside = [p for p in positions if not 0 <= p < file.row_count]
        if outside:
            raise CorruptFileError(
                f"It deletes position {outside[0]} of a data file with {file.row_count} rows, {file.task.file}",
                file=delete.file,
            )
        found |= positions
    return found


def _is_meant(named: str, data_file: str, request: ScanRequest) -> bool:
    """Return whether a path in a delete file names a data file, even with another scheme or authority."""
    if canonical(named) == canonical(data_file):
        return True
    return without_authority(named) == without_authority(data_file) and canonical(named) not in request.data_files


def _deleted_keys(delete: DeleteFile, request: ScanRequest) -> tuple[tuple[int, ...], set[tuple[Any, ...]]]:
    by_id: Mapping[int, Probe] = {p.field_id: p for p in request.probes}
    probes = [by_id[i] for i in delete.equality_ids]
    schema = Schema(tuple(p.column for p in probes))
    rows = _delete_rows(delete, schema, request.name_mapping, request)
    return delete.equality_ids, {tuple(_comparable(_probed(row, p)) for p in probes) for row in rows}


def _delete_rows(delete: DeleteFile, schema: Schema, mapping: NameMapping | None, request: ScanRequest) -> list[Row]:
    projected = project_file(FileTask(delete.file, delete.location), PlanCache(schema, mapping), request.storage)
    with request.storage.open_arrow(delete.location) as source:
        return read_rows(projected.plan, source, projected.binding)
