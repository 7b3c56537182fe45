"""What manifests say of live data files that contradicts itself or the spec: one pass over all files, kept as counts.

Counts and bounds of a manifest take much room once they are decoded. They are decoded here file by file, looked at, and
let go. Columns whose names have moved in the name mapping are passed over: their metrics may be another column's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from projector.check.findings import Evidence
from projector.check.live_files import LiveFile, LiveFiles
from projector.check.partition_values import PartitionCheck
from projector.check.summaries import SummaryCheck
from projector.metadata.table_metadata import TableMetadata
from projector.planning.moved_names import ids_with_moved_names
from projector.schema.binary_values import decode_bound
from projector.schema.name_mapping import NameMapping
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

_EIGHT = (TimestampType, TimestamptzType, TimestampNanoType, TimestamptzNanoType, TimeType, LongType, DoubleType)
_NARROW = (LongType, DoubleType, TimestampType, TimestampNanoType)
"""Types that 4 bytes are a legal bound of: from before a promotion."""
_OTHER = (
    BooleanType, IntegerType, DateType, FloatType, DecimalType, StringType, UUIDType, FixedType, BinaryType,
)  # fmt: skip


@dataclass
class Tally:
    """Files that show something, counted: their number, their rows, the first of them, and what it shows."""

    files: int = 0
    rows: int = 0
    first_file: str | None = None
    example: str = ""

    def add(self, file: LiveFile, example: str = "") -> None:
        """Count a file."""
        if self.first_file is None:
            self.first_file, self.example = file.path, example
        self.files += 1
        self.rows += file.data_file.record_count

    def evidence(self, among: int, *facts: str) -> Evidence:
        """The evidence, with what the first file shows as its first fact."""
        said = (f"the first has {self.example}",) if self.example else ()
        return Evidence(self.files, among, self.rows, first_file=self.first_file, facts=(*said, *facts))


@dataclass
class ManifestFacts:
    """What was found, by field id unless said otherwise.

    Parameters
    ----------
    malformed:
        Bounds that no value of the column, under its type or a legal earlier one, is encoded as.
    inverted:
        Lower bounds above upper ones.
    not_a_number:
        NaN as a bound.
    four_bytes:
        Bounds of 4 bytes, of columns of any type that can have such.
    without_counts:
        Files with rows and neither value nor null counts.
    partition_differs, outside_summary:
        Partition values that differ from the file's bounds, or that the manifest list's summary leaves out; by spec id
        and partition field id.
    """

    malformed: dict[int, Tally] = field(default_factory=dict)
    inverted: dict[int, Tally] = field(default_factory=dict)
    not_a_number: dict[int, Tally] = field(default_factory=dict)
    four_bytes: dict[int, Tally] = field(default_factory=dict)
    without_counts: Tally = field(default_factory=Tally)
    partition_differs: dict[tuple[int, int], Tally] = field(default_factory=dict)
    outside_summary: dict[tuple[int, int], Tally] = field(default_factory=dict)


def gather(metadata: TableMetadata, mapping: NameMapping | None, live: LiveFiles) -> ManifestFacts:
    """Look at the manifest entries of all live data files."""
    facts = ManifestFacts()
    doubtful = frozenset() if mapping is None else ids_with_moved_names(metadata.schemas, mapping)
    types = {i: kind for i, kind in _types(metadata).items() if i not in doubtful}
    partitions, summaries = PartitionCheck(metadata, types), SummaryCheck()
    for file in live.data:
        data_file = file.data_file
        metrics = data_file.metrics
        lower, upper = metrics.fresh("lower_bounds"), metrics.fresh("upper_bounds")
        for field_id in lower.keys() | upper.keys():
            if field_id in types:
                _look(facts, file, field_id, types[field_id], lower.get(field_id), upper.get(field_id))
        if data_file.record_count and not metrics.has("value_counts") and not metrics.has("null_value_counts"):
            facts.without_counts.add(file)
        if data_file.partition:
            spec_id = data_file.spec_id
            for part, example in partitions.differences(data_file, lower, upper):
                facts.partition_differs.setdefault((spec_id, part), Tally()).add(file, example)
            for part, example in summaries.left_out(file):
                facts.outside_summary.setdefault((spec_id, part), Tally()).add(file, example)
    return facts


def _types(metadata: TableMetadata) -> Mapping[int, IcebergType]:
    """The type of every field of the current schema that has bounds by the spec."""
    fields = metadata.current_schema.fields_by_id
    return {i: f.field_type for i, f in fields.items() if isinstance(f.field_type, (*_EIGHT, *_OTHER))}


def _look(
    facts: ManifestFacts, file: LiveFile, field_id: int, kind: IcebergType, lower: bytes | None, upper: bytes | None
) -> None:
    low = high = None
    for data in (lower,) if lower == upper else (lower, upper):
        if data is None:
            continue
        value = decode_bound(data, kind)
        size = len(data)
        if value is None:
            if isinstance(kind, (FloatType, DoubleType)) and size in (4, 8) and (size == 4 or kind == DoubleType()):
                facts.not_a_number.setdefault(field_id, Tally()).add(file)
            elif not (size == 4 and isinstance(kind, _NARROW)):
                facts.malformed.setdefault(field_id, Tally()).add(file, f"{size} bytes, {data[:20].hex()}")
                return
        if data is lower:
            low = value
        else:
            high = value
    if lower is not None and len(lower) == 4 and isinstance(kind, (*_NARROW, IntegerType, FloatType, DateType)):
        facts.four_bytes.setdefault(field_id, Tally()).add(file)
    if low is not None and high is not None and _above(low, high):
        facts.inverted.setdefault(field_id, Tally()).add(file, f"lower {low} and upper {high}")


def _above(low: Any, high: Any) -> bool:
    """Whether a lower bound is above an upper one; of uuids, whose order writers differ in, nothing is said."""
    return not isinstance(low, UUID) and bool(low > high)
