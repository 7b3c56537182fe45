"""Which rows of a file are read at all: the seam at which position deletes meet the executors."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa


class RowSelection(Protocol):
    """Tells the rows of one file that are read, by their position in it."""

    def kept(self, first: int, length: int) -> pa.BooleanArray | None:
        """Which of the rows at positions `first` to `first + length - 1` are read; None for all of them."""
        ...


@dataclass(frozen=True, slots=True)
class DeletedPositions:
    """All rows but those at `positions`, ascending ordinals in the file from 0 (spec: Position Delete Files)."""

    positions: Sequence[int]

    def kept(self, first: int, length: int) -> pa.BooleanArray | None:
        """See `RowSelection.kept`."""
        import pyarrow as pa
        import pyarrow.compute as pc

        begin = bisect_left(self.positions, first)
        end = bisect_left(self.positions, first + length, lo=begin)
        if begin == end:
            return None
        gone = pa.array(self.positions[begin:end], pa.int64())
        return pc.invert(pc.is_in(pa.arange(first, first + length), value_set=gone))
