"""Try filters in a task that an executor can run: compare each, pushed down, with the same filter after a full read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from projector.check.values.differences import (
    Difference,
    Disagreement,
    Tally,
    failed,
    same_rows_in_any_order,
    wrongly_skipped,
)
from projector.check.values.filters.passing import passing
from projector.check.values.leaf_values import Collector
from projector.check.values.reading import ARROW, Engines, Reader, Reading, without_warnings
from projector.check.values.row_streams import RowStream, compare_next
from projector.files.shapes.shapes import KnownShapes
from projector.files.storage.storage import Storage
from projector.planning.filters.expressions import BoundTerm, Expression
from projector.planning.scan.tasks import FileTask
from projector.schema.arrow_schema import arrow_schema

_KEPT_BYTES = 16 << 20
"""Memory for the rows that filters select; a filter that selects more reads its files again for each engine."""


@dataclass(frozen=True)
class FilterTask:
    """Filters on one leaf, each pushed down into the files that planning does not skip.

    Parameters
    ----------
    reading:
        The files, and the columns to compare.
    term:
        The leaf.
    planned:
        Files as planned with filters.
    filters:
        Each filter, and the places in `planned` of the files that it does not skip.
    """

    reading: Reading
    term: BoundTerm
    planned: tuple[FileTask, ...]
    filters: tuple[tuple[Expression, tuple[int, ...]], ...]
    engines: tuple[str, ...]

    def __repr__(self) -> str:
        return f"FilterTask({len(self.filters)} filters, {len(self.reading.files)} files)"


def try_filters(task: FilterTask, storage: Storage) -> list[Disagreement]:
    """Return where the filters of a task, pushed down, return other rows than after a full read."""
    reader = Reader(task.reading, storage, Engines(task.engines), KnownShapes())
    found: list[Disagreement] = []
    with without_warnings():
        trial = _FilterTrial(task, reader, Collector.of(task.term, task.reading.columns))
        for number, (_, places) in enumerate(task.filters):
            found += trial.outcome(number, [task.planned[place] for place in places])
    return found


@dataclass
class _FilterTrial:
    task: FilterTask
    reader: Reader
    leaf: Collector
    _passed: dict[str, list[list[pa.RecordBatch] | None]] = field(default_factory=dict)
    _kept_bytes: int = 0

    def outcome(self, number: int, files: Sequence[FileTask]) -> Iterator[Disagreement]:
        """Yield where one filter returns other rows than it should."""
        row_filter = self.task.filters[number][0]
        kept = {file.file for file in files}
        for file in self.task.reading.files:
            if file.file not in kept and next(self._expected((file,), number), None) is not None:
                yield wrongly_skipped(file.file, row_filter)
        for engine in self.task.engines:
            difference = self._difference(files, number, engine)
            if difference is not None:
                yield difference

    def _difference(self, files: Sequence[FileTask], number: int, engine: str) -> Disagreement | None:
        row_filter = self.task.filters[number][0]
        columns, said = self.task.reading.columns, str(row_filter)
        stream, tally = RowStream(self.reader.scan(files, engine, row_filter)), Tally(columns)
        by_path = {file.file: file for file in self.task.reading.files}
        order = [by_path[file.file] for file in files]
        for batch in self._expected(order, number):
            compare_next(stream, batch, batch.columns, tally)
            if stream.failure is not None:
                break
        if stream.failure is None:
            tally.add_extra(stream.count_rest())
        stream.close()
        if stream.failure is not None:
            return failed(engine, stream.failure, row_filter=said)
        if tally.is_clean:
            return None
        difference = next(tally.differences())
        if tally.expected_rows == tally.found_rows:
            schema = arrow_schema(columns)
            expected = pa.Table.from_batches(self._expected(order, number), schema)
            found = pa.Table.from_batches(self.reader.scan(files, engine, row_filter), schema)
            if same_rows_in_any_order(expected, found, columns):
                return None
        count = abs(tally.expected_rows - tally.found_rows) or difference.count
        without_place = Difference(None, None, None, difference.expected, difference.found, count)
        return Disagreement(engine, without_place, row_filter=said)

    def _expected(self, files: Sequence[FileTask], number: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows of files that pass a filter, after a full read."""
        for file in files:
            if file.file not in self._passed:
                self._passed[file.file] = self._read_once(file)
            kept = self._passed[file.file][number]
            yield from self._read_again(file, number) if kept is None else kept

    def _read_once(self, file: FileTask) -> list[list[pa.RecordBatch] | None]:
        """Return the rows of a file that pass each filter; None for a filter whose rows do not fit into memory."""
        found: list[list[pa.RecordBatch] | None] = [[] for _ in self.task.filters]
        for batch in self.reader.scan((file,), ARROW):
            leaf = self.leaf.leaf(batch)
            for number, (row_filter, _) in enumerate(self.task.filters):
                kept = found[number]
                if kept is None:
                    continue
                passed = passing(row_filter, leaf)
                if passed.true_count:
                    kept.append(batch.filter(passed))
                    self._kept_bytes += kept[-1].nbytes
                if self._kept_bytes > _KEPT_BYTES:
                    self._kept_bytes -= sum(each.nbytes for each in kept)
                    found[number] = None
        return found

    def _read_again(self, file: FileTask, number: int) -> Iterator[pa.RecordBatch]:
        row_filter = self.task.filters[number][0]
        for batch in self.reader.scan((file,), ARROW):
            passed = passing(row_filter, self.leaf.leaf(batch))
            if passed.true_count:
                yield batch.filter(passed)
