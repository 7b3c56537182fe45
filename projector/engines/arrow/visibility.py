"""Find the visible values of a column: values under a null parent and values of deleted rows are hidden.

This runs only if a column has a problem (a null under a required field, a value that does not fit), so that most
batches pay nothing for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a batch; `kept` marks those that are read (None: all)."""

    kept: pa.BooleanArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class UnderStruct:
    """The children of a struct."""

    parent: pa.Array
    above: Above


@dataclass(frozen=True, slots=True, eq=False)
class UnderList:
    """The elements of a list or the entries of a map; `offsets` start at 0."""

    parent: pa.Array
    offsets: pa.Int32Array
    above: Above


Above = Rows | UnderStruct | UnderList


def visible(above: Above) -> pa.BooleanArray | None:
    """Return for each value whether it is visible; None if all are."""
    match above:
        case Rows(kept):
            return kept
        case UnderStruct(parent, higher):
            return _both(_valid(parent), visible(higher))
        case UnderList(parent, offsets, higher):
            lists = _both(_valid(parent), visible(higher))
            if lists is None:
                return None
            values = pa.nulls(offsets[len(offsets) - 1].as_py())
            return lists.take(pc.list_parent_indices(pa.ListArray.from_arrays(offsets, values)))


def first_bad(bad: pa.BooleanArray, above: Above) -> int | None:
    """Return the position of the first visible value that is `bad` (null: it is not), or None."""
    counted = visible(above)
    positions = pc.indices_nonzero(bad if counted is None else pc.and_(bad, counted))
    return positions[0].as_py() if len(positions) else None


def _valid(array: pa.Array) -> pa.BooleanArray | None:
    return array.is_valid() if array.null_count else None


def _both(one: pa.BooleanArray | None, other: pa.BooleanArray | None) -> pa.BooleanArray | None:
    if one is None or other is None:
        return other if one is None else one
    return pc.and_(one, other)
