"""What comparing values brings: for one state (engines, filters), and for a change (before and after)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from projector.check.live_files import LiveFile
from projector.check.report import Comparison
from projector.check.values.comparing import Difference, differences, expected_row, shown
from projector.check.values.filters import filter_terms, filters_on
from projector.check.values.reading import ORACLE, Failed, Outcome, Reader, Row
from projector.check.values.sampling import Sample, choose_files
from projector.errors import ProjectorError
from projector.planning.expressions import Expression
from projector.planning.row_evaluator import evaluate_row
from projector.schema.schema import Schema

if TYPE_CHECKING:
    from projector.check.state import TableState


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One difference, and where it was seen.

    Parameters
    ----------
    engine:
        The engine that read the rows that are not as expected.
    file:
        The file; None for a filter over several.
    row_filter:
        The filter, as text.
    failure:
        Why rows could not be read at all; then there is no difference to show.
    """

    engine: str
    difference: Difference
    file: str | None = None
    row_filter: str | None = None
    failure: str | None = None


def _failure(failed: Failed) -> Difference:
    return Difference(None, None, None, "rows", failed.reason, 0)


@dataclass
class StateValues:
    """The values of a table under one schema.

    Parameters
    ----------
    columns:
        Ids of the top-level columns to read; None for all.
    engines:
        The engines to compare with the oracle.
    """

    state: TableState
    sample: Sample
    columns: frozenset[int] | None
    engines: tuple[str, ...]
    _readers: dict[int, Reader] = field(default_factory=dict)
    _rows: dict[tuple[str, str], Outcome] = field(default_factory=dict)

    @cached_property
    def schema(self) -> Schema:
        """The columns that are read."""
        fields = self.state.schema.fields
        return Schema(tuple(f for f in fields if self.columns is None or f.field_id in self.columns))

    def reader(self, snapshot_id: int) -> Reader:
        """What reads the files of a snapshot."""
        if snapshot_id not in self._readers:
            self._readers[snapshot_id] = Reader(self.state, snapshot_id, self.schema)
        return self._readers[snapshot_id]

    def rows(self, snapshot_id: int, file: LiveFile, engine: str = ORACLE) -> Outcome:
        """The rows of a file, read once."""
        key = (file.path, engine)
        if key not in self._rows:
            self._rows[key] = self.reader(snapshot_id).rows(file, engine)
        return self._rows[key]

    def files(self) -> Iterator[tuple[int, LiveFile]]:
        """Every file that is read, with the snapshot that it is read in."""
        for snapshot_id, files in self.sample.by_snapshot.items():
            for file in files:
                yield snapshot_id, file

    @cached_property
    def row_count(self) -> int:
        """Rows that the oracle gave."""
        return sum(len(rows) for i, file in self.files() if not isinstance(rows := self.rows(i, file), Failed))

    @cached_property
    def engine_differences(self) -> tuple[Disagreement, ...]:
        """Where an engine gives other rows than the oracle, or fails where it does not."""
        found: list[Disagreement] = []
        for snapshot_id, file in self.files():
            expected = self.rows(snapshot_id, file)
            for engine in self.engines:
                found += _compared(expected, self.rows(snapshot_id, file, engine), self.schema, engine, file.path)
        return tuple(found)

    @cached_property
    def _filters(self) -> tuple[tuple[int, Expression], ...]:
        """Filters to try in each snapshot."""
        found: list[tuple[int, Expression]] = []
        for snapshot_id, files in self.sample.by_snapshot.items():
            rows = [row for file in files for row in _rows_of(self.rows(snapshot_id, file))]
            for term in filter_terms(self.state.schema, self.schema):
                leaf = self.state.schema.fields_by_id[term.field_id]
                found += [(snapshot_id, each) for each in filters_on(term, leaf, rows)]
        return tuple(found)

    @property
    def filter_count(self) -> int:
        """Filters that are tried."""
        return len(self._filters)

    @cached_property
    def filter_differences(self) -> tuple[Disagreement, ...]:
        """Where a filter that is pushed down gives other rows than the same filter after a full read."""
        found: list[Disagreement] = []
        for snapshot_id, row_filter in self._filters:
            files = self.sample.by_snapshot[snapshot_id]
            readable = [f for f in files if not isinstance(self.rows(snapshot_id, f), Failed)]
            if not readable:
                continue
            full = [row for f in readable for row in _rows_of(self.rows(snapshot_id, f))]
            expected = [row for row in full if evaluate_row(row_filter, row) is True]
            for engine in self.engines:
                rows = self.reader(snapshot_id).filtered(readable, row_filter, engine)
                found += _filtered(expected, rows, self.schema, engine, row_filter)
        return tuple(found)


def _rows_of(outcome: Outcome) -> Sequence[Row]:
    return () if isinstance(outcome, Failed) else outcome


def _compared(expected: Outcome, found: Outcome, schema: Schema, engine: str, file: str) -> Iterator[Disagreement]:
    match expected, found:
        case Failed(), Failed():
            return
        case _, Failed(reason):
            yield Disagreement(engine, _failure(Failed(reason)), file, failure=reason)
        case Failed(reason), _:
            rows = f"{len(_rows_of(found))} rows"
            yield Disagreement(engine, Difference(None, None, None, f"refused: {reason}", rows, 0), file)
        case _:
            for difference in differences(_rows_of(expected), _rows_of(found), schema):
                yield Disagreement(engine, difference, file)


def _filtered(
    expected: Sequence[Row], found: Outcome, schema: Schema, engine: str, row_filter: Expression
) -> Iterator[Disagreement]:
    said = str(row_filter)
    if isinstance(found, Failed):
        yield Disagreement(engine, _failure(found), row_filter=said, failure=found.reason)
        return
    one, other = sorted(map(repr, expected)), sorted(map(repr, found))
    if one != other:
        numbers = (f"{len(expected)} rows", f"{len(found)} rows")
        first = next((f"{a} / {b}" for a, b in zip(one, other, strict=False) if a != b), "")
        texts = numbers if len(expected) != len(found) else (first.partition(" / ")[0], first.partition(" / ")[2])
        yield Disagreement(
            engine, Difference(None, None, None, *texts, abs(len(one) - len(other)) or 1), row_filter=said
        )


@dataclass
class ChangeValues:
    """The values of a table before and after a change, the same files read in the same snapshots.

    Parameters
    ----------
    seen_again:
        Ids of top-level columns that are meant to have other values after the change than before it.
    """

    before: StateValues
    after: StateValues
    seen_again: frozenset[int] = frozenset()

    @cached_property
    def differences(self) -> tuple[Disagreement, ...]:
        """Where the oracle gives other rows after the change than those before it lead to."""
        return tuple(self._differences())

    def _differences(self) -> Iterator[Disagreement]:
        for snapshot_id, file in self.before.files():
            was, now = self.before.rows(snapshot_id, file), self.after.rows(snapshot_id, file)
            if isinstance(was, Failed):
                continue
            if isinstance(now, Failed):
                yield Disagreement(ORACLE, _failure(now), file.path, failure=now.reason)
                continue
            try:
                expected = [expected_row(row, self.before.schema, self.after.schema) for row in was]
            except ProjectorError as error:
                yield Disagreement(ORACLE, _failure(Failed(str(error))), file.path, failure=str(error))
                continue
            for difference in differences(expected, now, self.after.schema):
                if difference.field_id not in self.seen_again:
                    yield Disagreement(ORACLE, difference, file.path)


def side_by_side(values: ChangeValues, files: int = 8, rows: int = 5) -> tuple[Comparison, ...]:
    """The first rows of some files before and after, as text."""
    found = []
    for snapshot_id, file in islice(values.before.files(), files):
        was, now = values.before.rows(snapshot_id, file), values.after.rows(snapshot_id, file)
        if isinstance(was, Failed) or isinstance(now, Failed) or len(was) != len(now) or not was:
            continue
        one = tuple(_texts(row, values.before.schema) for row in was[:rows])
        other = tuple(_texts(row, values.after.schema) for row in now[:rows])
        found.append(Comparison(file.path, one, other))
    return tuple(found)


def _texts(row: Row, schema: Schema) -> Mapping[int, str]:
    return {field.field_id: shown(row[field.name]) for field in schema.fields}


def state_values(state: TableState, columns: frozenset[int] | None) -> StateValues:
    """The values of a state's columns, by the engines and on the files that its settings ask for."""
    sample = choose_files(state.metadata, state.footers, state.files.sample)
    return StateValues(state, sample, columns, state.files.executors)


def by_field(found: Sequence[Disagreement]) -> Mapping[tuple[str, int | None, str | None], tuple[Disagreement, ...]]:
    """Disagreements by engine, field, and what kind they are."""
    grouped: dict[tuple[str, int | None, str | None], list[Disagreement]] = {}
    for each in found:
        kind = "failure" if each.failure is not None else None
        grouped.setdefault((each.engine, each.difference.field_id, kind), []).append(each)
    return {key: tuple(members) for key, members in grouped.items()}
