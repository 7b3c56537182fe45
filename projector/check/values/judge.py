"""Compare Arrow with the row oracle, value by value, in the rows that are most likely to be wrong.

Those are the first and last rows of row groups, rows with the least and greatest value, nulls at each level, empty and
long lists, NaN, and rows around deleted ones. Small files are judged whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from projector.check.values.differences import Difference, Disagreement, failed, preview_value
from projector.check.values.reading import ARROW, Reader, ReadFailedError, reading_errors
from projector.engines.plain_rows import same_value, to_plain_rows
from projector.engines.reference.project import Row
from projector.engines.reference.scan import rows_at
from projector.planning.scan.tasks import FileTask
from projector.schema.schema import Schema

JUDGED_WHOLE = 2_000
"""The most rows of a file that is judged whole."""

MOST_JUDGED = 256
"""The most rows that are judged of a larger file."""

MOST_DELETES = 200_000
"""The most rows in the delete files of a judged file: the oracle reads each of them as Python values."""

_ROW_GROUPS, _EDGE, _GAPS = 16, 4, 16


@dataclass(frozen=True)
class Judgement:
    """The oracle's rows of a file, beside Arrow's.

    Parameters
    ----------
    rows:
        The judged rows, by position; None for a deleted row.
    arrow:
        Arrow's rows at these positions, without deleted rows.
    disagreements:
        Where Arrow differs.
    """

    rows: dict[int, Row | None]
    arrow: dict[int, Row]
    disagreements: tuple[Disagreement, ...] = ()


def judge(reader: Reader, file: FileTask, suspects: Iterable[int] = ()) -> Judgement:
    """Judge a file, in the rows worth judging and in some suspects. Raises `ReadFailedError` if Arrow cannot read it.

    Parameters
    ----------
    suspects:
        Numbers of suspect rows among those that Arrow returns, from 0.
    """
    projected = reader.project(file)
    keyed = reader.with_positions
    if projected.row_count <= JUDGED_WHOLE:
        chosen: Sequence[int] = range(projected.row_count)
    else:
        chosen = sorted(_worth_judging(keyed, file, set(suspects)))
    columns = reader.reading.columns
    arrow = dict(_at(keyed, file, chosen, columns))
    try:
        with reading_errors():
            rows = rows_at(projected, reader.request, chosen)
    except ReadFailedError as error:
        refused = Difference(None, None, None, f"refused: {error}", f"{len(arrow)} rows", 0)
        return Judgement({}, arrow, (Disagreement(ARROW, refused, file.file),))
    return Judgement(rows, arrow, tuple(_differences(rows, arrow, columns, file.file)))


def _differences(
    rows: dict[int, Row | None], arrow: dict[int, Row], columns: Schema, file: str
) -> Iterator[Disagreement]:
    live = {position: row for position, row in rows.items() if row is not None}
    if live.keys() != arrow.keys():
        first = min(live.keys() ^ arrow.keys())
        texts = f"{len(live)} rows", f"{len(arrow)} rows"
        if len(live) == len(arrow):
            texts = ("a row", "none") if first in live else ("no row", "one")
        yield Disagreement(ARROW, Difference(None, None, first, *texts, len(live.keys() ^ arrow.keys())), file)
        return
    for field in columns.fields:
        wrong = [p for p, row in live.items() if not same_value(row[field.name], arrow[p][field.name])]
        if wrong:
            one, other = live[wrong[0]][field.name], arrow[wrong[0]][field.name]
            texts = preview_value(one), preview_value(other)
            yield Disagreement(ARROW, Difference(field.field_id, field.name, wrong[0], *texts, len(wrong)), file)


def refusal(reader: Reader, file: FileTask, reason: str) -> Disagreement | None:
    """Return Arrow's disagreement about a file that it could not read; None if the oracle cannot read it either.

    A file too large for the oracle counts as unreadable.
    """
    try:
        projected = reader.project(file)
        if projected.row_count > 10 * JUDGED_WHOLE or not may_judge(file):
            return None
        with reading_errors():
            rows_at(projected, reader.request, range(projected.row_count))
    except ReadFailedError:
        return None
    return failed(ARROW, reason, file.file)


def may_judge(file: FileTask) -> bool:
    """Return whether the delete files of a file are small enough for the oracle."""
    return sum(delete.record_count for delete in file.deletes) <= MOST_DELETES


def _at(keyed: Reader, file: FileTask, chosen: Sequence[int], columns: Schema) -> Iterator[tuple[int, Row]]:
    """Yield Arrow's rows at some positions, each with its position."""
    wanted = pa.array(chosen, pa.int64())
    width = len(columns.fields)
    for batch in keyed.scan((file,), ARROW):
        places = pc.indices_nonzero(pc.is_in(batch.column(width), value_set=wanted))
        if len(places):
            taken = batch.take(places)
            rows = to_plain_rows(taken.select(range(width)), columns) if width else [{}] * len(places)
            yield from zip(taken.column(width).to_pylist(), rows, strict=True)


def _worth_judging(keyed: Reader, file: FileTask, suspects: set[int]) -> set[int]:
    """Return the positions of a large file that are worth judging, and those of the suspects."""
    found = set(_row_group_edges(keyed, file))
    notes = [_Extremes() for _ in keyed.reading.columns.fields[:-1]]
    extra: set[int] = set()
    number, last, gaps = 0, -1, 0
    for batch in keyed.scan((file,), ARROW):
        positions = batch.column(batch.num_columns - 1)
        for note, column in zip(notes, batch.columns, strict=False):
            note.add(column, positions)
        extra.update(positions[s - number].as_py() for s in suspects if number <= s < number + batch.num_rows)
        if gaps < _GAPS:
            for before, after in _gaps(last, positions):
                found |= {max(before, 0), before + 1, after - 1, after}
                gaps += 1
                if gaps >= _GAPS:
                    break
        last = positions[-1].as_py()
        number += batch.num_rows
    for note in notes:
        found |= note.positions
    count = keyed.project(file).row_count
    if last < count - 1:
        found |= {last + 1, count - 1}
    kept = sorted(position for position in found if 0 <= position < count)
    if len(kept) > MOST_JUDGED:
        kept = kept[:: -(-len(kept) // MOST_JUDGED)]
    return {*kept, *extra}


def _row_group_edges(keyed: Reader, file: FileTask) -> Iterator[int]:
    with reading_errors(), keyed.request.storage.open_arrow(file.location) as source:
        metadata = pq.read_metadata(source)
        lengths = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    starts = [sum(lengths[:i]) for i in range(len(lengths))] if len(lengths) <= 1_000 else []
    chosen = range(0, len(starts), max(1, len(starts) // _ROW_GROUPS))
    for group in {*chosen, len(starts) - 1} if starts else ():
        start, end = starts[group], starts[group] + lengths[group]
        yield from range(start, min(start + _EDGE, end))
        yield from range(max(start, end - _EDGE), end)


def _gaps(last: int, positions: pa.Int64Array) -> Iterator[tuple[int, int]]:
    """Yield consecutive positions of rows that are not neighbours in the file."""
    first = positions[0].as_py()
    if first != last + 1:
        yield last, first
    if positions[-1].as_py() - first == len(positions) - 1:
        return
    jumps = pc.indices_nonzero(pc.not_equal(pc.subtract(positions.slice(1), positions.slice(0, len(positions) - 1)), 1))
    for jump in jumps.slice(0, _GAPS).to_pylist():
        yield positions[jump].as_py(), positions[jump + 1].as_py()


class _Extremes:
    """Collects the positions of rows that hold a column's extremes: values, nulls, lengths."""

    def __init__(self) -> None:
        self._once: dict[tuple[object, ...], int] = {}
        self._best: dict[tuple[object, ...], tuple[Any, int]] = {}

    @property
    def positions(self) -> set[int]:
        return {*self._once.values(), *(position for _, position in self._best.values())}

    def add(self, array: pa.Array, positions: pa.Int64Array, path: tuple[object, ...] = ()) -> None:
        """Add the next rows: one value for each."""
        kind = array.type
        if isinstance(kind, pa.BaseExtensionType):
            array, kind = array.storage, array.type.storage_type
        if array.null_count:
            self._first((*path, "null"), array.is_null(), positions)
            if array.null_count < len(array):
                self._first((*path, "value"), array.is_valid(), positions)
        if pa.types.is_struct(kind):
            for i in range(kind.num_fields):
                self.add(pc.struct_field(array, [i]), positions, (*path, i))
        elif pa.types.is_list(kind) or pa.types.is_map(kind):
            offsets = array.offsets
            lengths = pc.subtract(offsets.slice(1), offsets.slice(0, len(array)))
            lengths = pc.if_else(array.is_valid(), lengths, pa.scalar(None, lengths.type))
            self._extremes(lengths, positions, path)
        elif not pa.types.is_null(kind):
            if pa.types.is_fixed_size_binary(kind):
                array = array.cast(pa.binary())  # which min_max takes
            if pa.types.is_floating(kind):
                self._first((*path, "nan"), pc.is_nan(array).fill_null(False), positions)
            self._extremes(array, positions, path)

    def _first(self, key: tuple[object, ...], holds: pa.BooleanArray, positions: pa.Int64Array) -> None:
        if key not in self._once:
            at = pc.index(holds, pa.scalar(True)).as_py()
            if at >= 0:
                self._once[key] = positions[at].as_py()

    def _extremes(self, array: pa.Array, positions: pa.Int64Array, path: tuple[object, ...]) -> None:
        if array.null_count == len(array):
            return
        bounds = pc.min_max(array)
        for which in ("min", "max"):
            scalar = bounds[which]
            value = scalar.value if pa.types.is_temporal(scalar.type) else scalar.as_py()
            if value is None or (isinstance(value, float) and math.isnan(value)):
                continue
            key = (*path, which)
            known = self._best.get(key)
            if known is None or (value < known[0] if which == "min" else value > known[0]):
                at = pc.index(array, scalar).as_py()
                if at >= 0:
                    self._best[key] = value, positions[at].as_py()
