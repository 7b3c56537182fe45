"""Check whether a file's partition tuple agrees with its rows, by the bounds in its manifest entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from projector.errors import InvalidMetadataError, ProjectionError
from projector.metadata.manifests.model import DataFile
from projector.metadata.partition_values import partition_value_as
from projector.metadata.partitioning import PartitionField
from projector.metadata.table_metadata import TableMetadata
from projector.metadata.transforms import (
    Bucket,
    Day,
    Hour,
    Identity,
    Month,
    Transform,
    Truncate,
    UnknownTransform,
    Year,
    accepts,
    apply,
    parse_transform,
)
from projector.schema.binary_values import decode_bound
from projector.schema.promotions import promotion
from projector.schema.types import (
    BinaryType,
    DateType,
    FixedType,
    IcebergType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    UUIDType,
)

_CUT = (StringType, BinaryType, FixedType)
"""Types whose bounds writers may cut."""
_MILLISECOND: Mapping[type[IcebergType], int] = {
    TimestampType: 1000,
    TimestamptzType: 1000,
    TimestampNanoType: 1_000_000,
    TimestamptzNanoType: 1_000_000,
}
"""Some writers round the bounds of timestamps to milliseconds."""
_PERIODS = (Year, Month, Day, Hour)


@dataclass(frozen=True, slots=True)
class _Part:
    field_id: int
    source_id: int
    transform: Transform
    source: IcebergType


def keeps_values(field: PartitionField, old: IcebergType, new: IcebergType) -> bool:
    """Return whether a promotion keeps the values of a partition field, and the transform accepts the new type."""
    row = promotion(old, new, format_version=3)
    transform = parse_transform(field.transform)
    is_accepted = isinstance(transform, UnknownTransform) or accepts(transform, new)
    return is_accepted and (row is None or row.keeps(field.transform))


class PartitionCheck:
    """Compares partition tuples with bounds, for the specs of one table."""

    def __init__(self, metadata: TableMetadata, types: Mapping[int, IcebergType]) -> None:
        self._parts: dict[int, tuple[_Part, ...]] = {}
        for spec_id, spec in metadata.specs.items():
            parts = []
            for field in spec.fields:
                source, transform = types.get(field.source_id), parse_transform(field.transform)
                known = isinstance(transform, (Identity, Truncate, Bucket, *_PERIODS))
                if known and len(field.source_ids) == 1 and source is not None and accepts(transform, source):
                    parts.append(_Part(field.field_id, field.source_id, transform, source))
            self._parts[spec_id] = tuple(parts)

    def differences(
        self, file: DataFile, lower: Mapping[int, bytes], upper: Mapping[int, bytes]
    ) -> Iterator[tuple[int, str]]:
        """Yield the partition fields whose value cannot be that of all rows, and why."""
        for part in self._parts.get(file.spec_id, ()):
            low, high = lower.get(part.source_id), upper.get(part.source_id)
            if low is None or high is None or part.field_id not in file.partition:
                continue
            value = file.partition[part.field_id]
            ends = decode_bound(low, part.source), decode_bound(high, part.source)
            if None in ends or ends[0] > ends[1]:
                continue
            if value is None:
                yield part.field_id, f"a null partition value, and values from {ends[0]!r} to {ends[1]!r}"
            elif not _fits(part, value, file.partition_types.get(part.field_id), *ends, len(low)):
                yield part.field_id, f"partition value {value!r}, and values from {ends[0]!r} to {ends[1]!r}"


def _fits(part: _Part, value: Any, stored: IcebergType | None, low: Any, high: Any, size: int) -> bool:
    """Return whether every value between two bounds may have a partition value; True if that is unknown."""
    transform, source = part.transform, part.source
    if isinstance(source, UUIDType) and low != high:
        return True  # writers order them differently
    if isinstance(transform, (Identity, Truncate)):
        try:
            value = value if stored is None else partition_value_as(value, stored, source)
        except (InvalidMetadataError, ProjectionError):
            return True
        if isinstance(source, _CUT):
            return _between(value, low, high, transform.width if isinstance(transform, Truncate) else None)
        if (slack := _MILLISECOND.get(type(source))) is not None:
            return bool(low - slack < value < high + slack and high - low < 2 * slack)
        return bool(apply(transform, low, source) == value == apply(transform, high, source))
    if isinstance(transform, Bucket):
        promoted = size == 4 and isinstance(source, (TimestampType, TimestampNanoType))
        if low != high or promoted or isinstance(source, _CUT):
            return True
        return bool(apply(transform, low, source) == value)
    return _in_period(transform, source, value, low, high)


def _between(value: Any, low: Any, high: Any, width: int | None) -> bool:
    """Return whether a value is between bounds that may be cut.

    A cut lower bound is not above the value; a cut upper bound is a prefix of it, or above it. Some writers pad bounds
    with NUL to one length; ignoring the padding never excludes more values.
    """
    low, high = (low, high) if width is None else (low[:width], high[:width])
    low, high = (bound.rstrip("\0" if isinstance(bound, str) else b"\0") for bound in (low, high))
    return type(value) is not type(low) or (low <= value and (value <= high or value.startswith(high)))


def _in_period(transform: Transform, source: IcebergType, value: Any, low: Any, high: Any) -> bool:
    """Return whether a year, month, day or hour is the only one between two bounds.

    Old writers rounded times before 1970 up, and an upper bound that was rounded to milliseconds may be the start of
    the next period.
    """
    first, last = apply(transform, low, source), apply(transform, high, source)
    if last == first + 1 and not isinstance(source, DateType) and apply(transform, high - 1, source) == first:
        last = first
    return all(value == t or (t < 0 and value == t + 1) for t in (first, last))
