"""Check whether a manifest list's summary of a manifest covers its partition tuples (spec: Manifest Lists)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from projector.metadata.manifests.model import DataFile, FieldSummary, ManifestFile
from projector.schema.binary_values import decode_bound
from projector.schema.types import IcebergType

Range = tuple[FieldSummary, Any, Any]


def summary_ranges(manifest: ManifestFile, file: DataFile) -> dict[int, Range]:
    """Return a manifest's summaries by partition field id; none unless there is one for each field of the tuples."""
    types, summaries, ids = file.partition_types, manifest.partitions, tuple(file.partition)
    if summaries is None or len(summaries) != len(ids) or any(i not in types for i in ids):
        return {}
    return {i: _range(summary, types[i]) for i, summary in zip(ids, summaries, strict=True)}


def left_out(ranges: Mapping[int, Range], partition: Mapping[int, Any]) -> Iterator[tuple[int, str]]:
    """Yield the partition fields of a file whose value the summary of its manifest excludes, and why."""
    for field_id, (summary, low, high) in ranges.items():
        value = partition[field_id]
        if value is None:
            if not summary.contains_null:
                yield field_id, "a null partition value, and a summary without nulls"
        elif value != value:
            if summary.contains_nan is False:
                yield field_id, "NaN as its partition value, and a summary without NaN"
        elif _outside(value, low, high):
            yield field_id, f"partition value {value!r}, and a summary from {low!r} to {high!r}"


def _range(summary: FieldSummary, kind: IcebergType) -> Range:
    low, high = (None if b is None else decode_bound(b, kind) for b in (summary.lower_bound, summary.upper_bound))
    return summary, low, high


def _outside(value: Any, low: Any, high: Any) -> bool:
    """Return whether a value is outside a range that can be decoded; False for uuids, whose order differs by writer."""
    if isinstance(value, UUID) or low is None or high is None or type(low) is not type(value):
        return False
    return bool(value < low or value > high)
