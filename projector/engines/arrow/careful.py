"""Read a file with unreadable values: decide each row first, then project only the returned rows.

This runs only after projecting whole batches has failed, so readable files pay nothing. A value is an error if its row
is returned, or if a filter or an equality delete cannot decide about the row without it; see ADR 0011.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.arrow.compile import ArrowPlan, Step, compile_plan
from projector.engines.arrow.constants import Bound
from projector.engines.arrow.delete_files import EqualityDeletes, probe_values
from projector.engines.arrow.filter import mask
from projector.engines.arrow.parquet_reader import RawBatch, opened, raw_batches
from projector.engines.arrow.project import make_batch, project_batch
from projector.engines.arrow.reader import RowGroups
from projector.engines.deletes.positions import DeletedPositions
from projector.errors import ProjectionError
from projector.planning.filters.expressions import BoundTerm, Expression
from projector.planning.filters.unknown import assuming
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest
from projector.schema.reserved import DELETED, POS

_PART_ROWS = 1024
"""Rows that are decided together. Each row that needs a second pass costs a pass over its part."""


def careful_batches(
    file: ProjectedFile,
    row_groups: RowGroups,
    request: ScanRequest,
    batch_size: int,
    positions: DeletedPositions | None,
    equality: tuple[EqualityDeletes, ...],
    schema: pa.Schema,
) -> Iterator[pa.RecordBatch]:
    """Yield the returned rows of a file. Parameters and rows are those of the fast path.

    Raises `ProjectionError` for the first row with such a value that is returned or cannot be decided.
    """
    compiled = compile_plan(file.plan)
    with (
        request.storage.open_arrow(file.task.location) as source,
        opened(source, file.binding.file, compiled) as ready,
    ):
        bound = Bound(file.binding, ready.compiled.constants)
        chosen = row_groups(ready.parquet.metadata) if callable(row_groups) else row_groups
        for raw in raw_batches(ready, chosen, min(batch_size, _PART_ROWS), use_threads=False):
            part = _Part(request, ready.compiled, bound, raw, positions, equality, schema)
            given = part.returned()
            if given.num_rows:
                yield given


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A batch of stored rows. Every mask covers all of them."""

    request: ScanRequest
    compiled: ArrowPlan
    bound: Bound
    raw: RawBatch
    positions: DeletedPositions | None
    equality: tuple[EqualityDeletes, ...]
    schema: pa.Schema

    def returned(self) -> pa.RecordBatch:
        """Return the rows that the scan returns, without the probes."""
        length = self.raw.length
        rows = pa.repeat(True, length)
        if self.positions is not None and not self.request.marks_deleted:
            kept = self.positions.kept(self.raw.first, length)
            rows = rows if kept is None else kept
        passing = self._passing(rows)
        width = len(self.request.schema.fields)
        columns = self._projected(self.compiled.steps[:width], passing).columns
        if self.request.deleted_column is not None:
            known, failure = self._known(passing)
            assert failure is None or DELETED in known, "rows that are not decided raise"
            columns[self.request.deleted_column] = known[DELETED]
        return make_batch(columns, self.schema, passing.true_count)

    def _passing(self, rows: pa.BooleanArray) -> pa.BooleanArray:
        """Return which of some rows the scan returns."""
        count = rows.true_count
        if not count:
            return rows
        known, failure = self._known(rows)
        sure, open_ = self._decided(known, rows, False), self._decided(known, rows, True)
        if failure is None:
            return sure
        open_ = pc.and_not(open_, sure)
        left = open_.true_count
        if not left:
            return sure
        if left < count:
            return pc.or_(sure, self._passing(open_))
        if count == 1:
            raise failure
        first = _first_half(rows)
        return pc.or_(self._passing(first), self._passing(pc.and_not(rows, first)))

    def _decided(self, known: dict[int, pa.Array], rows: pa.BooleanArray, answer: bool) -> pa.BooleanArray:
        """Return which of some rows the scan returns if predicates on unknown values are `answer`."""
        count = rows.true_count

        def column(term: BoundTerm) -> pa.Array:
            return known[term.field_id]

        row_filter: Expression = assuming(self.request.row_filter, known, answer)
        passed = mask(row_filter, column, count).fill_null(False)
        if self.request.marks_deleted:
            if self.request.deleted_column is not None and DELETED not in known and not answer:
                passed = pa.repeat(False, count)
        else:
            deleted = [e.keys.holds([known[i] for i in e.field_ids]) for e in self.equality if _has_all(known, e)]
            passed = reduce(pc.and_not, deleted, passed)
            if not answer and len(deleted) < len(self.equality):
                passed = pa.repeat(False, count)
        return pc.replace_with_mask(pa.repeat(False, len(rows)), rows, passed)

    def _known(self, rows: pa.BooleanArray) -> tuple[dict[int, pa.Array], ProjectionError | None]:
        """Return the probes that all of some rows can read, by field id, and the error of the first of the others."""
        request = self.request
        known: dict[int, pa.Array] = {}
        failure: ProjectionError | None = None
        for step, probe in zip(self.compiled.steps[len(request.schema.fields) :], request.probes, strict=True):
            try:
                known[probe.field_id] = probe_values(self._projected((step,), rows), 0, probe)
            except ProjectionError as error:
                failure = failure or error
        if request.marks_deleted and all(_has_all(known, e) for e in self.equality):
            deleted = [e.keys.holds([known[i] for i in e.field_ids]) for e in self.equality]
            if self.positions is not None:
                deleted.append(pc.is_in(known[POS], value_set=self.positions.positions))
            known[DELETED] = reduce(pc.or_, deleted, pa.repeat(False, rows.true_count))
        return known, failure

    def _projected(self, steps: Sequence[Step], rows: pa.BooleanArray) -> pa.RecordBatch:
        places = [self.compiled.steps.index(step) for step in steps]
        schema = pa.schema([self.compiled.schema.field(i) for i in places], self.compiled.schema.metadata)
        compiled = replace(self.compiled, steps=tuple(steps), schema=schema)
        raw = self.raw
        return project_batch(compiled, raw.columns, raw.exact, raw.first, raw.length, rows, self.bound)


def _has_all(known: dict[int, pa.Array], deletes: EqualityDeletes) -> bool:
    return all(i in known for i in deletes.field_ids)


def _first_half(rows: pa.BooleanArray) -> pa.BooleanArray:
    cut = pc.indices_nonzero(rows)[rows.true_count // 2].as_py()
    first = pa.concat_arrays([pa.repeat(True, cut), pa.repeat(False, len(rows) - cut)])
    return pc.and_(rows, first)
