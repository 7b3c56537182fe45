"""A Parquet file as plain Python values of its own types, one value at a time.

| file | value |
|---|---|
| boolean, integer, float16, float, double | bool, int, float |
| decimal | decimal.Decimal |
| date | int, days |
| time, timestamp | int in the column's own unit |
| int96 | int, nanoseconds from 1970-01-01 |
| string, JSON | str; bytes where it is not UTF-8 |
| enum, BSON, bytes, fixed, geometry, geography | bytes |
| uuid | uuid.UUID |
| struct | tuple, by place |
| list | list |
| map | list of (key, value) tuples |

Names play no part. pyarrow only decodes the pages; nothing here knows offsets, bitmaps or slices.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from projector.engines.arrow_read import Source, arrow_errors
from projector.errors import CorruptFileError
from projector.files.physical import (
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


def file_rows(source: Source, file_schema: FileSchema, columns: set[int], file: str) -> list[FileRow]:
    """All rows of a file, each a tuple by the place of its top-level columns.

    Parameters
    ----------
    source:
        A local path, or what `pyarrow.parquet.ParquetFile` opens.
    file_schema:
        The file's shape.
    columns:
        Places of the top-level columns whose values are wanted; the others come as None.
    file:
        The file's name in errors.
    """
    with arrow_errors(file), _native(source) as native:
        millis = pq.ParquetFile(native, coerce_int96_timestamp_unit="ms").read(use_threads=False)
        nanos = pq.ParquetFile(native, coerce_int96_timestamp_unit="ns").read(use_threads=False)
        if millis.num_rows != pq.ParquetFile(native).metadata.num_rows:
            raise CorruptFileError("The file does not hold the rows that its footer says", file=file)
        read = []
        for place, column in enumerate(file_schema.columns):
            if place in columns:
                pairs = zip(millis.column(place), nanos.column(place), strict=True)
                read.append([file_value(one, other, column) for one, other in pairs])
            else:
                read.append([None] * millis.num_rows)
        return [tuple(values[i] for values in read) for i in range(millis.num_rows)]


def file_value(scalar: pa.Scalar, nanos: pa.Scalar, column: FileColumn) -> Any:
    """The plain value of an Arrow scalar; `nanos` is the same one where int96 was read as nanoseconds."""
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
    """The plain value of a scalar that is not null."""
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
