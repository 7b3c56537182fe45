"""Find what the entries of one manifest say of their data files that contradicts itself or the spec.

The facts are flags, one byte for each file. They depend on the manifest and on a few settings of the table
(`FactInputs`), so the cached facts of a manifest stay valid while the table changes. Decoded counts and bounds take
much memory, so they are decoded file by file and dropped.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from projector.check.evidence.partition_values import PartitionCheck
from projector.check.evidence.summaries import left_out, summary_ranges
from projector.files.storage.locations import base_name
from projector.metadata.manifests.model import FileContent, ManifestEntry, ManifestFile
from projector.metadata.table_metadata import TableMetadata
from projector.schema.binary_values import decode_bound
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

BOUNDED = (
    BooleanType, IntegerType, LongType, FloatType, DoubleType, DecimalType, DateType, TimeType, TimestampType,
    TimestamptzType, TimestampNanoType, TimestamptzNanoType, StringType, UUIDType, FixedType, BinaryType,
)  # fmt: skip
_NARROW = (LongType, DoubleType, TimestampType, TimestampNanoType)
"""Types for which 4 bytes are a legal bound, from before a promotion."""
_FOUR = (*_NARROW, IntegerType, FloatType, DateType)
_LONG, _DOUBLE, _INT, _FLOAT = map(struct.Struct, ("<q", "<d", "<i", "<f"))
_PLAIN: Mapping[type[IcebergType], struct.Struct] = {
    LongType: _LONG, TimeType: _LONG, TimestampType: _LONG, TimestamptzType: _LONG, TimestampNanoType: _LONG,
    TimestamptzNanoType: _LONG, DoubleType: _DOUBLE, IntegerType: _INT, DateType: _INT, FloatType: _FLOAT,
}  # fmt: skip
_DIGITS = bytes.maketrans(b"\0\1", b"01")
_FLAGS = bytes.maketrans(b"01", b"\0\1")

Fact = tuple[str, int]
"""The name of a fact in `ManifestFacts`, and the id of its column or partition field, or 0."""


class FactInputs:
    """The settings of a table that the facts depend on.

    Parameters
    ----------
    types:
        The types of the columns whose bounds are checked, by id.
    step:
        Bounds are checked in one file out of so many.
    """

    def __init__(self, metadata: TableMetadata, types: Mapping[int, IcebergType], step: int) -> None:
        self.types = types
        self.step = step
        self.plain = {i: _PLAIN[type(kind)] for i, kind in types.items() if type(kind) in _PLAIN}
        self.partitions = PartitionCheck(metadata, types)
        specs = {
            spec_id: [(f.field_id, list(f.source_ids), f.transform) for f in spec.fields]
            for spec_id, spec in metadata.specs.items()
        }
        self._specs = {spec_id: repr(fields) for spec_id, fields in specs.items()}
        self._columns = hashlib.sha256(repr([(i, str(types[i])) for i in sorted(types)]).encode()).digest()

    def sampled(self, manifest: ManifestFile, count: int) -> range:
        """Return the indexes of the entries whose bounds are checked: always the same, perhaps none of a few."""
        name = base_name(manifest.path).encode("utf-8", "surrogatepass")
        return range(zlib.crc32(name) % self.step, count, self.step)

    def cache_key(self, listing: bytes, manifest: ManifestFile) -> bytes:
        """Return the cache key of a manifest's facts, given that of its listing."""
        terms = repr((self.step, self._specs.get(manifest.spec_id), manifest.partitions))
        return b"facts\n" + hashlib.sha256(listing + self._columns + terms.encode()).digest()


@dataclass
class EntryFacts:
    """The facts about the files of a manifest.

    Parameters
    ----------
    count:
        Files of the manifest.
    flags:
        For each fact one byte per file: 1 if the file shows it.
    examples:
        For each fact, details by index of the file, for facts that have details.
    """

    count: int
    flags: dict[Fact, bytes | bytearray] = field(default_factory=dict)
    examples: dict[Fact, dict[int, str]] = field(default_factory=dict)

    def add(self, name: str, field_id: int, index: int, example: str = "") -> None:
        """Record that a file shows a fact."""
        flags = self.flags.get((name, field_id))
        if flags is None:
            flags = self.flags[name, field_id] = bytearray(self.count)
        flags[index] = 1  # type: ignore[index] # flags read from the cache are bytes, and never added to
        if example:
            self.examples.setdefault((name, field_id), {})[index] = example

    def to_bytes(self) -> bytes:
        """Return the facts in the form of the cache."""
        facts = [
            [*fact, flags.translate(_DIGITS).decode(), [*self.examples.get(fact, {}).items()]]
            for fact, flags in self.flags.items()
        ]
        return json.dumps([self.count, facts]).encode()

    @staticmethod
    def from_bytes(data: bytes, count: int) -> EntryFacts:
        """Return cached facts of a manifest of `count` files. Raises `ValueError` or `TypeError` for anything else."""
        known, facts = json.loads(data)
        found = EntryFacts(count)
        for name, field_id, digits, examples in facts:
            found.flags[name, field_id] = digits.encode().translate(_FLAGS)
            found.examples[name, field_id] = dict(examples)
        if known != count or any(len(flags) != count for flags in found.flags.values()):
            raise ValueError("facts of other files")
        return found


def entry_facts(manifest: ManifestFile, entries: Sequence[ManifestEntry], inputs: FactInputs) -> EntryFacts:
    """Return the facts about a manifest's live entries. Raises `CorruptFileError` for bounds that cannot be decoded."""
    found = EntryFacts(len(entries))
    sampled, check_bounds = inputs.sampled(manifest, len(entries)), _Bounds(found, inputs).check
    ranges = summary_ranges(manifest, entries[0].data_file) if entries else {}
    for index, entry in enumerate(entries):
        file = entry.data_file
        if file.content is not FileContent.DATA:
            continue
        metrics = file.metrics
        if index in sampled:
            lower, upper = metrics.fresh("lower_bounds"), metrics.fresh("upper_bounds")
            check_bounds(index, lower, upper)
            for part, example in inputs.partitions.differences(file, lower, upper) if file.partition else ():
                found.add("partition_differs", part, index, example)
        if file.record_count and not metrics.has("value_counts") and not metrics.has("null_value_counts"):
            found.add("without_counts", 0, index)
        for part, example in left_out(ranges, file.partition) if ranges else ():
            found.add("outside_summary", part, index, example)
    return found


class _Bounds:
    """Checks the bounds of one file after the other. A few steps are enough for most, which are as they should be."""

    def __init__(self, found: EntryFacts, inputs: FactInputs) -> None:
        self.found = found
        self.types = inputs.types
        self.plain = inputs.plain

    def check(self, index: int, lower: Mapping[int, bytes], upper: Mapping[int, bytes]) -> None:
        """Record what is wrong with the bounds of a file."""
        plain, add = self.plain, self.found.add
        for field_id, low in lower.items():
            high, layout = upper.get(field_id, b""), plain.get(field_id)
            usual = layout is not None and len(low) == layout.size == len(high)
            # NaN is not below itself, so it takes the slow path.
            if layout is None or not usual or not layout.unpack(low) <= layout.unpack(high):
                self._check_decoded(index, field_id, low, upper.get(field_id))
            elif layout.size == 4:
                add("four_bytes", field_id, index)
        for field_id in upper.keys() - lower.keys():
            self._check_decoded(index, field_id, None, upper[field_id])

    def _check_decoded(self, index: int, field_id: int, lower: bytes | None, upper: bytes | None) -> None:
        kind, add = self.types.get(field_id), self.found.add
        if kind is None:
            return
        if lower is not None and len(lower) == 4 and isinstance(kind, _FOUR):
            add("four_bytes", field_id, index)
        values = []
        for data in (lower, upper):
            value = None if data is None else decode_bound(data, kind)
            values.append(value)
            if data is None or value is not None:
                continue
            if isinstance(kind, DoubleType if len(data) == 8 else (FloatType, DoubleType)) and len(data) in (4, 8):
                add("not_a_number", field_id, index)
            elif not (len(data) == 4 and isinstance(kind, _NARROW)):
                add("malformed", field_id, index, f"{len(data)} bytes, {data[:20].hex()}")
                return
        low, high = values
        # Writers differ in the order of uuids, so those are not compared.
        if low is not None and high is not None and not isinstance(low, UUID) and low > high:
            add("inverted", field_id, index, f"lower {low} and upper {high}")
