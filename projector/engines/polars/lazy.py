"""Make a LazyFrame of a scan: Polars' columns and predicates reach the planner before a file is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import polars as pl
from polars.io.plugins import register_io_source

from projector.engines.polars.io_predicate import implied_filter
from projector.engines.polars.types import polars_schema
from projector.planning.filters.expressions import TRUE, Expression
from projector.planning.scan.request import DEFAULT_BATCH_SIZE
from projector.schema.reserved import DELETED
from projector.schema.schema import Schema
from projector.schema.types import NestedField

Change = Callable[[pl.LazyFrame], pl.LazyFrame]

ReadFrames = Callable[[Schema, Expression, Change | None, int], Iterator[pl.DataFrame]]
"""Reads a scan. Takes the columns to return, a filter that every returned row passes (used only to prune), a change to
apply to the rows, and the most rows in a batch."""


def lazy_frame(schema: Schema, read: ReadFrames) -> pl.LazyFrame:
    """Return a LazyFrame over the rows of a scan, in the nearest Polars types.

    Parameters
    ----------
    schema:
        The schema of the rows.
    read:
        Called whenever the frame is collected.

    Raises `UnsupportedError` where a column's type is not read.
    """

    def source(
        columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        given = schema.fields if columns is None else _named(schema, columns)
        names = [f.name for f in given]
        bound: Expression = TRUE
        change: Change | None = None
        needed = set(names)
        if predicate is not None:
            bound = implied_filter(predicate, schema)
            needed |= set(predicate.meta.root_names())
            change = _filtered(predicate)
        # `_deleted` decides which rows there are, whichever columns are taken of them.
        fields = tuple(f for f in schema.fields if f.name in needed or f.field_id == DELETED)
        left = n_rows
        for frame in read(replace(schema, fields=fields), bound, change, batch_size or DEFAULT_BATCH_SIZE):
            part = frame if frame.columns == names or not names else frame.select(names)
            if left is not None:
                part = part.head(left)
                left -= part.height
            yield part
            if left is not None and left <= 0:
                return

    return register_io_source(source, schema=polars_schema(schema), is_pure=True)


def _named(schema: Schema, names: list[str]) -> tuple[NestedField, ...]:
    by_name = {f.name: f for f in schema.fields}
    return tuple(by_name[name] for name in names)


def _filtered(predicate: pl.Expr) -> Change:
    def change(rows: pl.LazyFrame) -> pl.LazyFrame:
        return rows.filter(predicate)

    return change
