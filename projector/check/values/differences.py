"""Find where two readings of the same rows differ, column by column, and describe it for reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from projector.check.values.equality import differing, same
from projector.engines.plain_rows import plain_value
from projector.planning.filters.expressions import Expression
from projector.schema.schema import Schema
from projector.schema.types import IcebergType

PLANNING = "planning"
"""The name to blame when a file is wrongly skipped by its bounds or its partition."""

_LONGEST = 120
_SUSPECTS = 4
"""Differing rows of each batch for the oracle to judge."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two readings of a column differ.

    Parameters
    ----------
    field_id, path:
        The top-level column; None if the number of rows differs.
    row:
        The row in the file, from 0.
    expected, found:
        The two values as text.
    count:
        Rows in which the column differs.
    """

    field_id: int | None
    path: str | None
    row: int | None
    expected: str
    found: str
    count: int


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A difference, the engine at fault, and the file or filter.

    Parameters
    ----------
    engine:
        The engine whose rows are not as expected; None if the projection itself is at fault, with every engine.
    file:
        The file; None for a filter over several.
    row_filter:
        The filter, as text.
    failure:
        Why rows could not be read at all; then the difference has no values.
    """

    engine: str | None
    difference: Difference
    file: str | None = None
    row_filter: str | None = None
    failure: str | None = None


def failed(engine: str | None, reason: str, file: str | None = None, row_filter: str | None = None) -> Disagreement:
    """Return the disagreement of an engine that could not read rows that another engine reads."""
    return Disagreement(engine, Difference(None, None, None, "rows", reason, 0), file, row_filter, reason)


def wrongly_skipped(file: str, row_filter: Expression) -> Disagreement:
    """Return the disagreement of planning, with every engine, that skips a file with rows that a filter accepts."""
    difference = Difference(None, None, None, "rows of the filter", "none, by the bounds or partition of the file", 1)
    return Disagreement(PLANNING, difference, file, str(row_filter))


@dataclass(slots=True)
class _Column:
    count: int
    row: int
    expected: str
    found: str


class Tally:
    """The differences between expected and found rows, added up batch by batch.

    Parameters
    ----------
    columns:
        The columns of both, in order.

    Attributes
    ----------
    expected_rows, found_rows:
        Rows so far.
    suspects:
        Some rows that differ, numbered from 0.
    """

    def __init__(self, columns: Schema) -> None:
        self._fields = columns.fields
        self._found: dict[int, _Column] = {}
        self.expected_rows = 0
        self.found_rows = 0
        self.suspects: list[int] = []

    @property
    def is_clean(self) -> bool:
        """Whether nothing differs so far."""
        return not self._found and self.expected_rows == self.found_rows

    def add(self, expected: Sequence[pa.Array], found: Sequence[pa.Array], length: int) -> None:
        """Compare the next `length` rows."""
        start = self.expected_rows
        for place, (one, other) in enumerate(zip(expected, found, strict=True)):
            if not same(one, other):
                self._note(place, one, other, start)
        self.expected_rows += length
        self.found_rows += length

    def add_missing(self, count: int) -> None:
        """Count rows that were expected and not found."""
        self.expected_rows += count

    def add_extra(self, count: int) -> None:
        """Count rows that were found and not expected."""
        self.found_rows += count

    def _note(self, place: int, one: pa.Array, other: pa.Array, start: int) -> None:
        rows = pc.indices_nonzero(differing(one, other))
        first = rows[0].as_py()
        self.suspects += (start + row for row in rows.slice(0, _SUSPECTS).to_pylist())
        known = self._found.get(place)
        if known is not None:
            known.count += len(rows)
            return
        kind = self._fields[place].field_type
        self._found[place] = _Column(len(rows), start + first, preview(one[first], kind), preview(other[first], kind))

    def differences(self, positions: Sequence[int] | None = None) -> Iterator[Difference]:
        """Yield the differences: only the number of rows if that differs, else those of each column.

        Parameters
        ----------
        positions:
            The position in the file of each row; None if that is the row's number.
        """
        if self.expected_rows != self.found_rows:
            count = abs(self.expected_rows - self.found_rows)
            yield Difference(None, None, None, f"{self.expected_rows} rows", f"{self.found_rows} rows", count)
            return
        for place, column in sorted(self._found.items()):
            field = self._fields[place]
            row = column.row if positions is None else positions[column.row]
            yield Difference(field.field_id, field.name, row, column.expected, column.found, column.count)


def preview(scalar: pa.Scalar, kind: IcebergType) -> str:
    """Return an Arrow value as text, cut to a length that a report can show."""
    return preview_value(plain_value(scalar, kind))


def preview_value(value: Any) -> str:
    """Return a plain value as text, cut to a length that a report can show."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def same_rows_in_any_order(one: pa.Table, other: pa.Table, columns: Schema) -> bool:
    """Return whether two tables with the columns of a schema hold the same rows, in any order.

    Sort rows by every leaf outside lists and maps first. If rows with equal leaves differ, sort by lists and maps too,
    as text: slow, but an engine is never blamed for the order of its rows.
    """
    if one.num_rows != other.num_rows:
        return False
    return any(
        all(same(_joined(a), _joined(b)) for a, b in zip(left.columns, right.columns, strict=True))
        for left, right in ((order(one), order(other)) for order in (_by_leaves, partial(_by_all, columns=columns)))
    )


def _by_leaves(table: pa.Table) -> pa.Table:
    return _sorted(table, [leaf for column in table.columns for leaf in _leaves(_joined(column))])


def _by_all(table: pa.Table, columns: Schema) -> pa.Table:
    keys = [leaf for column in table.columns for leaf in _leaves(_joined(column))]
    for field, column in zip(columns.fields, table.columns, strict=True):
        if not field.field_type.is_primitive:
            keys.append(pa.array([repr(plain_value(scalar, field.field_type)) for scalar in column], pa.large_string()))
    return _sorted(table, keys)


def _leaves(array: pa.Array) -> Iterator[pa.Array]:
    """Yield the leaves of a column outside lists and maps, and the validity of each struct."""
    if isinstance(array.type, pa.BaseExtensionType):
        yield from _leaves(array.storage)
    elif pa.types.is_struct(array.type):
        yield array.is_valid()
        for i in range(array.type.num_fields):
            yield from _leaves(pc.struct_field(array, [i]))
    elif not pa.types.is_nested(array.type) and not pa.types.is_null(array.type):
        yield array


def _sorted(table: pa.Table, keys: list[pa.Array]) -> pa.Table:
    if not keys:
        return table
    by = pa.table(keys, [str(i) for i in range(len(keys))])
    return table.take(pc.sort_indices(by, [(name, "ascending") for name in by.column_names]))


def _joined(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
