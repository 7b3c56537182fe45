"""What manifests say of live data files that contradicts itself or the spec: one pass over all files, kept as counts.

Counts and bounds of a manifest take much room once they are decoded. They are decoded here file by file, looked at, and
let go. Columns whose names have moved in the name mapping are passed over: their metrics may be another column's.
"""

from __future__ import annotations

import struct
from collections import defaultdict
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

_BOUNDED = (
    BooleanType, IntegerType, LongType, FloatType, DoubleType, DecimalType, DateType, TimeType, TimestampType,
    TimestamptzType, TimestampNanoType, TimestamptzNanoType, StringType, UUIDType, FixedType, BinaryType,
)  # fmt: skip
_NARROW = (LongType, DoubleType, TimestampType, TimestampNanoType)
"""Types that 4 bytes are a legal bound of: from before a promotion."""
_FOUR = (*_NARROW, IntegerType, FloatType, DateType)
_LONG, _DOUBLE, _INT, _FLOAT = map(struct.Struct, ("<q", "<d", "<i", "<f"))
_PLAIN: Mapping[type[IcebergType], struct.Struct] = {
    LongType: _LONG, TimeType: _LONG, TimestampType: _LONG, TimestamptzType: _LONG, TimestampNanoType: _LONG,
    TimestamptzNanoType: _LONG, DoubleType: _DOUBLE, IntegerType: _INT, DateType: _INT, FloatType: _FLOAT,
}  # fmt: skip
AT_MOST = 200_000
"""Bounds that are looked at, unless values are looked at as well: those of 10,000 files of 20 columns."""


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


def _tallies() -> Any:
    return defaultdict(Tally)


@dataclass
class ManifestFacts:
    """What was found, by field id unless said otherwise.

    Parameters
    ----------
    bounds_of:
        The number of files whose bounds were looked at.
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

    bounds_of: int = 0
    malformed: dict[int, Tally] = field(default_factory=_tallies)
    inverted: dict[int, Tally] = field(default_factory=_tallies)
    not_a_number: dict[int, Tally] = field(default_factory=_tallies)
    four_bytes: dict[int, Tally] = field(default_factory=_tallies)
    without_counts: Tally = field(default_factory=Tally)
    partition_differs: dict[tuple[int, int], Tally] = field(default_factory=_tallies)
    outside_summary: dict[tuple[int, int], Tally] = field(default_factory=_tallies)


def gather(
    metadata: TableMetadata, mapping: NameMapping | None, live: LiveFiles, at_most: int | None = AT_MOST
) -> ManifestFacts:
    """Look at the manifest entries of all live data files.

    Parameters
    ----------
    mapping:
        The table's name mapping, if it has one that can be read.
    at_most:
        The number of columns' bounds that are looked at, in files spread over all manifests; None for all. Decoding
        bounds takes longer than all else, and what is wrong with them is a writer's habit.
    """
    doubtful = frozenset() if mapping is None else ids_with_moved_names(metadata.schemas, mapping)
    fields = metadata.current_schema.fields_by_id
    types = {i: f.field_type for i, f in fields.items() if i not in doubtful and isinstance(f.field_type, _BOUNDED)}
    step = 1 if at_most is None else max(1, len(live.data) * max(1, len(types)) // at_most)
    facts = ManifestFacts(bounds_of=-(-len(live.data) // step))
    bounds = _Bounds(facts, types)
    partitions, summaries = PartitionCheck(metadata, types), SummaryCheck()
    for number, file in enumerate(live.data):
        data_file = file.data_file
        metrics, spec_id = data_file.metrics, data_file.spec_id
        if number % step == 0:
            lower, upper = metrics.fresh("lower_bounds"), metrics.fresh("upper_bounds")
            bounds.look(file, lower, upper)
            for part, example in partitions.differences(data_file, lower, upper) if data_file.partition else ():
                facts.partition_differs[spec_id, part].add(file, example)
        if data_file.record_count and not metrics.has("value_counts") and not metrics.has("null_value_counts"):
            facts.without_counts.add(file)
        for part, example in summaries.left_out(file) if data_file.partition else ():
            facts.outside_summary[spec_id, part].add(file, example)
    return facts


class _Bounds:
    """Looks at the bounds of one file after the other. Most are as they should be, and told so by few steps."""

    def __init__(self, facts: ManifestFacts, types: Mapping[int, IcebergType]) -> None:
        self.facts = facts
        self.types = types
        self.plain = {i: _PLAIN[type(kind)] for i, kind in types.items() if type(kind) in _PLAIN}

    def look(self, file: LiveFile, lower: Mapping[int, bytes], upper: Mapping[int, bytes]) -> None:
        """Count what is wrong with the bounds of a file."""
        plain, four_bytes = self.plain, self.facts.four_bytes
        for field_id, low in lower.items():
            high, layout = upper.get(field_id, b""), plain.get(field_id)
            usual = layout is not None and len(low) == layout.size == len(high)
            # NaN is not below itself, and is looked at more closely.
            if layout is None or not usual or not layout.unpack(low) <= layout.unpack(high):
                self._closely(file, field_id, low, upper.get(field_id))
            elif layout.size == 4:
                four_bytes[field_id].add(file)
        for field_id in upper.keys() - lower.keys():
            self._closely(file, field_id, None, upper[field_id])

    def _closely(self, file: LiveFile, field_id: int, lower: bytes | None, upper: bytes | None) -> None:
        kind, facts = self.types.get(field_id), self.facts
        if kind is None:
            return
        if lower is not None and len(lower) == 4 and isinstance(kind, _FOUR):
            facts.four_bytes[field_id].add(file)
        values = []
        for data in (lower, upper):
            value = None if data is None else decode_bound(data, kind)
            values.append(value)
            if data is None or value is not None:
                continue
            if isinstance(kind, DoubleType if len(data) == 8 else (FloatType, DoubleType)) and len(data) in (4, 8):
                facts.not_a_number[field_id].add(file)
            elif not (len(data) == 4 and isinstance(kind, _NARROW)):
                facts.malformed[field_id].add(file, f"{len(data)} bytes, {data[:20].hex()}")
                return
        low, high = values
        # Of uuids, whose order writers differ in, nothing is said.
        if low is not None and high is not None and not isinstance(low, UUID) and low > high:
            facts.inverted[field_id].add(file, f"lower {low} and upper {high}")
