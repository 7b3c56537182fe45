"""Polars frames as Arrow batches of the scan's types, and Arrow batches as Polars frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl
import pyarrow as pa

from projector.engines.arrow_conform import conform_batch
from projector.engines.polars_types import polars_schema
from projector.schema.arrow_schema import arrow_schema
from projector.schema.schema import Schema


def to_batches(frame: pl.DataFrame, schema: pa.Schema, batch_size: int | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of a frame whose columns are those of an Arrow schema, in its types."""
    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    for batch in table.to_batches(max_chunksize=batch_size):
        if batch.num_rows:
            yield conform_batch(batch, schema)


def from_batches(batches: Iterable[pa.RecordBatch], schema: Schema) -> pl.DataFrame:
    """Arrow batches of a scan as a frame of Polars' nearest types."""
    wanted = polars_schema(schema)
    # Numbers in place of names: Polars would give a column without a name one of its own.
    arrow = pa.schema([pa.field(str(i), _plain_type(f.type), True) for i, f in enumerate(arrow_schema(schema))])
    plain = pa.Table.from_batches((conform_batch(batch, arrow) for batch in batches), arrow)
    frame = pl.from_arrow(plain, rechunk=False)
    assert isinstance(frame, pl.DataFrame)
    frame.columns = list(wanted)
    return frame if dict(frame.schema) == wanted else frame.cast(wanted)  # type: ignore[arg-type]


def _plain_type(kind: pa.DataType) -> pa.DataType:
    """A type without extensions and field metadata, which versions of Polars take differently."""
    if isinstance(kind, pa.BaseExtensionType):
        return kind.storage_type
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(f.name, _plain_type(f.type)) for f in kind])
    if pa.types.is_map(kind):
        return pa.map_(_plain_type(kind.key_type), _plain_type(kind.item_type))
    if pa.types.is_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    return kind
