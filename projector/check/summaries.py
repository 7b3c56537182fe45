"""Whether a manifest list's summary of a manifest covers the partition tuples in it (spec: Manifest Lists)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from projector.check.live_files import LiveFile
from projector.metadata.manifest_model import FieldSummary
from projector.schema.binary_values import decode_bound
from projector.schema.types import IcebergType

Range = tuple[FieldSummary, Any, Any]


class SummaryCheck:
    """Compares tuples with summaries; each manifest's summaries are decoded once."""

    def __init__(self) -> None:
        self._ranges: dict[str, dict[int, Range]] = {}

    def left_out(self, file: LiveFile) -> Iterator[tuple[int, str]]:
        """The partition fields whose value the summary of the file's manifest says is not there."""
        manifest, partition = file.manifest, file.data_file.partition
        ranges = self._ranges.get(manifest.path)
        if ranges is None:
            ranges = self._ranges[manifest.path] = _ranges(file)
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


def _ranges(file: LiveFile) -> dict[int, Range]:
    """The summaries by partition field id, where the manifest list has one for each field of the tuple."""
    types, summaries = file.data_file.partition_types, file.manifest.partitions
    ids = tuple(file.data_file.partition)
    if summaries is None or len(summaries) != len(ids) or any(i not in types for i in ids):
        return {}
    return {i: _range(summary, types[i]) for i, summary in zip(ids, summaries, strict=True)}


def _range(summary: FieldSummary, kind: IcebergType) -> Range:
    low, high = (None if b is None else decode_bound(b, kind) for b in (summary.lower_bound, summary.upper_bound))
    return summary, low, high


def _outside(value: Any, low: Any, high: Any) -> bool:
    """Whether a value lies outside of a range that can be decoded; of uuids, whose order differs, nothing is said."""
    if isinstance(value, UUID) or low is None or high is None or type(low) is not type(value):
        return False
    return bool(value < low or value > high)
