"""Compare values: of one state (between engines, and with filters), and of a change (before and after)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

from projector.check.report.looked_at import Unreadable
from projector.check.report.report import SideBySide
from projector.check.values.compare_task import CompareAnswer, CompareTask, compare
from projector.check.values.differences import Disagreement
from projector.check.values.filters.candidates import filter_terms
from projector.check.values.filters.task import FilterTask, try_filters
from projector.check.values.filters.trials import FilterTrials
from projector.check.values.plan_files import PlannedFiles, delete_kind, delete_kinds, plan_files
from projector.check.values.reading import ARROW, ORACLE
from projector.check.values.run_tasks import run_tasks
from projector.check.values.sampling import ChosenFiles, SampledFile, by_snapshot, choose_files
from projector.errors import ProjectorError, UnsupportedError
from projector.planning.filters.expressions import BoundTerm
from projector.planning.scan.tasks import FileTask
from projector.schema.schema import Schema
from projector.schema.types import NestedField, StructType, has_variant, walk

if TYPE_CHECKING:
    from projector.check.evidence.state import TableState

FILES_IN_A_TASK = 256
"""The most files in one task."""

ROWS_IN_A_TASK = 1_000_000
"""The most rows in the files of a task; a larger file has a task of its own."""

CELLS_READ_ANYWAY = 5_000_000
"""The most values, in columns that a change cannot alter, that are read all the same to find damage in them."""

_FILES_SHOWN, _ROWS_SHOWN = 8, 5


@dataclass
class StateValues:
    """The values of a table under one schema.

    Parameters
    ----------
    columns:
        Ids of the top-level columns to read; None for all.
    engines:
        The engines to compare, including Arrow.
    before:
        The values before the change that led to this state, to compare with; None for an audit.
    """

    state: TableState
    sample: ChosenFiles
    columns: frozenset[int] | None
    engines: tuple[str, ...]
    before: StateValues | None = None
    _unplanned: dict[str, ProjectorError] = field(default_factory=dict)

    @cached_property
    def schema(self) -> Schema:
        """The columns to read."""
        return Schema(tuple(f for f in self._selected if not has_variant(f.field_type)))

    @property
    def variants(self) -> tuple[str, ...]:
        """The selected columns that cannot be read because they hold variants."""
        return tuple(f.name for f in self._selected if has_variant(f.field_type))

    @property
    def _selected(self) -> tuple[NestedField, ...]:
        return tuple(f for f in self.state.schema.fields if self.columns is None or f.field_id in self.columns)

    @cached_property
    def terms(self) -> tuple[BoundTerm, ...]:
        """The leaves that filters can name."""
        return tuple(filter_terms(self.schema))

    @cached_property
    def answers(self) -> Mapping[str, CompareAnswer]:
        """The result of each file, by path."""
        found: dict[str, CompareAnswer] = {}
        tasks = list(self._tasks())
        progress = self.state.files.progress
        progress.begin("values", self.sample.files, self.sample.rows)
        progress.advance(len(self._unplanned), 0)
        for task, of_files in zip(tasks, run_tasks(self.state.files, compare, tasks), strict=True):
            found.update(zip((file.file for file in task.reading.files), of_files, strict=True))
            progress.advance(len(of_files), sum(answer.rows or 0 for answer in of_files))
        for path, error in self._unplanned.items():
            found[path] = CompareAnswer(None, str(error), isinstance(error, UnsupportedError))
        return found

    def _tasks(self) -> Iterator[CompareTask]:
        shown = 0
        for group in self.sample.groups:
            for snapshot_id, members in by_snapshot(group).items():
                now, reasons = plan_files(self.state, snapshot_id, [each.file for each in members])
                was = None if self.before is None else PlannedFiles(self.before.state, snapshot_id, now.files)
                try:
                    _ = was is None or was.tasks
                except ProjectorError:  # it could not be planned before; what can be said now is said
                    was = None
                self._unplanned |= reasons
                files = [each for each in members if each.file.path not in reasons]
                for some in _in_tasks(files, now.tasks):
                    yield self._task(now, was, some, shown)
                    shown += len(some)

    def _task(
        self, now: PlannedFiles, was: PlannedFiles | None, files: Sequence[tuple[SampledFile, bool]], shown: int
    ) -> CompareTask:
        paths = [each.file.path for each, _ in files]
        earlier = None
        if was is not None and self.before is not None:
            earlier = was.reading(self.before.schema, [was.tasks[path] for path in paths])
        return CompareTask(
            now.reading(self.schema, [now.tasks[path] for path in paths]),
            earlier,
            self.engines,
            self.terms,
            tuple(_ROWS_SHOWN if shown + i < _FILES_SHOWN else 0 for i in range(len(paths))),
            tuple(judged for _, judged in files),
            None if self._rest is None else now.reading(self._rest, [now.tasks[path] for path in paths]),
        )

    @cached_property
    def _rest(self) -> Schema | None:
        """The columns that are not compared, if the table is small enough to read them anyway."""
        fields = self.state.schema.fields
        others = tuple(f for f in fields if f not in self.schema.fields and not has_variant(f.field_type))
        leaves = sum(f.field_type.is_primitive for _, f in walk(StructType(others)))
        return Schema(others) if others and leaves * self.sample.rows <= CELLS_READ_ANYWAY else None

    @property
    def unread_columns(self) -> int:
        """The number of columns that are not read at all."""
        return len(self.state.schema.fields) - len(self._selected) if self._rest is None else 0

    @property
    def compared(self) -> int:
        """The number of files whose rows were read and compared."""
        return sum(answer.rows is not None for answer in self.answers.values())

    @property
    def rows(self) -> Mapping[str, int]:
        """The rows that each engine read itself, and those that the oracle judged, by engine."""
        counted: Counter[str] = Counter({ORACLE: 0, ARROW: 0, **dict.fromkeys(self.engines, 0)})
        for answer in self.answers.values():
            counted[ORACLE] += answer.judged_rows
            for engine in (ARROW, *answer.read_by):
                counted[engine] += answer.rows or 0
        return counted

    @cached_property
    def unreadable(self) -> tuple[Unreadable, ...]:
        """Files that could be read neither under this schema nor under the schema before."""
        return tuple(
            Unreadable(path, answer.unreadable, UnsupportedError(answer.unreadable) if answer.is_unsupported else None)
            for path, answer in self.answers.items()
            if answer.unreadable is not None
        )

    @cached_property
    def engine_differences(self) -> tuple[Disagreement, ...]:
        """Where an engine differs from Arrow or Arrow from the oracle, or only one of them fails."""
        return tuple(each for answer in self.answers.values() for each in answer.engines)

    @cached_property
    def _trials(self) -> FilterTrials:
        return FilterTrials(self.state, self.schema, self.terms, self.sample, self.answers, self.engines)

    @cached_property
    def _filters(self) -> tuple[FilterTask, ...]:
        return tuple(self._trials.tasks())

    @property
    def filter_count(self) -> int:
        """The number of filters that are tried."""
        return sum(len(task.filters) for task in self._filters)

    @cached_property
    def filter_differences(self) -> tuple[Disagreement, ...]:
        """Where a pushed-down filter returns other rows than the same filter after a full read."""
        progress = self.state.files.progress
        progress.begin("filters", len(self._filters), None)
        found: list[Disagreement] = list(self._trials.wrongly_skipped())
        for several in run_tasks(self.state.files, try_filters, self._filters):
            found += several
            progress.advance(1, 0)
        return tuple(found)


def _in_tasks(files: Sequence[SampledFile], tasks: Mapping[str, FileTask]) -> Iterator[list[tuple[SampledFile, bool]]]:
    """Yield the files of one shape in portions for tasks, each with whether the oracle judges it.

    The oracle judges the smallest file with rows and the largest file of each kind of deletes.
    """
    kinds: dict[tuple[str, ...], list[SampledFile]] = {}
    for each in files:
        kinds.setdefault(delete_kind(tasks[each.file.path]), []).append(each)
    for members in kinds.values():
        with_rows = sorted((each for each in members if each.rows), key=lambda each: each.rows)
        judged = {each.file.path for each in (*with_rows[:1], *with_rows[-1:])}
        portion: list[tuple[SampledFile, bool]] = []
        rows = 0
        for each in members:
            if portion and (len(portion) >= FILES_IN_A_TASK or rows + each.rows > ROWS_IN_A_TASK):
                yield portion
                portion, rows = [], 0
            portion.append((each, each.file.path in judged))
            rows += each.rows
        if portion:
            yield portion


@dataclass
class ChangeValues:
    """The values of a table before and after a change, of the same files in the same snapshots.

    Parameters
    ----------
    after:
        The values after the change, which hold those before it.
    restored:
        Ids of top-level columns that are meant to have other values after the change.
    """

    after: StateValues
    restored: frozenset[int] = frozenset()

    @cached_property
    def differences(self) -> tuple[Disagreement, ...]:
        """Where rows after the change differ from those expected by the rows before it."""
        return tuple(
            each
            for answer in self.after.answers.values()
            for each in answer.change
            if each.failure is not None or each.difference.field_id not in self.restored
        )

    @property
    def side_by_side(self) -> tuple[SideBySide, ...]:
        """The first rows of some files before and after, as text."""
        found = (answer.first_rows for answer in self.after.answers.values())
        return tuple(each for each in found if each is not None)


def state_values(state: TableState, columns: frozenset[int] | None, before: StateValues | None) -> StateValues:
    """Return the values of a state's columns, with the engines and files of its settings."""
    sample = choose_files(state.metadata, state.footers, state.files.sample, partial(delete_kinds, state))
    return StateValues(state, sample, columns, state.files.executors, before)


def by_field(
    found: Sequence[Disagreement],
) -> Mapping[tuple[str | None, int | None, str | None], tuple[Disagreement, ...]]:
    """Return disagreements by engine, field, and kind: `failure` or None."""
    grouped: dict[tuple[str | None, int | None, str | None], list[Disagreement]] = {}
    for each in found:
        kind = "failure" if each.failure is not None else None
        grouped.setdefault((each.engine, each.difference.field_id, kind), []).append(each)
    return {key: tuple(members) for key, members in grouped.items()}
