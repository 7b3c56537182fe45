"""The content of manifests and manifest lists: manifests, entries, and files (spec: Manifests, Manifest Lists)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from projector.errors import CorruptFileError
from projector.metadata.avro.decoder import decode_pairs, find_value
from projector.schema.reserved import DELETE_FILE_PATH
from projector.schema.types import IcebergType

METRICS = ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds")
"""The maps of a file's statistics, by their names in the spec."""

_DAMAGE = (ValueError, IndexError, EOFError)


class ManifestContent(IntEnum):
    """The kind of files that a manifest lists."""

    DATA = 0
    DELETES = 1


class FileContent(IntEnum):
    """The content of a file. A deletion vector counts as position deletes."""

    DATA = 0
    POSITION_DELETES = 1
    EQUALITY_DELETES = 2


class EntryStatus(IntEnum):
    """What a manifest says of a file."""

    EXISTING = 0
    ADDED = 1
    DELETED = 2


@dataclass(frozen=True, slots=True)
class FieldSummary:
    """Summary of one partition field over all files of a manifest; bounds are binary single values."""

    contains_null: bool
    contains_nan: bool | None
    lower_bound: bytes | None
    upper_bound: bytes | None


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """A manifest as a manifest list (or a snapshot of version 1) names it.

    Counts are None if the writer omitted them, which means "may be more than zero". `partitions` has one summary for
    each
    field of the spec, in order, or is None.
    """

    path: str
    length: int
    spec_id: int
    content: ManifestContent = ManifestContent.DATA
    sequence_number: int = 0
    min_sequence_number: int = 0
    added_snapshot_id: int | None = None
    added_files_count: int | None = None
    existing_files_count: int | None = None
    deleted_files_count: int | None = None
    added_rows_count: int | None = None
    existing_rows_count: int | None = None
    deleted_rows_count: int | None = None
    partitions: tuple[FieldSummary, ...] | None = None
    key_metadata: bytes | None = None
    first_row_id: int | None = None

    @property
    def has_live_files(self) -> bool:
        """Whether the manifest may have live entries: False only if its counts say that every entry is deleted."""
        return self.added_files_count != 0 or self.existing_files_count != 0


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data or delete file as a manifest describes it.

    Parameters
    ----------
    content, file_path, file_format:
        Its content; its recorded path; `PARQUET`, `AVRO`, `ORC` or `PUFFIN`.
    spec_id, partition, partition_types:
        Its partition: the spec's id, plain values by partition field id, and the types in which they are stored.
    record_count, file_size_in_bytes:
        Rows (of a deletion vector: deleted positions) and bytes.
    metrics:
        Sizes, counts and bounds by field id.
    key_metadata:
        Set if the file is encrypted.
    split_offsets, equality_ids, sort_order_id, first_row_id, referenced_data_file, content_offset,
    content_size_in_bytes:
        As in the spec; None if absent. `first_row_id` is already inherited.
    """

    content: FileContent
    file_path: str
    file_format: str
    spec_id: int
    partition: Mapping[int, Any]
    partition_types: Mapping[int, IcebergType]
    record_count: int
    file_size_in_bytes: int
    metrics: Metrics
    key_metadata: bytes | None = None
    split_offsets: tuple[int, ...] | None = None
    equality_ids: tuple[int, ...] | None = None
    sort_order_id: int | None = None
    first_row_id: int | None = None
    referenced_data_file: str | None = None
    content_offset: int | None = None
    content_size_in_bytes: int | None = None

    @property
    def column_sizes(self) -> Mapping[int, int]:
        """Bytes on disk by field id; empty if unknown, like all maps here."""
        return MetricsMap(self.metrics, "column_sizes")

    @property
    def value_counts(self) -> Mapping[int, int]:
        """Counts of values, null and NaN included, by field id."""
        return MetricsMap(self.metrics, "value_counts")

    @property
    def null_value_counts(self) -> Mapping[int, int]:
        """Counts of nulls by field id."""
        return MetricsMap(self.metrics, "null_value_counts")

    @property
    def nan_value_counts(self) -> Mapping[int, int]:
        """Counts of NaNs by field id."""
        return MetricsMap(self.metrics, "nan_value_counts")

    @property
    def lower_bounds(self) -> Mapping[int, bytes]:
        """Lower bounds by field id, as binary single values."""
        return MetricsMap(self.metrics, "lower_bounds")

    @property
    def upper_bounds(self) -> Mapping[int, bytes]:
        """Upper bounds by field id, as binary single values."""
        return MetricsMap(self.metrics, "upper_bounds")

    @property
    def target_file(self) -> str | None:
        """The only data file that a file of position deletes, or a deletion vector, applies to; None if not named.

        The bounds of the `file_path` column name it too, if they are equal (spec: Position Delete Files).
        """
        if self.referenced_data_file or self.content is not FileContent.POSITION_DELETES:
            return self.referenced_data_file
        lower, upper = (self.metrics.value(name, DELETE_FILE_PATH) for name in ("lower_bounds", "upper_bounds"))
        if lower is None or lower != upper:
            return None
        try:
            path = str(lower.decode())
        except UnicodeDecodeError:
            return None
        # A truncated bound that was not rounded up names no file; it does not end like the name of a file either.
        return path if path.endswith((".parquet", ".avro", ".orc")) else None


class Metrics:
    """The maps of a file's statistics, decoded on demand: one value, or a whole map."""

    __slots__ = ("_file", "_made", "_stored")

    def __init__(self, stored: Mapping[str, bytes | list[Mapping[str, Any]]], file: str | None = None) -> None:
        self._stored = stored
        self._file = file
        self._made: dict[str, dict[int, Any]] = {}

    def of(self, name: str) -> dict[int, Any]:
        """Return a map by its name in the spec, such as `lower_bounds`; empty if the manifest has none.

        Raises `CorruptFileError`.
        """
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._make(name)
        return made

    def value(self, name: str, field_id: int) -> Any:
        """Return the value of one field in a map, None if it has none; the rest of the map is skipped.

        Raises `CorruptFileError`.
        """
        stored = self._stored.get(name)
        if not isinstance(stored, bytes) or name in self._made:
            return self.of(name).get(field_id)
        try:
            return find_value(stored, name, field_id)
        except _DAMAGE as error:
            raise self._damaged(name, error) from None

    def has(self, name: str) -> bool:
        """Return whether the manifest has a non-empty map, without decoding it."""
        return self._stored.get(name) not in (None, [], b"\0")

    def fresh(self, name: str) -> dict[int, Any]:
        """Return a map like `of`, without caching it: for one pass over many files."""
        made = self._made.get(name)
        return self._make(name) if made is None else made

    def _make(self, name: str) -> dict[int, Any]:
        stored = self._stored.get(name)
        match stored:
            case None | []:
                return {}
            case bytes():
                try:
                    return decode_pairs(stored, name)
                except _DAMAGE as error:
                    raise self._damaged(name, error) from None
        return {pair["key"]: pair["value"] for pair in stored if pair["value"] is not None}

    def _damaged(self, name: str, error: Exception) -> CorruptFileError:
        return CorruptFileError(f"{name} cannot be decoded: {error}", file=self._file)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metrics) and all(self.of(name) == other.of(name) for name in METRICS)

    def __hash__(self) -> int:
        return hash(tuple(len(self.of(name)) for name in METRICS))

    def __repr__(self) -> str:
        return f"Metrics({', '.join(f'{name}={self.of(name)}' for name in METRICS if self.of(name))})"


class MetricsMap(Mapping[int, Any]):
    """One map of a file's statistics: looking up a field decodes no other."""

    __slots__ = ("_metrics", "_name")

    def __init__(self, metrics: Metrics, name: str) -> None:
        self._metrics = metrics
        self._name = name

    def __getitem__(self, field_id: int) -> Any:
        found = self._metrics.value(self._name, field_id)
        if found is None:
            raise KeyError(field_id)
        return found

    def get(self, field_id: int, default: Any = None) -> Any:
        """Return the value of a field, or the default."""
        found = self._metrics.value(self._name, field_id)
        return default if found is None else found

    def __iter__(self) -> Iterator[int]:
        return iter(self._metrics.of(self._name))

    def __len__(self) -> int:
        return len(self._metrics.of(self._name))

    def __repr__(self) -> str:
        return repr(self._metrics.of(self._name))


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """What a manifest says of one file.

    Ids and sequence numbers are already inherited. A sequence number is None only if a writer omitted one that cannot
    be
    inherited.
    """

    status: EntryStatus
    snapshot_id: int | None
    data_sequence_number: int | None
    file_sequence_number: int | None
    data_file: DataFile

    @property
    def is_live(self) -> bool:
        """Whether the file is part of the snapshot: added or existing, not deleted."""
        return self.status is not EntryStatus.DELETED
