"""Engines with a fault in them, for tests of level `values`: the Arrow executor, whose batches are spoilt."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.registry import EXECUTORS, executor
from projector.planning.filters.expressions import AlwaysTrue

Spoil = Callable[[pa.Array], pa.Array]


def wrong_cast(array: pa.Array) -> pa.Array:
    """Integers that are cut to 16 bits."""
    if not pa.types.is_integer(array.type):
        return array
    return pc.bit_wise_and(array, pa.scalar(0x7FFF, array.type))


def null_list_emptied(array: pa.Array) -> pa.Array:
    """Null lists that become empty ones."""
    if not pa.types.is_list(array.type):
        return array
    return pa.array([value if value is not None else [] for value in array.to_pylist()], array.type)


def children_swapped(array: pa.Array) -> pa.Array:
    """The first two children of a struct exchanged."""
    if not pa.types.is_struct(array.type) or array.type.num_fields < 2:
        return array
    children = [array.field(i) for i in range(array.type.num_fields)]
    children[:2] = children[1::-1]
    return pa.StructArray.from_arrays(children, fields=list(array.type), mask=array.is_null())


def null_struct_filled(array: pa.Array) -> pa.Array:
    """Null structs that become structs of nulls."""
    if not pa.types.is_struct(array.type):
        return array
    return pa.StructArray.from_arrays([array.field(i) for i in range(array.type.num_fields)], fields=list(array.type))


def rounded(array: pa.Array) -> pa.Array:
    """Doubles rounded to whole numbers."""
    return pc.round(array) if pa.types.is_floating(array.type) else array


def row_lost(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The last row of every batch is gone."""
    return batch.slice(0, batch.num_rows - 1)


def row_changed(position: int, to: int | None = None) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
    """The first column of the row whose `id` is `position` becomes another value, null unless given."""

    def spoilt(batch: pa.RecordBatch) -> pa.RecordBatch:
        if "id" not in batch.schema.names:
            return batch
        wrong = pc.equal(batch.column("id"), position)
        first = pc.if_else(wrong, pa.scalar(to, batch.column(0).type), batch.column(0))
        return pa.RecordBatch.from_arrays([first, *batch.columns[1:]], schema=batch.schema)

    return spoilt


@contextmanager
def planted(
    spoil: Spoil | None = None, batch_fault: Any = None, *, filtered_only: bool = False, engine: str = "arrow"
) -> Iterator[None]:
    """An executor with a fault: in every column, in every batch, or only if a filter is pushed down."""
    sound = executor(engine)

    def scan_batches(files: Any, request: Any, batch_size: int) -> Iterator[pa.RecordBatch]:
        for batch in sound(files, request, batch_size):
            if filtered_only and isinstance(request.row_filter, AlwaysTrue):
                yield batch
                continue
            spoilt = batch if batch_fault is None else batch_fault(batch)
            if spoil is not None:
                columns = [spoil(column) for column in spoilt.columns]
                spoilt = pa.RecordBatch.from_arrays(columns, schema=spoilt.schema)
            yield spoilt

    module = ModuleType("faulty_engine")
    module.scan_batches = scan_batches  # type: ignore[attr-defined]
    sys.modules["faulty_engine"] = module  # not patch.dict: it forgets what is imported meanwhile, and DuckDB aborts
    try:
        with patch.dict(EXECUTORS, {engine: "faulty_engine"}):
            yield
    finally:
        del sys.modules["faulty_engine"]
