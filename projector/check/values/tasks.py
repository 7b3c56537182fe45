"""Values compared wherever an executor runs it: tasks that can be pickled, and answers that are merged by putting them
one after the other. Rows stay where they are read; an answer holds what differs, and a few values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from projector.check.report import Comparison
from projector.check.values.comparing import (
    Disagreement,
    change_disagreements,
    engine_disagreements,
    filter_disagreement,
    passed_over,
    shown,
)
from projector.check.values.filters import LeafValues
from projector.check.values.reading import (
    ORACLE,
    Engines,
    Failed,
    Outcome,
    Reader,
    Reading,
    Row,
    without_warnings,
)
from projector.files.shapes import KnownShapes
from projector.files.storage import Storage
from projector.planning.expressions import BoundTerm, Expression
from projector.planning.row_evaluator import evaluate_row
from projector.planning.tasks import FileTask
from projector.schema.schema import Schema


@dataclass(frozen=True)
class CompareTask:
    """Files that are read by the oracle and by engines.

    Parameters
    ----------
    reading:
        The files under the schema of a state.
    before:
        The same files, in the same order, under the schema before a change; None where only engines are compared.
    engines:
        The engines that are compared with the oracle.
    terms:
        Leaves some values of which are wanted.
    compared_rows:
        For each file, how many of its first rows are given before and after.
    """

    reading: Reading
    before: Reading | None
    engines: tuple[str, ...]
    terms: tuple[BoundTerm, ...]
    compared_rows: tuple[int, ...]

    def __repr__(self) -> str:
        return f"CompareTask({len(self.reading.files)} files)"


@dataclass(frozen=True, slots=True)
class CompareAnswer:
    """What came of one file.

    Parameters
    ----------
    rows:
        Rows that the oracle gave; None where it could not read the file.
    engines, change:
        Where engines differ from the oracle, and where rows differ from what those before the change lead to.
    values:
        Some values of each leaf that was asked for.
    first_rows:
        The first rows before and after the change.
    """

    rows: int | None
    engines: tuple[Disagreement, ...] = ()
    change: tuple[Disagreement, ...] = ()
    values: tuple[LeafValues, ...] = ()
    first_rows: Comparison | None = None


def compare(task: CompareTask, storage: Storage) -> list[CompareAnswer]:
    """Read and compare the files of a task: an answer for each."""
    engines, shapes = Engines(task.engines), KnownShapes()
    after = Reader(task.reading, storage, engines, shapes)
    before = None if task.before is None else Reader(task.before, storage, engines, shapes)
    answers = []
    with without_warnings():
        for place, file in enumerate(task.reading.files):
            now = after.rows(file, ORACLE)
            was = None if before is None or task.before is None else before.rows(task.before.files[place], ORACLE)
            answers.append(_compared(task, after, file, now, was, task.compared_rows[place]))
    return answers


def _compared(
    task: CompareTask, reader: Reader, file: FileTask, now: Outcome, was: Outcome | None, wanted: int
) -> CompareAnswer:
    columns = task.reading.columns
    engines = tuple(
        found
        for engine in task.engines
        for found in engine_disagreements(now, reader.rows(file, engine), columns, engine, file.file)
    )
    change: tuple[Disagreement, ...] = ()
    first_rows = None
    if was is not None and task.before is not None:
        change = tuple(change_disagreements(was, now, task.before.columns, columns, file.file))
        if wanted:
            first_rows = _first_rows(file.file, was, now, task.before.columns, columns, wanted)
    values = tuple(LeafValues.of(term, _rows(now)) for term in task.terms)
    return CompareAnswer(None if isinstance(now, Failed) else len(now), engines, change, values, first_rows)


def _rows(outcome: Outcome) -> Sequence[Row]:
    return () if isinstance(outcome, Failed) else outcome


def _first_rows(file: str, was: Outcome, now: Outcome, before: Schema, after: Schema, wanted: int) -> Comparison | None:
    if isinstance(was, Failed) or isinstance(now, Failed) or len(was) != len(now) or not was:
        return None
    one, other = (
        tuple({f.field_id: shown(row[f.name]) for f in schema.fields} for row in rows[:wanted])
        for rows, schema in ((was, before), (now, after))
    )
    return Comparison(file, one, other)


@dataclass(frozen=True)
class FilterTask:
    """Filters on one leaf, each pushed down into what planning left of some files.

    Parameters
    ----------
    reading:
        The files, and the columns that are compared.
    planned:
        Files as filters left them.
    filters:
        Each filter, and the places in `planned` of the files that it left.
    """

    reading: Reading
    planned: tuple[FileTask, ...]
    filters: tuple[tuple[Expression, tuple[int, ...]], ...]
    engines: tuple[str, ...]

    def __repr__(self) -> str:
        return f"FilterTask({len(self.filters)} filters, {len(self.reading.files)} files)"


def try_filters(task: FilterTask, storage: Storage) -> list[Disagreement]:
    """Where the filters of a task give other rows, pushed down, than after a full read by the oracle."""
    reader = Reader(task.reading, storage, Engines(task.engines))
    found: list[Disagreement] = []
    with without_warnings():
        full: dict[str, Outcome] = {file.file: reader.rows(file, ORACLE) for file in task.reading.files}
        for row_filter, places in task.filters:
            files = [task.planned[place] for place in places]
            kept = {file.file for file in files}
            expected: list[Row] = []
            for file, outcome in full.items():
                passing = [row for row in _rows(outcome) if evaluate_row(row_filter, row) is True]
                if file in kept:
                    expected += passing
                elif passing:
                    found.append(passed_over(file, row_filter))
            for engine in task.engines:
                rows = reader.filtered(files, row_filter, engine)
                found += filter_disagreement(expected, rows, engine, row_filter)
    return found
