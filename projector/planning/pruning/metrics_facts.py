"""Turn column bounds and counts of a data file, and statistics of a Parquet row group, into facts.

Everything goes by field id, so a dropped column's metrics never apply to a new column of its name. Columns that a file
lacks have no metrics; their constants count instead (see `absent`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from projector.errors import InvalidMetadataError, ProjectionError
from projector.metadata.manifests.read import DataFile
from projector.planning.filters.expressions import BoundTerm
from projector.planning.pruning.facts import NOTHING, UNKNOWN, Facts, bounded, constant, is_floating
from projector.planning.pruning.outcomes import Lookup
from projector.schema.binary_values import decode_bound
from projector.schema.promotions import promote_value
from projector.schema.types import IcebergType

Counts = Mapping[int, int] | None
Bounds = Mapping[int, bytes] | None


class FileMetrics(Protocol):
    """What a manifest says of a data file's columns (spec: Data File Fields).

    All maps are by field id, and each may be None or partial.
    """

    @property
    def record_count(self) -> int | None:
        """Rows in the file."""

    @property
    def value_counts(self) -> Counts:
        """Counts of values, including nulls and NaNs."""

    @property
    def null_value_counts(self) -> Counts:
        """Counts of nulls."""

    @property
    def nan_value_counts(self) -> Counts:
        """Counts of NaNs."""

    @property
    def lower_bounds(self) -> Bounds:
        """Lower bounds of all values but NaN, as binary single values."""

    @property
    def upper_bounds(self) -> Bounds:
        """Upper bounds of all values but NaN, as binary single values."""


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """Statistics of one column chunk of a Parquet file.

    Parameters
    ----------
    minimum, maximum:
        Plain values of `value_type`; None if the footer has none.
    null_count:
        None if the footer has none.
    value_type:
        The Iceberg type in which the file holds the column, or None if it is the requested one.
    """

    minimum: Any = None
    maximum: Any = None
    null_count: int | None = None
    value_type: IcebergType | None = None


def file_facts(
    metrics: FileMetrics, absent: Mapping[int, Any] | None = None, doubtful: Collection[int] = frozenset()
) -> Lookup:
    """Return the facts of the columns of a data file.

    Parameters
    ----------
    metrics:
        The manifest entry's metrics.
    absent:
        Columns that the file is known to lack: {field id: the plain value they read as, None for null}.
    doubtful:
        Ids of columns whose metrics are not used (see `projector.planning.pruning.moved_names`).
    """
    known: dict[int, Facts] = {}

    def lookup(term: BoundTerm) -> Facts:
        found = known.get(term.field_id)
        if found is None:
            trusted = term.field_id not in doubtful
            found = _file_column(metrics, term, absent or {}) if trusted else UNKNOWN
            known[term.field_id] = found
        return found

    return lookup


def row_group_facts(
    statistics: Mapping[int, ColumnStatistics], row_count: int | None, absent: Mapping[int, Any] | None = None
) -> Lookup:
    """Return the facts of the columns of a Parquet row group; see `file_facts`.

    Statistics are by field id. Nothing is known of columns without statistics.
    """

    def lookup(term: BoundTerm) -> Facts:
        if row_count == 0:
            return NOTHING
        if absent and term.field_id in absent:
            return constant(absent[term.field_id], term.null_parents)
        found = statistics.get(term.field_id)
        if found is None or not term.field_type.is_primitive:
            return UNKNOWN
        low, high = (_promoted(v, found.value_type, term.field_type) for v in (found.minimum, found.maximum))
        return _column(term, row_count, row_count, found.null_count, None, low, high)

    return lookup


def _promoted(value: Any, value_type: IcebergType | None, requested: IcebergType) -> Any:
    if value is None or value_type is None:
        return value
    try:
        return promote_value(value, value_type, requested)
    except (InvalidMetadataError, ProjectionError):
        return None


def _file_column(metrics: FileMetrics, term: BoundTerm, absent: Mapping[int, Any]) -> Facts:
    field_id = term.field_id
    if metrics.record_count == 0:
        return UNKNOWN  # some writers leave it out, and a file without rows costs almost nothing
    if field_id in absent:
        return constant(absent[field_id], term.null_parents)
    if not term.field_type.is_primitive:
        return UNKNOWN
    floating = is_floating(term.field_type)
    if isinstance(metrics, DataFile):  # take one value of each map without building a view of the map
        value = metrics.metrics.value
        low, high = value("lower_bounds", field_id), value("upper_bounds", field_id)
        values, nulls = value("value_counts", field_id), value("null_value_counts", field_id)
        nans = value("nan_value_counts", field_id) if floating else None
    else:
        low, high = _one(metrics.lower_bounds, field_id), _one(metrics.upper_bounds, field_id)
        values, nulls = _one(metrics.value_counts, field_id), _one(metrics.null_value_counts, field_id)
        nans = _one(metrics.nan_value_counts, field_id) if floating else None
    if low is not None:
        low = decode_bound(low, term.field_type)
    if high is not None:
        high = decode_bound(high, term.field_type)
    return _column(term, metrics.record_count, values, nulls, nans, low, high)


def _one(values: Mapping[int, Any] | None, field_id: int) -> Any:
    return None if values is None else values.get(field_id)


def _column(
    term: BoundTerm, rows: int | None, values: int | None, nulls: int | None, nans: int | None, low: Any, high: Any
) -> Facts:
    """Return facts from counts and bounds, as far as they are consistent."""
    total = values if values is not None else rows
    if rows is not None and rows < 0:
        rows = None
    if total is not None and (total < 0 or (rows is not None and total > rows)):
        total = nulls = nans = None
    if nulls is not None and (nulls < 0 or (total is not None and nulls > total)):
        nulls = None
    if nans is not None and (nans < 0 or (total is not None and nans + (nulls or 0) > total)):
        nans = None
    # A writer may not have counted the nulls that come from null parent structs.
    has_null = term.null_parents or nulls != 0 or (rows is not None and total != rows)
    has_nan = is_floating(term.field_type) and nans != 0
    found = bounded(term.field_type, low, high, has_null=has_null, has_nan=has_nan)
    if total is not None and nulls is not None and nulls + (nans or 0) == total:
        if low is not None or high is not None:
            return Facts(has_nan=is_floating(term.field_type))  # no value but bounds: one of them is wrong
        return Facts(has_value=False, has_null=has_null, has_nan=has_nan and nulls != total)
    return found
