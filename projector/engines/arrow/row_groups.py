"""Find the row groups of a Parquet file that can match a filter, by their statistics and the file's plan.

Statistics describe a leaf of the file; the plan says which leaf a column of the filter reads, and with which cast.
Columns that the file lacks have one value in every row, so they may rule out the whole file. Statistics that are
missing, impossible, or from a writer known to get them wrong are ignored.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from projector.engines.arrow.constants import file_value
from projector.errors import InvalidMetadataError, ProjectionError
from projector.files.parquet.file_schema import FileKind, FileLeaf, TimeUnit
from projector.planning.filters.expressions import BoundTerm, Expression, bound_terms
from projector.planning.pruning.facts import NOTHING, UNKNOWN, Facts, constant
from projector.planning.pruning.metrics_facts import ColumnStatistics, row_group_facts
from projector.planning.pruning.outcomes import Lookup, might_match
from projector.planning.scan.projected_files import ProjectedFile
from projector.planning.scan.request import ScanRequest
from projector.projection.plan import (
    Cast,
    Constant,
    MetadataColumn,
    NewStruct,
    Null,
    PartitionValue,
    Plan,
    PlanNode,
    Read,
    StructOf,
)
from projector.schema import reserved
from projector.schema.binary_values import unscaled_decimal
from projector.schema.promotions import promote_value
from projector.schema.types import DateType, IcebergType, TimestampNanoType, TimestamptzNanoType

_OLD_PARQUET_MR = re.compile(r"parquet-mr version 1\.(\d+)\.")
_FIRST_RIGHT_PARQUET_MR = 10
"""Java's Parquet before 1.10 compared byte arrays as signed bytes, decimals among them."""

_NANOS = {TimeUnit.MILLIS: 1_000_000, TimeUnit.MICROS: 1000, TimeUnit.NANOS: 1}


@dataclass(frozen=True, slots=True)
class _Stored:
    """A column of the filter that is read from a leaf of the file."""

    leaf: int
    kind: FileLeaf
    cast: Cast
    requested: IcebergType


@dataclass(frozen=True)
class RowGroupFilter:
    """A scan's filter over the row groups of one file. `row_group_filter` creates it.

    Parameters
    ----------
    bound:
        The filter.
    fixed:
        Columns with one value in every row of the file, by field id.
    stored:
        Columns that are read from the file.
    first_row_id:
        The file's first row id, if `_row_id` counts from it; None if the file stores row ids or has none.
    """

    bound: Expression
    fixed: Mapping[int, Facts]
    stored: Mapping[int, _Stored]
    first_row_id: int | None = None

    def might_match(self) -> bool:
        """Return whether the file can match the filter, by its columns with one value."""
        return might_match(self.bound, lambda term: self.fixed.get(term.field_id, UNKNOWN))

    def chosen(self, metadata: pq.FileMetaData) -> list[int]:
        """Return the indexes of the row groups that can match the filter."""
        skip_bytes = _compared_bytes_as_signed(metadata)
        found: list[int] = []
        first = 0
        for i in range(metadata.num_row_groups):
            group = metadata.row_group(i)
            if might_match(self.bound, self._facts(group, first, skip_bytes)):
                found.append(i)
            first += group.num_rows
        return found

    def _facts(self, group: pq.RowGroupMetaData, first: int, skip_bytes: bool) -> Lookup:
        rows = group.num_rows
        statistics = {i: _statistics(group, column, skip_bytes) for i, column in self.stored.items()}
        statistics[reserved.POS] = ColumnStatistics(first, first + rows - 1, 0)
        if self.first_row_id is not None:
            start = self.first_row_id + first
            statistics[reserved.ROW_ID] = ColumnStatistics(start, start + rows - 1, 0)
        by_statistics = row_group_facts(statistics, rows)

        def lookup(term: BoundTerm) -> Facts:
            if rows == 0:
                return NOTHING
            return self.fixed.get(term.field_id) or by_statistics(term)

        return lookup


def row_group_filter(file: ProjectedFile, request: ScanRequest) -> RowGroupFilter:
    """Return the filter of a scan over the row groups of a file projected under the scan's wide schema."""
    fixed: dict[int, Facts] = {}
    stored: dict[int, _Stored] = {}
    first_row_id: int | None = None
    terms = bound_terms(request.row_filter)
    width = len(request.schema.fields)
    for place, probe in enumerate(request.probes, start=width):
        term = terms.get(probe.field_id)
        if term is None:
            continue
        match _node(file.plan.fields[place], probe.path):
            case Read(place=column, cast=cast) as node:
                leaf = file.plan.file_schema.at(column).type
                if isinstance(leaf, FileLeaf):
                    index = file.plan.file_schema.first_leaf(column)
                    stored[term.field_id] = _Stored(index, leaf, cast, node.field.field_type)
            case MetadataColumn(place=None, field=field) if field.field_id == reserved.ROW_ID:
                first_row_id = file.binding.first_row_id
                if first_row_id is None:
                    fixed[term.field_id] = constant(None)
            case MetadataColumn(place=None, field=field) as node if field.field_id not in _BY_ROW:
                value = file_value(node, file.binding)
                for name in probe.path:
                    value = None if value is None else value[name]
                fixed[term.field_id] = _fixed(value, term)
            case Constant(value=value):
                fixed[term.field_id] = _fixed(value, term)
            case PartitionValue(field=field):
                fixed[term.field_id] = _fixed(file.binding.partition.get(field.field_id), term)
            case Null():
                fixed[term.field_id] = constant(None)
    return RowGroupFilter(request.row_filter, fixed, stored, first_row_id)


_BY_ROW = frozenset({reserved.POS, reserved.ROW_ID, reserved.DELETED})
"""Metadata columns whose values differ by row."""


def _fixed(value: Any, term: BoundTerm) -> Facts:
    # Filters do not compare structs: they only test them for null.
    return constant(value, term.null_parents) if term.field_type.is_primitive else UNKNOWN


def _node(node: PlanNode, path: tuple[str, ...]) -> PlanNode:
    """Return the node of a probe inside its structs, or a node above it that decides its value."""
    for _ in path:
        match node:
            case StructOf(fields=(child,)) | NewStruct(fields=(child,)):
                node = child
            case _:
                break
    return node


def _compared_bytes_as_signed(metadata: pq.FileMetaData) -> bool:
    """Return whether bounds of bytes may be wrong: those of parquet-mr before 1.10, or of a writer without a name."""
    try:
        old = _OLD_PARQUET_MR.match(metadata.created_by or "")
    except UnicodeDecodeError:  # Java ignores the statistics of a writer that it cannot parse
        return True
    return old is not None and int(old[1]) < _FIRST_RIGHT_PARQUET_MR


def leaf_statistics(metadata: pq.FileMetaData, plan: Plan) -> Mapping[int, ColumnStatistics]:
    """Return the statistics of a whole file for each leaf that a plan reads outside lists and maps, by field id.

    Statistics that one row group lacks are unknown for the file.
    """
    skip_bytes = _compared_bytes_as_signed(metadata)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    found: dict[int, ColumnStatistics] = {}
    for node in _outside_lists(plan.fields):
        leaf = plan.file_schema.at(node.place).type
        if isinstance(leaf, FileLeaf):
            stored = _Stored(plan.file_schema.first_leaf(node.place), leaf, node.cast, node.field.field_type)
            parts = [_statistics(group, stored, skip_bytes) for group in groups if group.num_rows]
            found[node.field.field_id] = _together(parts, [group.num_rows for group in groups if group.num_rows])
    return found


def _outside_lists(nodes: Sequence[PlanNode]) -> Iterator[Read]:
    for node in nodes:
        match node:
            case Read():
                yield node
            case StructOf(fields=fields):
                yield from _outside_lists(fields)


def _together(parts: Sequence[ColumnStatistics], rows: Sequence[int]) -> ColumnStatistics:
    nulls = [part.null_count for part in parts]
    count = sum(n for n in nulls if n is not None) if None not in nulls else None
    valued = [p for p, n in zip(parts, rows, strict=True) if p.null_count != n]
    lows, highs = [p.minimum for p in valued], [p.maximum for p in valued]
    low = min(lows) if lows and None not in lows else None
    high = max(highs) if highs and None not in highs else None
    return ColumnStatistics(low, high, count)


def _statistics(group: pq.RowGroupMetaData, column: _Stored, skip_bytes: bool) -> ColumnStatistics:
    try:
        found = group.column(column.leaf).statistics
        if found is None:
            return ColumnStatistics()
        nulls = found.null_count if found.has_null_count else None
        if not found.has_min_max or (skip_bytes and column.kind.physical.endswith("byte_array")):
            return ColumnStatistics(null_count=nulls)
        low, high = _plain(found.min_raw, column, up=False), _plain(found.max_raw, column, up=True)
    except (pa.ArrowException, OSError, ValueError, struct.error):  # statistics that do not decode
        return ColumnStatistics()
    return ColumnStatistics(low, high, nulls)


def _plain(raw: Any, column: _Stored, *, up: bool) -> Any:
    """Return a stored bound as a plain value of the requested type, or None if it says nothing."""
    kind, requested = column.kind, column.requested
    match kind.kind:
        case FileKind.INTEGER if not kind.signed:
            return int(raw) % (1 << (64 if kind.physical == "int64" else 32))
        case FileKind.BOOLEAN | FileKind.INTEGER | FileKind.FLOAT | FileKind.DOUBLE:
            return raw
        case FileKind.FLOAT16:
            return struct.unpack("<e", raw)[0]
        case FileKind.DECIMAL:
            if raw == b"":
                return None
            unscaled = int.from_bytes(raw, "big", signed=True) if isinstance(raw, bytes) else int(raw)
            return unscaled_decimal(unscaled, kind.scale or 0)
        case FileKind.DATE:
            return _promoted_date(raw, requested)
        case FileKind.TIME | FileKind.TIMESTAMP if kind.unit is not None:
            nanos = int(raw) * _NANOS[kind.unit]
            per_tick = 1 if isinstance(requested, TimestampNanoType | TimestamptzNanoType) else 1000
            return -(-nanos // per_tick) if up else nanos // per_tick
        case FileKind.UUID:
            return UUID(bytes=bytes(raw))
        case FileKind.FIXED:
            return UUID(bytes=bytes(raw)) if column.cast is Cast.BYTES_TO_UUID else bytes(raw)
        case FileKind.STRING | FileKind.ENUM | FileKind.JSON | FileKind.BSON | FileKind.BYTES:
            is_text = column.cast is Cast.BYTES_TO_STRING or (
                column.cast is Cast.NONE and kind.kind is not FileKind.BYTES
            )
            return bytes(raw).decode() if is_text else bytes(raw)
        case _:
            return None


def _promoted_date(days: int, requested: IcebergType) -> int | None:
    try:
        return promote_value(days, DateType(), requested)  # type: ignore[no-any-return]
    except (InvalidMetadataError, ProjectionError):
        return None
