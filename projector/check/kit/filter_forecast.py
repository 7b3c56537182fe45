"""Forecast what a filter on one value of a column costs over the same rows, written before and after a change."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from projector.check.evidence.state import TableState
from projector.errors import ProjectorError
from projector.metadata.manifests.read import DataFile
from projector.planning.filters.bind import bind
from projector.planning.filters.expressions import Comparison, Expression, Op
from projector.planning.forecast.rewrite_cost import written_anew
from projector.schema.binary_values import decode_bound
from projector.schema.single_values import format_value
from projector.schema.types import IcebergType, IntegerType, LongType

FILES_AT_MOST: Final = 1_000
"""The most files that a forecast uses."""


def forecast_of(before: TableState, after: TableState, field_id: int) -> str | None:
    """Return a sentence on the cost of `column = value`, with a value from the bounds of a file in the middle.

    None if the column does not exist before and after, its bounds are not known, or nothing changes.
    """
    current = before.metadata.current_snapshot_id
    live = (file.data_file for file in before.files.live.data if current in file.snapshots)
    files = list(islice(live, FILES_AT_MOST))
    name = before.schema.paths_by_id.get(field_id)
    if name is None or field_id not in after.schema.fields_by_id:
        return None
    literal = _value(files, field_id, before.schema.fields_by_id[field_id].field_type)
    if literal is None:
        return None
    try:
        costs = []
        for state in (before, after):
            row_filter = _filter(state, field_id, literal)
            spec = state.metadata.spec()
            costs.append(written_anew(before.metadata, spec, state.schema, row_filter, files).cost)
    except ProjectorError:
        return None
    old, new = costs
    if old.records == new.records:
        return None
    return (
        f"a filter such as {'.'.join(name)} = {literal!r} would read {old.records:,} of {old.of_records:,} records"
        f" written as before, and {new.records:,} written as after"
    )


def _value(files: Sequence[DataFile], field_id: int, field_type: IcebergType) -> Any:
    """Return a value that is certainly within the bounds of some file, as a filter spells it."""
    known = [file.lower_bounds[field_id] for file in files if field_id in (file.lower_bounds or {})]
    if not known or not field_type.is_primitive:
        return None
    value = decode_bound(sorted(known)[len(known) // 2], field_type)
    if value is None or isinstance(field_type, IntegerType | LongType):
        return value
    return format_value(value, field_type).strip('"')


def _filter(state: TableState, field_id: int, literal: Any) -> Expression:
    return bind(Comparison(Op.EQ, state.schema.paths_by_id[field_id], literal), state.schema, True)
