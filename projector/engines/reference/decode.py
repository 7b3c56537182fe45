"""Decode a Parquet file to plain Python values of its own types, one value at a time.

| file | value |
|---|---|
| boolean, integer, float16, float, double | bool, int, float |
| decimal | decimal.Decimal |
| date | int, days |
| time, timestamp | int in the column's own unit |
| int96 | int, nanoseconds from 1970-01-01 |
| string, JSON | str; bytes if it is not UTF-8 |
| enum, BSON, bytes, fixed, geometry, geography | bytes |
| uuid | uuid.UUID |
| struct | tuple, by place |
| list | list |
| map | list of (key, value) tuples |

Names do not matter. pyarrow decodes the pages; this module does not handle offsets, bitmaps or slices.
"""

from __future__ import annotations

import os
import uuid
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from projector.engines.arrow.parquet_reader import Source, arrow_errors
from projector.errors import CorruptFileError
from projector.files.parquet.file_schema import (
    FileColumn,
    FileKind,
    FileLeaf,
    FileList,
    FileMap,
    FileSchema,
    FileStruct,
    FileVariant,
    TimeUnit,
)

FileRow = tuple[Any, ...]

_NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def file_rows(
    source: Source, file_schema: FileSchema, columns: set[int], file: str, positions: Sequence[int] | None = None
) -> Iterator[tuple[int, FileRow]]:
    """Yield rows of a file, each with its position: a tuple by the place of its top-level columns.

    Parameters
    ----------
    source:
        A local path, or what `pyarrow.parquet.ParquetFile` opens.
    file_schema:
        The file's shape.
    columns:
        Places of the top-level columns to read; the others are None.
    file:
        The file's name in errors.
    positions:
        Positions of the rows to read, ascending; None for all. Row groups without them are skipped.
    """
    with arrow_errors(file), _native(source) as native:
        millis = pq.ParquetFile(native, coerce_int96_timestamp_unit="ms")
        nanos = pq.ParquetFile(native, coerce_int96_timestamp_unit="ns") if _has_int96(file_schema, columns) else None
        names = _leaf_paths(millis, file_schema, columns)
        places = range(len(file_schema.columns)) if names is None else sorted(columns)
        start = 0
        for group in range(millis.metadata.num_row_groups):
            length = millis.metadata.row_group(group).num_rows
            wanted = _between(positions, start, start + length)
            if len(wanted):
                read = 0
                for batch, twin in _batches(millis, nanos, group, names):
                    for position in _between(wanted, start + read, start + read + batch.num_rows):
                        row: list[Any] = [None] * len(file_schema.columns)
                        for index, place in enumerate(places):
                            if place in columns:
                                at = position - start - read
                                one, other = batch.column(index)[at], twin.column(index)[at]
                                row[place] = file_value(one, other, file_schema.columns[place])
                        yield position, tuple(row)
                    read += batch.num_rows
                if read != length:
                    raise CorruptFileError("The file does not hold the rows that its footer says", file=file)
            start += length
        if start != millis.metadata.num_rows:
            raise CorruptFileError("The file does not hold the rows that its footer says", file=file)


_BATCH_ROWS = 16_384


def _batches(
    millis: pq.ParquetFile, nanos: pq.ParquetFile | None, group: int, names: list[str] | None
) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
    """Yield the batches of a row group, each with its second reading, which has int96 as nanoseconds."""
    if names == []:  # no column is read, but the rows count
        rows = millis.metadata.row_group(group).num_rows
        empty = pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))
        yield empty, empty
        return
    batches = millis.iter_batches(_BATCH_ROWS, [group], names, use_threads=False)
    if nanos is None:
        yield from ((batch, batch) for batch in batches)
    else:
        yield from zip(batches, nanos.iter_batches(_BATCH_ROWS, [group], names, use_threads=False), strict=True)


def _between(positions: Sequence[int] | None, start: int, end: int) -> Sequence[int]:
    """Return the positions from `start` up to `end`; all for None."""
    if positions is None:
        return range(start, end)
    return positions[bisect_left(positions, start) : bisect_left(positions, end)]


def _leaf_paths(parquet: pq.ParquetFile, file_schema: FileSchema, columns: set[int]) -> list[str] | None:
    """Return the dotted paths of the leaves of some top-level columns; None, for all, if names are ambiguous."""
    names = [column.name for column in file_schema.columns]
    if len(set(names)) < len(names) or any("." in name for name in names):
        return None
    paths, leaf = [], 0
    for place, column in enumerate(file_schema.columns):
        if place in columns:
            paths += [parquet.schema.column(leaf + i).path for i in range(column.leaf_count)]
        leaf += column.leaf_count
    return paths


def _has_int96(file_schema: FileSchema, columns: set[int]) -> bool:
    return any(
        place[0] in columns and isinstance(column.type, FileLeaf) and column.type.kind is FileKind.INT96
        for place, column in file_schema.walk()
    )


def file_value(scalar: pa.Scalar, nanos: pa.Scalar, column: FileColumn) -> Any:
    """Return the plain value of an Arrow scalar; `nanos` is the same scalar with int96 read as nanoseconds."""
    scalar, nanos = _unwrapped(scalar), _unwrapped(nanos)
    if not scalar.is_valid:
        return None
    match column.type:
        case FileStruct(fields):
            return tuple(file_value(scalar[i], nanos[i], child) for i, child in enumerate(fields))
        case FileList(element):
            pairs = zip(scalar.values, nanos.values, strict=True)
            return [file_value(one, other, element) for one, other in pairs]
        case FileMap(key, value):
            entries = zip(scalar.values, nanos.values, strict=True)
            return [(file_value(s[0], n[0], key), file_value(s[1], n[1], value)) for s, n in entries]
        case FileLeaf() as leaf:
            return leaf_value(scalar, nanos, leaf)
        case FileVariant():
            return None


def leaf_value(scalar: pa.Scalar, nanos: pa.Scalar, leaf: FileLeaf) -> Any:
    """Return the plain value of a scalar that is not null."""
    match leaf.kind:
        case FileKind.BOOLEAN:
            return bool(scalar.as_py())
        case FileKind.INTEGER:
            return int(scalar.value if isinstance(scalar, pa.DurationScalar) else scalar.as_py())
        case FileKind.FLOAT16 | FileKind.FLOAT | FileKind.DOUBLE:
            return float(scalar.as_py())
        case FileKind.DECIMAL:
            return scalar.as_py()
        case FileKind.DATE:
            return int(scalar.cast(pa.date32()).value)
        case FileKind.TIME | FileKind.TIMESTAMP:
            assert isinstance(leaf.unit, TimeUnit)
            number = int(scalar.value) * _NANOS[scalar.type.unit]
            assert number % _NANOS[leaf.unit] == 0
            return number // _NANOS[leaf.unit]
        case FileKind.INT96:
            # No int96 overflows as milliseconds; as nanoseconds it wraps round at 2**64 but keeps all its digits.
            whole = int(scalar.value) * 10**6
            value = whole + (int(nanos.value) - whole) % 2**64
            return value - 2**64 if 2**63 <= value < 2**64 and value % 1000 == 2**64 % 1000 else value
        case FileKind.STRING | FileKind.JSON:
            stored = _bytes(scalar)
            try:
                return stored.decode()
            except UnicodeDecodeError:
                return stored
        case FileKind.UUID:
            return uuid.UUID(bytes=_bytes(scalar))
        case FileKind.NULL:
            return None
        case FileKind.ENUM | FileKind.BSON | FileKind.BYTES | FileKind.FIXED | FileKind.INTERVAL:
            return _bytes(scalar)
        case FileKind.GEOMETRY | FileKind.GEOGRAPHY:
            return _bytes(scalar)


def _bytes(scalar: pa.Scalar) -> bytes:
    buffer = scalar.as_buffer()
    return b"" if buffer is None else bytes(buffer.to_pybytes())


def _unwrapped(scalar: pa.Scalar) -> pa.Scalar:
    while isinstance(scalar, pa.ExtensionScalar | pa.DictionaryScalar):
        scalar = scalar.value
        if scalar is None:
            return pa.scalar(None)
    return scalar


@contextmanager
def _native(source: Source) -> Iterator[Any]:
    if isinstance(source, str | os.PathLike):
        with pa.OSFile(os.fspath(source)) as file:
            yield file
    else:
        yield source
