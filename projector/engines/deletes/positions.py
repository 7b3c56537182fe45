"""Select the rows of a file to read, by position: how executors apply position deletes."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.plain_rows import ordinals


class RowSelection(Protocol):
    """The rows of one file to read, by their position in it."""

    def kept(self, first: int, length: int) -> pa.BooleanArray | None:
        """Return which rows at positions `first` to `first + length - 1` to read; None for all."""
        ...


@dataclass(frozen=True, slots=True)
class DeletedPositions:
    """All rows except those at `positions`, ascending ordinals in the file from 0 (spec: Position Delete Files).

    `positions` is an array of int64 without nulls.
    """

    positions: pa.Int64Array

    def kept(self, first: int, length: int) -> pa.BooleanArray | None:
        """See `RowSelection.kept`."""
        offset, count = self.positions.offset, len(self.positions)
        ordered = memoryview(self.positions.buffers()[1]).cast("q")[offset : offset + count]
        begin = bisect_left(ordered, first)
        end = bisect_left(ordered, first + length, lo=begin)
        if begin == end:
            return None
        gone = self.positions.slice(begin, end - begin)
        return pc.invert(pc.is_in(ordinals(first, length), value_set=gone))
