"""Compare the values of files in a task that an executor can run anywhere.

Tasks can be pickled and are small. Rows stay where they are read; an answer holds differences and a few values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import pyarrow as pa

from projector.check.report.report import SideBySide
from projector.check.values.differences import (
    Difference,
    Disagreement,
    Tally,
    failed,
    preview,
    same_rows_in_any_order,
)
from projector.check.values.expected import expected_columns
from projector.check.values.judge import Judgement, judge, may_judge, refusal
from projector.check.values.leaf_values import Collector, LeafValues
from projector.check.values.proof import proved_columns
from projector.check.values.reading import ARROW, Engines, Reader, ReadFailedError, Reading, without_warnings
from projector.check.values.row_streams import RowStream, compare_next
from projector.engines.plain_rows import same_value, to_plain_rows
from projector.engines.reference.project import Row
from projector.files.shapes.shapes import KnownShapes
from projector.files.storage.storage import Storage
from projector.planning.filters.expressions import BoundTerm
from projector.planning.scan.tasks import FileTask
from projector.projection.plan import Plan
from projector.schema.arrow_schema import arrow_schema
from projector.schema.schema import Schema


@dataclass(frozen=True)
class CompareTask:
    """Files of one shape to read with Arrow, and with the engines to compare with it.

    Parameters
    ----------
    reading:
        The files under the schema of a state.
    before:
        The same files, in the same order, under the schema before a change; None to compare engines only.
    engines:
        The engines to compare with Arrow.
    terms:
        Leaves to collect some values of.
    compared_rows:
        For each file, how many of its first rows to return before and after the change.
    judged:
        For each file, whether the oracle judges it.
    rest:
        The same files with other columns, to read but not to compare, so that damage in them shows; None to skip them.
    """

    reading: Reading
    before: Reading | None
    engines: tuple[str, ...]
    terms: tuple[BoundTerm, ...]
    compared_rows: tuple[int, ...]
    judged: tuple[bool, ...]
    rest: Reading | None = None

    def __repr__(self) -> str:
        return f"CompareTask({len(self.reading.files)} files)"


@dataclass(frozen=True, slots=True)
class CompareAnswer:
    """The result of comparing one file.

    Parameters
    ----------
    rows:
        Rows that Arrow read; None if it could not read the file.
    unreadable:
        Why neither Arrow nor the oracle could read it, before a change or after; None if one of them can.
    is_unsupported:
        Whether it was not read because projector does not support its kind.
    engines, change:
        Where engines differ, and where rows differ from those expected by the rows before the change.
    values:
        Some values of each leaf of the task.
    first_rows:
        The first rows before and after the change.
    read_by:
        The other engines that read the file themselves.
    judged_rows:
        Rows that the oracle judged.
    """

    rows: int | None
    unreadable: str | None = None
    is_unsupported: bool = False
    engines: tuple[Disagreement, ...] = ()
    change: tuple[Disagreement, ...] = ()
    values: tuple[LeafValues, ...] = ()
    first_rows: SideBySide | None = None
    read_by: tuple[str, ...] = ()
    judged_rows: int = 0

    def unread(self, reason: str) -> CompareAnswer:
        """Return the answer for the same file when a column that is not compared cannot be read."""
        return replace(self, rows=None, unreadable=self.unreadable or reason, read_by=(), judged_rows=0)


def compare(task: CompareTask, storage: Storage) -> list[CompareAnswer]:
    """Read and compare the files of a task, and return an answer for each.

    Read the files together first, which is cheapest. If anything differs, read each file alone to say where.
    """
    engines, shapes = Engines(task.engines), KnownShapes()
    after = Reader(task.reading, storage, engines, shapes)
    before = None if task.before is None else Reader(task.before, storage, engines, shapes)
    comparing = _Comparing(task, after, before)
    with without_warnings():
        found = comparing.together()
        if found is None:
            found = [comparing.alone(i) for i in range(len(task.reading.files))]
        if task.rest is None:
            return found
        rest = Reader(task.rest, storage, engines, shapes)
        reasons = _unread(rest, task.rest.files)
        return [answer if why is None else answer.unread(why) for answer, why in zip(found, reasons, strict=True)]


def _unread(reader: Reader, files: Sequence[FileTask]) -> list[str | None]:
    """Return why each file cannot be read; None for a file that can."""
    together = RowStream(reader.scan(files, ARROW))
    together.count_rest()
    if together.failure is None:
        return [None] * len(files)
    reasons = []
    for file in files:
        alone = RowStream(reader.scan((file,), ARROW))
        alone.count_rest()
        reasons.append(alone.failure)
    return reasons


@dataclass
class _Readings:
    """What was read so far: rows and leaf values of each file, differences by engine, and differences from before."""

    rows: list[int]
    values: list[list[Collector]]
    engines: dict[str, Tally]
    change: Tally | None
    streams: dict[str, RowStream] = field(default_factory=dict)
    before: RowStream | None = None

    @property
    def is_clean(self) -> bool:
        """Whether nothing differs and nothing failed."""
        streams = (*self.streams.values(), *([self.before] if self.before is not None else []))
        tallies = (*self.engines.values(), *([self.change] if self.change is not None else []))
        return all(stream.failure is None for stream in streams) and all(tally.is_clean for tally in tallies)


@dataclass
class _Comparing:
    task: CompareTask
    after: Reader
    before: Reader | None

    @cached_property
    def _schema(self) -> pa.Schema:
        return arrow_schema(self.task.reading.columns)

    def together(self) -> list[CompareAnswer] | None:
        """Return the answers for all files, read together; None if anything failed or differs."""
        files = self.task.reading.files
        try:
            readings = self._read_while_clean(files)
            if readings is None:
                return None
            if any(self._lost_rows(file, rows) for file, rows in zip(files, readings.rows, strict=True)):
                return None
            read_by = tuple(readings.engines)
            return [
                self._answer(i, file, readings.rows[i], readings.values[i], read_by) for i, file in enumerate(files)
            ]
        except ReadFailedError:
            return None

    def _read_while_clean(self, files: Sequence[FileTask]) -> _Readings | None:
        readings = None
        for readings in self._read(files):
            if not readings.is_clean:
                _close(readings)
                return None
        return readings

    def _lost_rows(self, file: FileTask, rows: int) -> bool:
        """Return whether Arrow read another number of rows than the footer of a file without deletes counts."""
        return not file.deletes and rows != self.after.project(file).row_count

    def _answer(
        self, place: int, file: FileTask, rows: int, values: Iterable[Collector], read_by: tuple[str, ...]
    ) -> CompareAnswer:
        judgement = Judgement({}, {})
        if self.task.judged[place] and may_judge(file):
            judgement = judge(self.after, file)
        return CompareAnswer(
            rows,
            engines=judgement.disagreements,
            values=tuple(collector.values for collector in values),
            first_rows=self._first_rows(place),
            read_by=read_by,
            judged_rows=len(judgement.rows),
        )

    def alone(self, place: int) -> CompareAnswer:
        """Return the answer for one file, with all its differences."""
        file = self.task.reading.files[place]
        try:
            *_, readings = self._read((file,))
        except ReadFailedError as error:
            return self._unread(file, error, self._reads_before(place))
        change: list[Disagreement] = []
        was_read = True
        if readings.before is not None and readings.before.failure is not None:
            was_read = False
        elif readings.change is not None:
            change = [Disagreement(None, each, file.file) for each in readings.change.differences(self._position(file))]
        wrong = {
            engine: tally
            for engine, tally in readings.engines.items()
            if not tally.is_clean
            and readings.streams[engine].failure is None
            and not self._is_reordered(file, engine, tally)
        }
        suspects = [row for tally in wrong.values() for row in tally.suspects]
        judgement = Judgement({}, {})
        is_short = self._lost_rows(file, readings.rows[0])
        try:
            if (wrong or is_short or self.task.judged[place]) and may_judge(file):
                judgement = judge(self.after, file, suspects)
        except ReadFailedError as error:
            return self._unread(file, error, was_read)
        engines = list(judgement.disagreements)
        if is_short and not engines:
            count = self.after.project(file).row_count
            texts = f"{count} rows", f"{readings.rows[0]} rows"
            engines.append(Disagreement(ARROW, Difference(None, None, None, *texts, 1), file.file))
        for engine, stream in readings.streams.items():
            if stream.failure is not None:
                engines.append(failed(engine, stream.failure, file.file))
            elif engine in wrong and not (engines and self._is_right(file, engine, judgement)):
                differences = wrong[engine].differences(self._position(file))
                engines += (Disagreement(engine, each, file.file) for each in differences)
        values = tuple(collector.values for collector in readings.values[0])
        return CompareAnswer(
            readings.rows[0],
            engines=tuple(engines),
            change=tuple(change),
            values=values,
            first_rows=self._first_rows(place),
            read_by=tuple(readings.engines),
            judged_rows=len(judgement.rows),
        )

    def _unread(self, file: FileTask, error: ReadFailedError, was_read: bool) -> CompareAnswer:
        """Return the answer for a file that Arrow cannot read; the oracle may, or Arrow could before the change."""
        reason = str(error)
        at_fault = refusal(self.after, file, reason)
        if at_fault is not None:
            return CompareAnswer(None, engines=(at_fault,))
        if was_read:
            return CompareAnswer(None, change=(failed(None, reason, file.file),))
        return CompareAnswer(None, reason, error.is_unsupported)

    def _reads_before(self, place: int) -> bool:
        """Return whether a file can be read under the schema before a change, if there is one."""
        if self.before is None or self.task.before is None:
            return False
        stream = RowStream(self.before.scan((self.task.before.files[place],), ARROW))
        stream.count_rest()
        return stream.failure is None

    def _is_reordered(self, file: FileTask, engine: str, tally: Tally) -> bool:
        """Return whether an engine yields the same rows in another order: joins with deletes do not keep the order."""
        if not file.deletes or tally.expected_rows != tally.found_rows:
            return False
        expected, found = (
            pa.Table.from_batches(self.after.scan((file,), each), self._schema) for each in (ARROW, engine)
        )
        return same_rows_in_any_order(expected, found, self.task.reading.columns)

    def _is_right(self, file: FileTask, engine: str, judgement: Judgement) -> bool:
        """Return whether an engine that differs from Arrow agrees with the oracle in the rows that were judged."""
        live = sorted((position, row) for position, row in judgement.rows.items() if row is not None)
        count = self.after.project(file).row_count
        by_position = dict(live)
        if file.deletes and len(judgement.rows) < count:
            return False
        rows: list[tuple[int, Row]] = []
        number = 0
        for batch in self.after.scan((file,), engine):
            wanted = range(number, number + batch.num_rows)
            if len(judgement.rows) == count:
                chosen = [n - number for n in wanted if n < len(live)]
                positions = [live[number + n][0] for n in chosen]
            else:
                positions = [p for p, _ in live if p in wanted]
                chosen = [p - number for p in positions]
            plain = to_plain_rows(batch.take(pa.array(chosen, pa.int64())), self.task.reading.columns)
            rows += zip(positions, plain, strict=True)
            number += batch.num_rows
        expected = len(live) if len(judgement.rows) == count else count
        return number == expected and bool(rows) and all(same_value(by_position[p], row) for p, row in rows)

    def _position(self, file: FileTask) -> Sequence[int] | None:
        """Return the position in the file of each row; None if that is its number."""
        if not file.deletes:
            return None
        batches = self.after.of_columns(Schema(())).with_positions.scan((file,), ARROW)
        return [position for batch in batches for position in batch.column(0).to_pylist()]

    def _read(self, files: Sequence[FileTask]) -> Iterator[_Readings]:
        """Yield the readings of some files after each batch, and once more at the end.

        Raises `ReadFailedError` if Arrow fails under the schema of the state.
        """
        columns = self.task.reading.columns
        streams = {
            engine: RowStream(self.after.scan(files, engine))
            for engine in self.task.engines
            if engine != ARROW and self.after.reads_itself(engine, files[0])
        }
        change = _ChangeColumns.of(self, files)
        readings = _Readings(
            [0] * len(files),
            [[Collector.of(term, columns) for term in self.task.terms] for _ in files],
            {engine: Tally(columns) for engine in streams},
            None if change is None else Tally(change.after),
            streams,
            None if change is None else change.stream(self, files),
        )
        try:
            for place, batch in self._pieces(files):
                readings.rows[place] += batch.num_rows
                for collector in readings.values[place]:
                    collector.add(batch)
                for engine, stream in streams.items():
                    if stream.failure is None:
                        compare_next(stream, batch, batch.columns, readings.engines[engine])
                if change is not None and readings.change is not None:
                    change.compare(readings.before, batch, readings.change)
                yield readings
            for engine, stream in streams.items():
                if stream.failure is None:
                    readings.engines[engine].add_extra(stream.count_rest())
            if readings.before is not None and readings.before.failure is None and readings.change is not None:
                readings.change.add_missing(readings.before.count_rest())
            yield readings
        finally:
            _close(readings)

    def _pieces(self, files: Sequence[FileTask]) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield Arrow's batches, each with the place of its file. Files without deletes are read in one scan."""
        if any(file.deletes for file in files):
            for place, file in enumerate(files):
                yield from ((place, batch) for batch in self.after.scan((file,), ARROW))
            return
        counts = [self.after.project(file).row_count for file in files]
        stream = RowStream(self.after.scan(files, ARROW))
        for place, count in enumerate(counts):
            for batch in stream.take(count):
                yield place, batch
        rest = stream.count_rest()
        if stream.failure is not None:
            raise ReadFailedError(stream.failure)
        if rest:
            raise ReadFailedError(f"Arrow returns {rest} rows more than the footers count")

    def _first_rows(self, place: int) -> SideBySide | None:
        wanted = self.task.compared_rows[place]
        if not wanted or self.before is None or self.task.before is None:
            return None
        now = _head(self.after, self.task.reading.files[place], wanted)
        was = _head(self.before, self.task.before.files[place], wanted)
        return SideBySide(self.task.reading.files[place].file, was, now) if now and len(was) == len(now) else None


@dataclass(frozen=True)
class _ChangeColumns:
    """The columns that a change may alter: those of the schema after it that are not proved to keep their values.

    Parameters
    ----------
    after, places:
        These columns, and their places among the columns that are read.
    before:
        The same columns in the schema before, as far as it has them.
    """

    after: Schema
    places: tuple[int, ...]
    before: Schema

    @staticmethod
    def of(comparing: _Comparing, files: Sequence[FileTask]) -> _ChangeColumns | None:
        """Return the columns to compare for some files; None without a change."""
        if comparing.before is None or comparing.task.before is None:
            return None
        plans: dict[tuple[int, int], tuple[Plan, Plan]] = {}
        before_files = {file.file: file for file in comparing.task.before.files}
        for file in files:
            pair = comparing.before.project(before_files[file.file]).plan, comparing.after.project(file).plan
            plans[id(pair[0]), id(pair[1])] = pair
        proved = frozenset.intersection(*(proved_columns(was, now) for was, now in plans.values()))
        places = tuple(i for i, f in enumerate(comparing.task.reading.columns.fields) if f.field_id not in proved)
        after = Schema(tuple(comparing.task.reading.columns.fields[i] for i in places))
        ids = {f.field_id for f in after.fields}
        before = Schema(tuple(f for f in comparing.task.before.columns.fields if f.field_id in ids))
        return _ChangeColumns(after, places, before)

    def stream(self, comparing: _Comparing, files: Sequence[FileTask]) -> RowStream | None:
        """Return the stream of these columns before the change, by Arrow; None if there are none."""
        if comparing.before is None or comparing.task.before is None or not self.before.fields:
            return None
        before_files = {file.file: file for file in comparing.task.before.files}
        reader = comparing.before.of_columns(self.before)
        return RowStream(reader.scan([before_files[file.file] for file in files], ARROW))

    def compare(self, stream: RowStream | None, batch: pa.RecordBatch, tally: Tally) -> None:
        """Compare the next rows after the change with those expected by the rows before it."""
        found = [batch.column(place) for place in self.places]
        if stream is None:
            expected = expected_columns([], batch.num_rows, self.before, self.after)
            tally.add(expected, found, batch.num_rows)
            return
        at = 0
        for piece in stream.take(batch.num_rows):
            expected = expected_columns(piece.columns, piece.num_rows, self.before, self.after)
            tally.add(expected, [column.slice(at, piece.num_rows) for column in found], piece.num_rows)
            at += piece.num_rows
        if at < batch.num_rows:
            tally.add_extra(batch.num_rows - at)


def _close(readings: _Readings) -> None:
    for stream in (*readings.streams.values(), readings.before):
        if stream is not None:
            stream.close()


def _head(reader: Reader, file: FileTask, wanted: int) -> tuple[dict[int, str], ...]:
    """Return the first rows of a file, as text by field id; none if they cannot be read."""
    stream = RowStream(reader.scan((file,), ARROW))
    fields = reader.reading.columns.fields
    rows = []
    for batch in stream.take(wanted):
        for i in range(batch.num_rows):
            rows.append({f.field_id: preview(batch.column(n)[i], f.field_type) for n, f in enumerate(fields)})
    stream.close()
    return () if stream.failure is not None else tuple(rows)
