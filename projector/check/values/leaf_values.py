"""Collect some values of a leaf column, to make filters of: its extremes, and whether it has nulls and NaN."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.plain_rows import plain_value
from projector.planning.filters.expressions import BoundTerm
from projector.schema.schema import Schema

_MOST = 9
"""The most values to collect of a leaf: its extremes, and those of some batches."""


@dataclass(frozen=True, slots=True)
class LeafValues:
    """Some values of a leaf in a file.

    Parameters
    ----------
    some:
        Ascending: the least and greatest value, and some in between; empty if it has only nulls and NaN.
    nulls, nan:
        Whether it has nulls, and NaN.
    """

    some: tuple[Any, ...] = ()
    nulls: bool = False
    nan: bool = False

    @staticmethod
    def merged(parts: Iterable[LeafValues]) -> LeafValues:
        """Return the values of a leaf in several files."""
        merged = list(parts)
        values = {value for part in merged for value in part.some}
        return LeafValues(_few(values), any(part.nulls for part in merged), any(part.nan for part in merged))


@dataclass(slots=True)
class Collector:
    """Collects the values of a leaf from the batches of a file."""

    term: BoundTerm
    column: int
    _path: list[int]
    _values: set[Any] = field(default_factory=set)
    _nulls: bool = False
    _nan: bool = False

    @staticmethod
    def of(term: BoundTerm, columns: Schema) -> Collector:
        """Return a collector of a leaf of some columns."""
        place = next(i for i, f in enumerate(columns.fields) if f.name == term.path[0])
        path, kind = [], columns.fields[place].field_type
        for name in term.path[1:]:
            at = next(i for i, f in enumerate(kind.fields) if f.name == name)  # type: ignore[attr-defined]
            path.append(at)
            kind = kind.fields[at].field_type  # type: ignore[attr-defined]
        return Collector(term, place, path)

    def leaf(self, batch: pa.RecordBatch) -> pa.Array:
        """Return the leaf of a batch; it is null if a struct above it is null."""
        array = batch.column(self.column)
        return pc.struct_field(array, self._path) if self._path else array

    def add(self, batch: pa.RecordBatch) -> None:
        """Collect values of a batch."""
        array = self.leaf(batch)
        self._nulls |= bool(array.null_count)
        if array.null_count == len(array):
            return
        if pa.types.is_floating(array.type):
            self._nan |= bool(pc.any(pc.is_nan(array)).as_py())
        bounds = pc.min_max(array)
        for scalar in (bounds["min"], bounds["max"]):
            value = plain_value(scalar, self.term.field_type)
            if value is not None and not (isinstance(value, float) and math.isnan(value)):
                self._values.add(value)
        if len(self._values) > 4 * _MOST:
            self._values = set(_few(self._values))

    @property
    def values(self) -> LeafValues:
        """The values that were collected."""
        return LeafValues(_few(self._values), self._nulls, self._nan)


def _few(values: set[Any]) -> tuple[Any, ...]:
    """Return the least and greatest value and some in between, ascending."""
    ordered = sorted(values)
    if len(ordered) <= _MOST:
        return tuple(ordered)
    step = (len(ordered) - 1) / (_MOST - 1)
    return tuple(ordered[round(i * step)] for i in range(_MOST))
