"""Forecast what a filter would cost if the rows of a table's files were written under another partition spec.

Only the manifests are read. A file's rows are assumed to be spread evenly over the partitions that its column bounds
allow, and a writer to make one file for each partition of which it has rows. The figures therefore describe new files
with the same rows, not the existing ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from projector.errors import ProjectorError
from projector.metadata.manifests.read import DataFile
from projector.metadata.partitioning import PartitionField, PartitionSpec
from projector.metadata.table_metadata import TableMetadata
from projector.metadata.transforms import (
    Bucket,
    Identity,
    Transform,
    Truncate,
    UnknownTransform,
    Void,
    accepts,
    apply,
    parse_transform,
)
from projector.planning.filters.expressions import BoundTerm, Expression, bound_terms
from projector.planning.pruning.facts import Facts, meet
from projector.planning.pruning.metrics_facts import file_facts
from projector.planning.pruning.moved_names import ids_with_moved_names
from projector.planning.pruning.outcomes import might_match
from projector.planning.pruning.partition_facts import partition_filter
from projector.schema.binary_values import decode_bound, unscaled_decimal, unscaled_value
from projector.schema.schema import Schema
from projector.schema.types import BooleanType, DateType, DecimalType, IcebergType, IntegerType, LongType

MOST_COMBINATIONS = 4096
"""The most partitions of one file that are examined one by one; of more, this many are sampled evenly."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a scan opens and reads.

    Parameters
    ----------
    files, of_files:
        Files to open, and all files.
    records, of_records:
        Records in them, and in all files.
    """

    files: int
    of_files: int
    records: int
    of_records: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """The cost of a filter over rows that are written again.

    Parameters
    ----------
    cost:
        An estimate, but exact for files that already have the spec.
    uncounted:
        Names of partition fields of which the manifests do not tell the number of values: one per file is assumed.
    """

    cost: Cost
    uncounted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Values:
    """The partition values that a file's rows may have: how many, and all or some of them with their share of rows."""

    count: int
    shares: tuple[tuple[Any, float], ...]
    counted: bool = True

    def thinned(self, most: int) -> _Values:
        """Return at most so many of the values, evenly spread, which stand for all rows."""
        if len(self.shares) <= most:
            return self
        step = len(self.shares) / most
        kept = [self.shares[int(i * step)] for i in range(most)]
        total = sum(share for _, share in kept)
        return _Values(self.count, tuple((value, share / total) for value, share in kept), self.counted)


def written_anew(
    metadata: TableMetadata, spec: PartitionSpec, schema: Schema, row_filter: Expression, files: Iterable[DataFile]
) -> Forecast:
    """Return what a filter would cost over the rows of some files if they were written under a spec.

    Parameters
    ----------
    metadata:
        The table's metadata: the specs that the files have now, and its name mapping.
    row_filter:
        A filter bound to `schema`.
    files:
        The live data files.
    """
    mapping = metadata.name_mapping
    doubtful = frozenset() if mapping is None else ids_with_moved_names(metadata.schemas, mapping)
    terms = bound_terms(row_filter)
    partitions = partition_filter(row_filter, spec)
    opened = total = records = of_records = 0
    uncounted: dict[str, None] = {}
    for file in files:
        values = [_values(field, file, metadata.specs.get(file.spec_id), schema, doubtful) for field in spec.fields]
        for field, found in zip(spec.fields, values, strict=True):
            if not found.counted:
                uncounted[field.name] = None
        asked = [
            (field.field_id, found)
            for field, found in zip(spec.fields, values, strict=True)
            if field.source_id in terms
        ]
        most = int(MOST_COMBINATIONS ** (1 / len(asked))) if asked else 1
        thinned = [(field_id, found.thinned(most)) for field_id, found in asked]
        of_bounds = file_facts(file, doubtful=doubtful)
        matched, tried, share = 0, 0, 0.0
        for combination in product(*(found.shares for _, found in thinned)):
            tuple_ = {field_id: value for (field_id, _), (value, _) in zip(thinned, combination, strict=True)}
            of_tuple = partitions.facts({k: v for k, v in tuple_.items() if v is not _NOT_KNOWN})

            def lookup(term: BoundTerm) -> Facts:
                return meet(of_bounds(term), of_tuple(term))  # noqa: B023 - called within the same iteration

            tried += 1
            if might_match(row_filter, lookup):
                matched += 1
                share += math.prod(part for _, part in combination)
        count = min(math.prod(found.count for found in values), max(1, file.record_count))
        total += count
        of_records += file.record_count
        opened += 0 if not matched else max(1, round(count * matched / tried))
        records += round(file.record_count * min(1.0, share))
    return Forecast(Cost(opened, total, records, of_records), tuple(uncounted))


class _NotKnown:
    """The type of `_NOT_KNOWN`."""


_NOT_KNOWN = _NotKnown()
"""Marks a partition value of which nothing is known."""

_UNKNOWN = _Values(1, ((_NOT_KNOWN, 1.0),), counted=False)
_ONE = _Values(1, ((_NOT_KNOWN, 1.0),))


def _values(
    field: PartitionField, file: DataFile, written: PartitionSpec | None, schema: Schema, doubtful: frozenset[int]
) -> _Values:
    """Return the values of one partition field that the rows of a file would have."""
    transform = parse_transform(field.transform)
    if isinstance(transform, Void):
        return _ONE
    for known in () if written is None else written.fields:
        same = known.source_ids == field.source_ids and parse_transform(known.transform) == transform
        if same and known.field_id in file.partition:
            return _Values(1, ((file.partition[known.field_id], 1.0),))
    source = schema.fields_by_id.get(field.source_id)
    if source is None or isinstance(transform, UnknownTransform) or len(field.source_ids) > 1:
        return _UNKNOWN
    if not accepts(transform, source.field_type) or field.source_id in doubtful:
        return _UNKNOWN
    nulls = min(file.null_value_counts.get(field.source_id, 0), file.record_count)
    if nulls == file.record_count:
        return _Values(1, ((None, 1.0),))
    bounds = [
        None if (data := side.get(field.source_id)) is None else decode_bound(data, source.field_type)
        for side in (file.lower_bounds, file.upper_bounds)
    ]
    try:
        found = _between(transform, bounds[0], bounds[1], source.field_type, file.record_count - nulls)
    except ProjectorError:
        return _UNKNOWN
    if found is None:
        return _UNKNOWN
    count, values = found
    rest = 1 - nulls / file.record_count
    shares = [(value, rest / len(values)) for value in values]
    return _Values(count + 1, (*shares, (None, 1 - rest))) if nulls else _Values(count, tuple(shares))


def _between(
    transform: Transform, low: Any, high: Any, source: IcebergType, records: int
) -> tuple[int, Sequence[Any]] | None:
    """Return how many partition values lie between two bounds, and all or some of them; None if that is unknown."""
    if low is None or high is None or (not isinstance(low, float) and low > high):
        return None
    whole = isinstance(source, (IntegerType, LongType, DateType))
    match transform:
        case Bucket(count):
            if whole and high - low < MOST_COMBINATIONS:
                values: Sequence[Any] = sorted({apply(transform, value, source) for value in range(low, high + 1)})
                return min(len(values), records), values
            if low == high and not _may_be_cut(low):
                return 1, (apply(transform, low, source),)
            return min(count, records), _spread(range(count))
        case Truncate(width) if isinstance(source, DecimalType):
            first, last = (unscaled_value(apply(transform, bound, source)) for bound in (low, high))
            steps = range(first, last + 1, width)
            return min(_length(steps), records), [unscaled_decimal(step, source.scale) for step in _spread(steps)]
        case Truncate(width) if whole:
            steps = range(apply(transform, low, source), apply(transform, high, source) + 1, width)
            return min(_length(steps), records), _spread(steps)
        case Truncate() | Identity():
            if isinstance(transform, Identity) and whole:
                return min(high - low + 1, records), _spread(range(low, high + 1))
            if isinstance(source, BooleanType):
                return (1, (low,)) if low == high else (2, (False, True))
            first, last = (apply(transform, bound, source) for bound in (low, high))
            return (1, (first,)) if first == last and not _may_be_cut(first) else None
        case _:
            periods = range(apply(transform, low, source), apply(transform, high, source) + 1)
            return min(_length(periods), records), _spread(periods)


def _may_be_cut(value: Any) -> bool:
    """Return whether a bound may stand for longer values: writers truncate strings and binaries, to 16 by default."""
    return isinstance(value, (str, bytes)) and len(value) >= 16


def _length(values: range) -> int:
    """Return the length of a range; `len` fails for more than 2**63 numbers."""
    return max(0, -(-(values.stop - values.start) // values.step))


def _spread(values: Sequence[Any]) -> Sequence[Any]:
    """Return all of the values, or the most that are examined, evenly spread."""
    count = _length(values) if isinstance(values, range) else len(values)
    if count <= MOST_COMBINATIONS:
        return values
    step = count / MOST_COMBINATIONS
    return [values[int(i * step)] for i in range(MOST_COMBINATIONS)]
