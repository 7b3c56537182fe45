"""Convert Polars frames to Arrow batches of a scan's types, and Arrow batches to Polars frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl
import pyarrow as pa

from projector.engines.arrow.conform import conform_batch
from projector.engines.polars.types import HAS_MAPS, polars_schema
from projector.schema.arrow_schema import arrow_schema
from projector.schema.schema import Schema


def to_batches(frame: pl.DataFrame, schema: pa.Schema, batch_size: int | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a frame as Arrow batches of a schema with the same columns."""
    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    for batch in table.to_batches(max_chunksize=batch_size):
        if batch.num_rows:
            yield conform_batch(batch, schema)


def from_batches(batches: Iterable[pa.RecordBatch], schema: Schema) -> pl.DataFrame:
    """Return Arrow batches of a scan as a frame of the nearest Polars types."""
    wanted = polars_schema(schema)
    # Numbers instead of names: Polars would make up a name for a column whose name is empty.
    arrow = pa.schema([pa.field(str(i), _plain_type(f.type), True) for i, f in enumerate(arrow_schema(schema))])
    plain = pa.Table.from_batches((conform_batch(batch, arrow) for batch in batches), arrow)
    frame = pl.from_arrow(plain, rechunk=False)
    assert isinstance(frame, pl.DataFrame)
    frame = _with_text_of_its_own(frame)
    frame.columns = list(wanted)
    return frame if dict(frame.schema) == wanted else frame.cast(wanted)  # type: ignore[arg-type]


def _with_text_of_its_own(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame made from Arrow's buffers without the buffers of short text, which Polars stores in the column.

    Otherwise Arrow's buffers would live as long as the frame, and use the same memory again.
    """
    with_text = [name for name, kind in frame.schema.items() if _has_text(kind)]
    if not with_text or not frame.height:
        return frame
    return frame.with_columns(pl.col(with_text).gather(pl.int_range(pl.len(), dtype=pl.UInt32)))


def _has_text(kind: pl.DataType) -> bool:
    match kind:
        case pl.List():
            return _has_text(kind.inner)  # type: ignore[arg-type]
        case pl.Struct():
            return any(_has_text(f.dtype) for f in kind.fields)  # type: ignore[arg-type]
        case pl.String() | pl.Binary():
            return True
        case _:
            return HAS_MAPS and isinstance(kind, pl.Map)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    """Return a type without extensions and field metadata, which Polars versions treat differently."""
    if isinstance(kind, pa.BaseExtensionType):
        return kind.storage_type
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(f.name, _plain_type(f.type)) for f in kind])
    if pa.types.is_map(kind):
        return pa.map_(_plain_type(kind.key_type), _plain_type(kind.item_type))
    if pa.types.is_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    return kind
