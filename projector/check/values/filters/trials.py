"""Choose the filters to try on the files that were read, and plan them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from projector.check.evidence.live_files import LiveFile
from projector.check.values.compare_task import CompareAnswer
from projector.check.values.differences import PLANNING, Disagreement, failed, wrongly_skipped
from projector.check.values.filters.candidates import cheap_filters_on, few_filters_on, filters_on, own_filters
from projector.check.values.filters.leaf_kinds import LeafKind, leaf_kinds
from projector.check.values.filters.task import FilterTask
from projector.check.values.leaf_values import LeafValues
from projector.check.values.plan_files import PlannedFiles
from projector.check.values.sampling import ChosenFiles, SampledFile, by_snapshot
from projector.errors import ProjectorError
from projector.planning.filters.expressions import BoundTerm, Expression, all_of
from projector.planning.scan.tasks import FileTask
from projector.schema.schema import Schema

if TYPE_CHECKING:
    from projector.check.evidence.state import TableState

FILTERED_FILES = 3
"""The most files of each kind of a leaf to try filters on: the result depends on how the leaf is read, not on how many
files there are."""

MANY_ROWS = 500_000
"""If these files have more rows, only filters that select few rows are tried."""


@dataclass(frozen=True)
class FilterTrials:
    """The filters to try on the files of a state.

    Parameters
    ----------
    state:
        The state to read the files in.
    schema, terms:
        The columns that were read, and their leaves.
    sample, answers:
        The files, and the result of each file, by path.
    engines:
        The engines to push filters down into.
    """

    state: TableState
    schema: Schema
    terms: tuple[BoundTerm, ...]
    sample: ChosenFiles
    answers: Mapping[str, CompareAnswer]
    engines: tuple[str, ...]

    def tasks(self) -> Iterator[FilterTask]:
        """Yield a task for each leaf and snapshot. Filters of every kind are tried on a leaf read in a new way."""
        tried: set[LeafKind] = set()
        for number, term in enumerate(self.terms):
            for snapshot_id, (kinds, files) in self._chosen(term).items():
                planned = PlannedFiles(self.state, snapshot_id, [each.file for each in files])
                values = LeafValues.merged(self.answers[each.file.path].values[number] for each in files)
                default = self.state.schema.fields_by_id[term.field_id].initial_default
                promoted = any(kind.promoted for kind in kinds)
                if kinds <= tried:
                    filters = few_filters_on(term, values)
                elif sum(each.rows for each in files) > MANY_ROWS:
                    filters = cheap_filters_on(term, default, values, promoted=promoted)
                else:
                    filters = filters_on(term, default, values, promoted=promoted)
                tried |= kinds
                yield self._task(term, planned, filters)

    def _chosen(self, term: BoundTerm) -> dict[int, tuple[set[LeafKind], list[SampledFile]]]:
        """The files that filters on a leaf are tried on, by snapshot, with the ways in which they are read."""
        found: dict[int, tuple[set[LeafKind], list[SampledFile]]] = {}
        for kind, groups in leaf_kinds(self.state, term).items():
            readable = [each for group in groups for each in self.sample.groups[group] if self._has_rows(each)]
            for each in sorted(readable, key=lambda each: each.rows)[:FILTERED_FILES]:
                kinds, files = found.setdefault(each.snapshot_id, (set(), []))
                kinds.add(kind)
                files.append(each)
        return found

    def _has_rows(self, each: SampledFile) -> bool:
        answer = self.answers.get(each.file.path)
        return answer is not None and bool(answer.rows)

    def _task(self, term: BoundTerm, planned: PlannedFiles, filters: Sequence[Expression]) -> FilterTask:
        places: dict[tuple[object, ...], int] = {}
        left: list[FileTask] = []
        chosen: list[tuple[Expression, tuple[int, ...]]] = []
        for row_filter in filters:
            try:
                files = planned.kept(row_filter)
            except ProjectorError:  # `wrongly_skipped` says of which file the statistics are at fault
                continue
            kept = []
            for task in files:
                place = places.setdefault((task.file, task.position_deletes, task.equality_deletes), len(left))
                if place == len(left):
                    left.append(task)
                kept.append(place)
            chosen.append((row_filter, tuple(kept)))
        reading = planned.reading(self._beside(term), tuple(planned.tasks.values()), filters[0])
        return FilterTask(reading, term, tuple(left), tuple(chosen), self.engines)

    def _beside(self, term: BoundTerm) -> Schema:
        """Return the column that contains a leaf, and another one, whose values must stay in the same rows."""
        fields = self.schema.fields
        top = next(i for i, field in enumerate(fields) if field.name == term.path[0])
        chosen = {top, (top + 1) % len(fields)}
        return Schema(tuple(field for i, field in enumerate(fields) if i in chosen))

    def wrongly_skipped(self) -> Iterator[Disagreement]:
        """Yield files that planning skips although they hold the values of the filter."""
        for snapshot_id, files in by_snapshot(each for group in self.sample.groups for each in group).items():
            for each in files:
                if not self._has_rows(each):
                    continue
                planned = PlannedFiles(self.state, snapshot_id, (each.file,))
                values = self.answers[each.file.path].values
                own = [own_filters(term, some) for term, some in zip(self.terms, values, strict=True)]
                for together in _in_turn(own):
                    if _fault(planned, each.file, all_of(together)) is not None:
                        yield from filter(None, (_fault(planned, each.file, one) for one in together))


def _in_turn(filters: Iterable[Sequence[Expression]]) -> Iterator[list[Expression]]:
    """Yield the first filters of all leaves together, then the second ones, and so on, to plan each list at once."""
    several = list(filters)
    for place in range(max(map(len, several), default=0)):
        yield [own[place] for own in several if place < len(own)]


def _fault(planned: PlannedFiles, file: LiveFile, row_filter: Expression) -> Disagreement | None:
    """Return the fault in planning a filter that some row of a file passes, if any."""
    try:
        if planned.keeps_one(row_filter):
            return None
    except ProjectorError as error:
        return failed(PLANNING, str(error), file.path, str(row_filter))
    return wrongly_skipped(file.path, row_filter)
