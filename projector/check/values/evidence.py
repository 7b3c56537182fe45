"""What comparing values brings: for one state (engines, filters), and for a change (before and after)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from projector.check.report import Comparison
from projector.check.values.comparing import Disagreement
from projector.check.values.filter_trials import FilterTrials
from projector.check.values.filters import filter_terms
from projector.check.values.planned import PlannedFiles
from projector.check.values.sampling import Sample, choose_files
from projector.check.values.sending import answers
from projector.check.values.tasks import (
    CompareAnswer,
    CompareTask,
    FilterTask,
    compare,
    try_filters,
)
from projector.errors import ProjectorError
from projector.planning.expressions import BoundTerm
from projector.schema.schema import Schema

if TYPE_CHECKING:
    from projector.check.state import TableState

FILES_IN_A_TASK = 16
"""Files that are compared in one task."""

_FILES_SHOWN, _ROWS_SHOWN = 8, 5


@dataclass
class StateValues:
    """The values of a table under one schema.

    Parameters
    ----------
    columns:
        Ids of the top-level columns to read; None for all.
    engines:
        The engines to compare with the oracle.
    before:
        The values before the change that led to this state; they are compared where there are any.
    """

    state: TableState
    sample: Sample
    columns: frozenset[int] | None
    engines: tuple[str, ...]
    before: StateValues | None = None

    @cached_property
    def schema(self) -> Schema:
        """The columns that are read."""
        fields = self.state.schema.fields
        return Schema(tuple(f for f in fields if self.columns is None or f.field_id in self.columns))

    @cached_property
    def terms(self) -> tuple[BoundTerm, ...]:
        """The leaves that filters can name."""
        return tuple(filter_terms(self.schema))

    @cached_property
    def answers(self) -> Mapping[str, CompareAnswer]:
        """What came of each file that was read, by its path; a file that cannot be planned is not among them."""
        found: dict[str, CompareAnswer] = {}
        tasks = list(self._tasks())
        for task, of_files in zip(tasks, answers(self.state.files, compare, tasks), strict=True):
            found.update(zip((file.file for file in task.reading.files), of_files, strict=True))
        return found

    def _tasks(self) -> Iterator[CompareTask]:
        shown = 0
        for snapshot_id, files in self.sample.by_snapshot.items():
            try:
                planned = PlannedFiles(self.state, snapshot_id, files)
                was = None if self.before is None else PlannedFiles(self.before.state, snapshot_id, files)
                wanted = iter(file.path for file in files if file.path in planned.tasks)
                while paths := tuple(islice(wanted, FILES_IN_A_TASK)):
                    reading = planned.reading(self.schema, [planned.tasks[path] for path in paths])
                    earlier = None
                    if was is not None and self.before is not None:
                        earlier = was.reading(self.before.schema, [was.tasks[path] for path in paths])
                    rows = tuple(_ROWS_SHOWN if shown + i < _FILES_SHOWN else 0 for i in range(len(paths)))
                    shown += len(paths)
                    yield CompareTask(reading, earlier, self.engines, self.terms, rows)
            except ProjectorError:
                continue

    @cached_property
    def row_count(self) -> int:
        """Rows that the oracle gave."""
        return sum(answer.rows or 0 for answer in self.answers.values())

    @cached_property
    def engine_differences(self) -> tuple[Disagreement, ...]:
        """Where an engine gives other rows than the oracle, or fails where it does not."""
        return tuple(each for answer in self.answers.values() for each in answer.engines)

    @cached_property
    def _trials(self) -> FilterTrials:
        return FilterTrials(self.state, self.schema, self.terms, self.sample, self.answers, self.engines)

    @cached_property
    def _filters(self) -> tuple[FilterTask, ...]:
        return tuple(self._trials.tasks())

    @property
    def filter_count(self) -> int:
        """Filters that are tried."""
        return sum(len(task.filters) for task in self._filters)

    @cached_property
    def filter_differences(self) -> tuple[Disagreement, ...]:
        """Where a filter that is pushed down gives other rows than the same filter after a full read."""
        found = answers(self.state.files, try_filters, self._filters)
        return (*self._trials.passed_over(), *(each for several in found for each in several))


@dataclass
class ChangeValues:
    """The values of a table before and after a change, the same files read in the same snapshots.

    Parameters
    ----------
    after:
        The values after it, made with those before it.
    seen_again:
        Ids of top-level columns that are meant to have other values after the change than before it.
    """

    after: StateValues
    seen_again: frozenset[int] = frozenset()

    @cached_property
    def differences(self) -> tuple[Disagreement, ...]:
        """Where the oracle gives other rows after the change than those before it lead to."""
        return tuple(
            each
            for answer in self.after.answers.values()
            for each in answer.change
            if each.failure is not None or each.difference.field_id not in self.seen_again
        )

    @property
    def side_by_side(self) -> tuple[Comparison, ...]:
        """The first rows of some files before and after, as text."""
        found = (answer.first_rows for answer in self.after.answers.values())
        return tuple(each for each in found if each is not None)


def state_values(state: TableState, columns: frozenset[int] | None, before: StateValues | None) -> StateValues:
    """The values of a state's columns, by the engines and on the files that its settings ask for."""
    sample = choose_files(state.metadata, state.footers, state.files.sample)
    return StateValues(state, sample, columns, state.files.executors, before)


def by_field(found: Sequence[Disagreement]) -> Mapping[tuple[str, int | None, str | None], tuple[Disagreement, ...]]:
    """Disagreements by engine, field, and what kind they are."""
    grouped: dict[tuple[str, int | None, str | None], list[Disagreement]] = {}
    for each in found:
        kind = "failure" if each.failure is not None else None
        grouped.setdefault((each.engine, each.difference.field_id, kind), []).append(each)
    return {key: tuple(members) for key, members in grouped.items()}
