"""Forecast what a change of partitioning or sort order means for a table's files, and for the cost of a filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from projector.errors import NotFoundError, ParseError, UnsupportedError
from projector.files.storage.locations import PathResolver
from projector.files.storage.storage import Storage
from projector.metadata.manifests.read import DataFile
from projector.metadata.table_metadata import TableMetadata
from projector.planning.filters.bind import bind
from projector.planning.filters.expressions import Expression, bound_terms
from projector.planning.filters.parser import to_expression
from projector.planning.forecast.layout_use import LayoutUse, layout_use
from projector.planning.forecast.rewrite_cost import Cost, Forecast, written_anew
from projector.planning.scan.live_data import live_data_files, specs_in_use
from projector.planning.scan.planner import plan_snapshot


@dataclass(frozen=True, slots=True)
class FilterCosts:
    """What a filter costs before and after a change: over the existing files, and over new files with the same rows.

    Parameters
    ----------
    old_before, old_after:
        The table's live files. They keep their spec, so these differ only if the change affects the filter's own
        columns.
    expected:
        The records that the filter should return from them.
    new_before, new_after:
        The same rows, written again under the default spec before the change, and under the one after it.
    """

    old_before: Cost
    old_after: Cost
    expected: int
    new_before: Forecast
    new_after: Forecast


@dataclass(frozen=True, slots=True)
class LayoutPlan:
    """What a change means for a table's files.

    Parameters
    ----------
    use:
        Which specs and sort orders the files follow, and which ones new files will follow.
    costs:
        The costs of the filter; None without a filter, or if it has no cost after the change.
    no_costs_because:
        Why the filter has no costs: a column of it is gone, or has a type that it does not fit.
    """

    use: LayoutUse
    costs: FilterCosts | None = None
    no_costs_because: str | None = None


def plan_layout(
    before: TableMetadata,
    after: TableMetadata,
    storage: Storage,
    resolver: PathResolver,
    row_filter: Any = None,
    case_sensitive: bool = True,
) -> LayoutPlan:
    """Return what a change means for the files of the current snapshot. Manifests are read, but no data file is
    opened.

    Parameters
    ----------
    before, after:
        The table's metadata without the change and with it.
    row_filter:
        A filter as in scans, with the names of columns before the change or after it.

    Raises
    ------
    ParseError, NotFoundError
        The filter cannot be parsed, or names a column that the table does not have even before the change.
    CorruptFileError, UnsupportedError, InvalidMetadataError
        Manifests cannot be read.
    """
    snapshot = before.current_snapshot
    files = () if snapshot is None else tuple(live_data_files(snapshot, storage, resolver))
    use = layout_use(before, after, files, specs_in_use(before, storage, resolver))
    if row_filter is None:
        return LayoutPlan(use)
    expression = to_expression(row_filter)
    try:
        bound_after: Expression | None = bind(expression, after.current_schema, case_sensitive)
    except (NotFoundError, ParseError, UnsupportedError) as error:
        bound_after, because = None, error.message
    try:
        bound_before = bind(expression, before.current_schema, case_sensitive)
    except NotFoundError:
        if bound_after is None:
            raise
        bound_before = bound_after  # by the names after the change; ids decide
    if bound_after is None:
        if any(_changed(field_id, before, after) for field_id in bound_terms(bound_before)):
            return LayoutPlan(use, no_costs_because=because)
        bound_after = bound_before
    old_before, expected = _cost(before, bound_before, files, storage, resolver)
    old_after, _ = _cost(after, bound_after, files, storage, resolver)
    return LayoutPlan(
        use,
        FilterCosts(
            old_before,
            old_after,
            expected,
            written_anew(before, before.spec(), before.current_schema, bound_before, files),
            written_anew(after, after.spec(), after.current_schema, bound_after, files),
        ),
    )


def _changed(field_id: int, before: TableMetadata, after: TableMetadata) -> bool:
    """Return whether a column is gone after a change, or has another type."""
    old, new = (m.current_schema.fields_by_id.get(field_id) for m in (before, after))
    return new is None or (old is not None and old.field_type != new.field_type)


def _cost(
    metadata: TableMetadata,
    bound: Expression,
    files: Sequence[DataFile],
    storage: Storage,
    resolver: PathResolver,
) -> tuple[Cost, int]:
    plan = plan_snapshot(metadata, metadata.current_snapshot, metadata.current_schema, bound, storage, resolver)
    cost = Cost(len(plan.tasks), len(files), plan.records_to_read, sum(file.record_count for file in files))
    return cost, plan.records_expected
