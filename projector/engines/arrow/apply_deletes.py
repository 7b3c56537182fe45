"""Apply equality deletes and the filter to projected batches, and drop the probe columns they needed."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from projector.engines.arrow.delete_files import EqualityDeletes, probe_values
from projector.engines.arrow.filter import mask
from projector.engines.arrow.project import make_batch
from projector.engines.deletes.positions import DeletedPositions
from projector.planning.filters.expressions import AlwaysTrue, BoundTerm
from projector.planning.scan.request import ScanRequest
from projector.schema.reserved import DELETED, POS


def apply_deletes_and_filter(
    request: ScanRequest,
    batch: pa.RecordBatch,
    equality: tuple[EqualityDeletes, ...],
    positions: DeletedPositions | None,
    schema: pa.Schema,
) -> pa.RecordBatch:
    """Return the rows of a batch under the request's wide schema that the scan returns, without the probes.

    Parameters
    ----------
    equality:
        The equality deletes of the batch's file.
    positions:
        Its deleted positions, if deleted rows are marked instead of dropped; needs a probe of `_pos`.
    schema:
        The Arrow schema of the returned rows.
    """
    if not request.probes and not request.marks_deleted:
        return batch
    width = len(request.schema.fields)
    probed = {p.field_id: probe_values(batch, width + i, p) for i, p in enumerate(request.probes)}
    deleted = _any([e.keys.holds([probed[i] for i in e.field_ids]) for e in equality])
    columns = batch.columns[:width]
    length = batch.num_rows
    kept: pa.BooleanArray | None = None
    if request.marks_deleted:
        if positions is not None:
            by_position = pc.is_in(probed[POS], value_set=positions.positions)
            deleted = by_position if deleted is None else pc.or_(deleted, by_position)
        marked = pa.repeat(pa.scalar(False), length) if deleted is None else deleted
        probed[DELETED] = marked
        if request.deleted_column is not None:
            columns[request.deleted_column] = marked
    elif deleted is not None:
        kept = pc.invert(deleted)
    if not isinstance(request.row_filter, AlwaysTrue):

        def column(term: BoundTerm) -> pa.Array:
            return probed[term.field_id]

        passed = mask(request.row_filter, column, length).fill_null(False)
        kept = passed if kept is None else pc.and_(kept, passed)
    if kept is not None and kept.true_count < length:
        columns = [c.filter(kept) for c in columns]
        length = kept.true_count
    return make_batch(columns, schema, length)


def _any(masks: list[pa.BooleanArray]) -> pa.BooleanArray | None:
    found: pa.BooleanArray | None = None
    for one in masks:
        found = one if found is None else pc.or_(found, one)
    return found
