"""Match rows with the keys of equality deletes, whole batches at a time."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

_CODES = 1 << 62
_FEW = 4096
"""Up to this many keys are numbered once. Larger sets are first filtered to the keys that a batch may have: building a
table of a million keys for every batch costs more than scanning them for the batch's values."""


class KeySet:
    """A set of keys of one or more columns. Null equals null, NaN equals NaN, and 0.0 is not -0.0, as in Java."""

    def __init__(self, columns: Sequence[pa.Array]) -> None:
        self._columns = [_bits(column) for column in columns]
        self._numbered = _NumberedKeys(self._columns) if len(self) <= _FEW else None

    def __len__(self) -> int:
        return len(self._columns[0]) if self._columns else 0

    def holds(self, columns: Sequence[pa.Array]) -> pa.BooleanArray:
        """Return for every row whether its values are a key. Columns have the order and types of the keys' columns."""
        rows = [_bits(column) for column in columns]
        if self._numbered is not None:
            return self._numbered.holds(rows)
        keys = self._columns
        for i, row_values in enumerate(rows):
            if not pa.types.is_null(row_values.type):
                there = pc.is_in(keys[i], value_set=row_values)
                keys = [column.filter(there) for column in keys]
        return _NumberedKeys(keys).holds(rows)


class _NumberedKeys:
    """Keys as numbers: each column's distinct values are numbered, and a key combines the numbers of its columns."""

    def __init__(self, columns: Sequence[pa.Array]) -> None:
        self._values = [None if pa.types.is_null(c.type) else pc.unique(c) for c in columns]
        self._steps: list[pa.Array | None] = []
        codes: pa.Array | None = None
        radix = 1
        for column, values in zip(columns, self._values, strict=True):
            own, size = _codes(column, values)
            if codes is None:
                codes, radix = own, size
                self._steps.append(None)
                continue
            # If the next product could overflow, renumber the codes so far.
            renumbered = pc.unique(codes) if radix * max(size, 1) >= _CODES else None
            if renumbered is not None:
                codes, radix = pc.index_in(codes, renumbered).cast(pa.int64()), len(renumbered)
            self._steps.append(renumbered)
            codes, radix = pc.add(pc.multiply(codes, size), own), radix * max(size, 1)
        self._keys = pc.unique(codes) if codes is not None else pa.array([], pa.int64())

    def holds(self, columns: Sequence[pa.Array]) -> pa.BooleanArray:
        codes: pa.Array | None = None
        for column, values, renumbered in zip(columns, self._values, self._steps, strict=True):
            own, size = _codes(column, values)
            if codes is None:
                codes = own
                continue
            if renumbered is not None:
                codes = pc.index_in(codes, renumbered).cast(pa.int64())
            codes = pc.add(pc.multiply(codes, size), own)
        # A value that no key has makes the whole code null, and null is not a key.
        return pc.is_in(codes, value_set=self._keys)


def _codes(column: pa.Array, values: pa.Array | None) -> tuple[pa.Array, int]:
    if values is None:
        return pa.repeat(pa.scalar(0, pa.int64()), len(column)), 1
    return pc.index_in(column, value_set=values).cast(pa.int64()), len(values)


def _bits(column: pa.Array) -> pa.Array:
    """Return floats as their bits, with one NaN, and other values unchanged."""
    if not pa.types.is_floating(column.type):
        return column
    same_nan = pc.if_else(pc.is_nan(column), pa.scalar(float("nan"), column.type), column)
    return same_nan.view(pa.int32() if column.type.bit_width == 32 else pa.int64())
