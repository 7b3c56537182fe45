"""Turn partition values back into facts about the source column (spec: Scan Planning, inclusive projection).

The spec projects a row filter to a filter over partition tuples. Here it goes the other way, which gives the same
result for every transform and needs no case per operator: a partition value, or a manifest's range of them, becomes the
interval (or the test) of source values that it can stand for, and the row filter itself is decided over that. The spec
used is always the one that the files were written with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Protocol

from projector.errors import InvalidMetadataError, ProjectionError
from projector.metadata.partition_values import partition_value_as
from projector.metadata.partitioning import PartitionSpec
from projector.metadata.transforms import (
    Bucket,
    Day,
    Hour,
    Identity,
    Month,
    Transform,
    Truncate,
    UnknownTransform,
    Void,
    Year,
    accepts,
    apply,
    parse_transform,
    result_type,
)
from projector.planning.filters.expressions import BoundTerm, Expression, bound_terms
from projector.planning.pruning.facts import ONLY_NULL, UNKNOWN, Facts, bounded, constant, is_floating, meet
from projector.planning.pruning.outcomes import Lookup, might_match
from projector.schema.binary_values import decode_bound, unscaled_decimal, unscaled_value
from projector.schema.iso_text import days_from_date
from projector.schema.types import (
    DateType,
    DecimalType,
    IcebergType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
)


class FieldSummary(Protocol):
    """What a manifest list says of one partition field of a manifest (spec: Manifest Lists)."""

    @property
    def contains_null(self) -> bool | None:
        """Whether a partition has null in the field."""

    @property
    def contains_nan(self) -> bool | None:
        """Whether a partition has NaN in the field."""

    @property
    def lower_bound(self) -> bytes | None:
        """The lower bound, as a binary single value."""

    @property
    def upper_bound(self) -> bytes | None:
        """The upper bound, as a binary single value."""


@dataclass(frozen=True, slots=True)
class _Source:
    position: int
    field_id: int
    transform: Transform


@dataclass(frozen=True)
class PartitionFilter:
    """A bound filter over the partitions of one spec. `partition_filter` makes one for each spec of a scan."""

    bound: Expression
    width: int
    sources: Mapping[int, tuple[_Source, ...]]

    def facts(self, partition: Mapping[int, Any], value_types: Mapping[int, IcebergType] | None = None) -> Lookup:
        """Return the facts of the source columns in a partition.

        Parameters
        ----------
        partition:
            The partition tuple: plain values by partition field id. A missing field is unknown.
        value_types:
            The types of those values by partition field id, from the manifest's own schema if known: a column may have
            been
            promoted since.
        """
        types = value_types or {}

        def lookup(term: BoundTerm) -> Facts:
            found: Facts | None = None
            for source in self.sources.get(term.field_id, ()):
                if source.field_id in partition:
                    value = partition[source.field_id]
                    stated = types.get(source.field_id)
                    facts = partition_value_facts(source.transform, value, term.field_type, stated)
                    found = facts if found is None else meet(found, facts)
            return found or UNKNOWN

        return lookup

    def might_match(self, partition: Mapping[int, Any], value_types: Mapping[int, IcebergType] | None = None) -> bool:
        """Return whether a row of a partition can pass the filter."""
        return not self.sources or might_match(self.bound, self.facts(partition, value_types))

    def manifest_might_match(self, summaries: Sequence[FieldSummary] | None) -> bool:
        """Return whether a row of a file in a manifest can pass the filter, by the manifest list's summaries.

        Summaries that are missing, or not as many as the spec has fields, say nothing.
        """
        if not self.sources or summaries is None or len(summaries) != self.width:
            return True

        def lookup(term: BoundTerm) -> Facts:
            found = UNKNOWN
            for source in self.sources.get(term.field_id, ()):
                found = meet(found, summary_facts(source.transform, summaries[source.position], term.field_type))
            return found

        return might_match(self.bound, lookup)


def partition_filter(bound: Expression, spec: PartitionSpec) -> PartitionFilter:
    """Prepare a bound filter for one spec.

    Fields with unknown or void transforms, with several sources, and of columns that the filter does not read are
    ignored,
    and so are columns that the schema no longer has.
    """
    terms = bound_terms(bound)
    sources: dict[int, list[_Source]] = {}
    for position, field in enumerate(spec.fields):
        transform = parse_transform(field.transform)
        term = terms.get(field.source_id)
        if term is None or len(field.source_ids) != 1 or isinstance(transform, (UnknownTransform, Void)):
            continue
        if accepts(transform, term.field_type):
            sources.setdefault(field.source_id, []).append(_Source(position, field.field_id, transform))
    return PartitionFilter(bound, len(spec.fields), {i: tuple(found) for i, found in sources.items()})


@lru_cache(maxsize=4096, typed=True)  # files of one partition come in a row, and a filter may name a column twice
def partition_value_facts(
    transform: Transform, value: Any, source: IcebergType, value_type: IcebergType | None = None
) -> Facts:
    """Return the facts of a source column, requested as `source`, in files with one partition value."""
    if isinstance(transform, (UnknownTransform, Void)):
        return UNKNOWN
    if value is None:
        return ONLY_NULL
    if isinstance(transform, (Identity, Truncate)):
        value = _at_type(value, value_type, source)
        if value is None:
            return UNKNOWN
        if isinstance(transform, Identity):
            if is_floating(source) and isinstance(value, float) and value != value:
                return constant(value)
            exact = bounded(source, value, value, has_null=False, has_nan=False)
            return constant(value) if exact.lower is not None else exact
    return _source_facts(transform, value, value, source, has_null=False, has_nan=False)


def _at_type(value: Any, value_type: IcebergType | None, source: IcebergType) -> Any:
    """Return a partition value as one of the requested type; None if its type is uncertain."""
    if value_type is None:
        # Before a promotion a date counted days. Nothing tells the type, and only large numbers are certainly not days.
        if isinstance(source, (TimestampType, TimestampNanoType)) and isinstance(value, int) and abs(value) <= 2**31:
            return None
        return value
    try:
        return partition_value_as(value, value_type, source)
    except (InvalidMetadataError, ProjectionError):
        return None


def summary_facts(transform: Transform, summary: FieldSummary, source: IcebergType) -> Facts:
    """Return the facts of a source column, requested as `source`, in the files of a manifest."""
    if isinstance(transform, (UnknownTransform, Void)):
        return UNKNOWN
    has_null = summary.contains_null is not False
    has_nan = isinstance(transform, Identity) and is_floating(source) and summary.contains_nan is not False
    if summary.lower_bound is None and summary.upper_bound is None:
        # By the spec: only nulls and NaNs. With neither it is wrong, because a manifest has files.
        stated = summary.contains_null or (summary.contains_nan and has_nan)
        return Facts(has_value=False, has_null=has_null, has_nan=has_nan) if stated else UNKNOWN
    value_type = result_type(transform, source)
    low, high = (
        None if data is None else decode_bound(data, value_type) for data in (summary.lower_bound, summary.upper_bound)
    )
    if isinstance(transform, Identity):
        return bounded(source, low, high, has_null=has_null, has_nan=has_nan)
    if low is None or high is None or low > high:
        return Facts(has_null=has_null, has_nan=has_nan)
    return _source_facts(transform, low, high, source, has_null=has_null, has_nan=has_nan)


# --------------------------------------------------------------------------------------------------------- inverses


def _source_facts(
    transform: Transform, low: Any, high: Any, source: IcebergType, *, has_null: bool, has_nan: bool
) -> Facts:
    """Facts of the source values whose partition values lie between two."""
    unknown = Facts(has_null=has_null, has_nan=has_nan)
    if isinstance(transform, Truncate):
        facts = _truncated(transform.width, low, high, source)
    elif not _is_int(low) or not _is_int(high):
        return unknown
    elif isinstance(transform, Bucket):
        return Facts(has_null=has_null, has_nan=has_nan, test=_bucket_test(transform, low, high, source))
    else:
        facts = _period(transform, low, high, source)
    return Facts(facts.has_value, has_null, has_nan, facts.lower, facts.upper, facts.upper_is_prefix)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _truncated(width: int, low: Any, high: Any, source: IcebergType) -> Facts:
    if isinstance(source, DecimalType):
        if not all(isinstance(v, Decimal) and v.as_tuple().exponent == -source.scale for v in (low, high)):
            return UNKNOWN
        return bounded(source, low, unscaled_decimal(unscaled_value(high) + width - 1, source.scale))
    if _is_int(low) and _is_int(high):
        # Next to the smallest number of its type a writer's arithmetic wraps, to within a width of the greatest.
        wraps = any(low <= top and high > top - width + 1 for top in (2**31 - 1, 2**63 - 1))
        return UNKNOWN if wraps else bounded(source, low, high + width - 1)
    facts = bounded(source, low, high)
    cut = isinstance(facts.upper, (str, bytes)) and len(facts.upper) >= width
    return Facts(lower=facts.lower, upper=facts.upper, upper_is_prefix=cut or facts.upper_is_prefix)


def _bucket_test(transform: Bucket, low: int, high: int, source: IcebergType) -> Callable[[Any], bool]:
    ticks = _ticks_per_day(source) if isinstance(source, (TimestampType, TimestampNanoType)) else None

    def test(value: Any) -> bool:
        if low <= apply(transform, value, source) <= high:
            return True
        # A date that was promoted since was hashed as its days.
        return ticks is not None and value % ticks == 0 and low <= apply(transform, value // ticks, DateType()) <= high

    return test


def _ticks_per_day(source: IcebergType) -> int:
    if isinstance(source, DateType):
        return 1
    return 86_400_000_000 * (1000 if isinstance(source, (TimestampNanoType, TimestamptzNanoType)) else 1)


_SURE_HOUR = 1_700_000_000
"""Greatest hour that is surely no other one wrapped round at 32 bits; timestamps reach 2,562,047,788 hours."""


def _period(transform: Transform, low: int, high: int, source: IcebergType) -> Facts:
    """The time from the start of one year, month, day or hour to the end of another.

    Java's writers up to 0.10.0 rounded times before 1970 up instead of down, so a value that is not positive may also
    stand for the period before it.
    """
    if isinstance(transform, Hour) and max(-low, high) > _SURE_HOUR:
        return UNKNOWN
    exact = isinstance(transform, Day) and isinstance(source, DateType)
    first = low if low > 0 or exact else low - 1
    return bounded(source, _start(transform, first, source), _start(transform, high + 1, source) - 1)


def _start(transform: Transform, period: int, source: IcebergType) -> int:
    ticks = _ticks_per_day(source)
    match transform:
        case Year():
            return days_from_date(1970 + period, 1, 1) * ticks
        case Month():
            return days_from_date(1970 + period // 12, period % 12 + 1, 1) * ticks
        case Hour():
            return period * (ticks // 24)
        case _:
            return period * ticks
