"""Recognize Parquet types that files may hold under an Iceberg type although Iceberg does not write them."""

from __future__ import annotations

from dataclasses import dataclass

from projector.files.parquet.file_schema import FileKind, FileLeaf, TimeUnit
from projector.schema.types import (
    BinaryType,
    DoubleType,
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


@dataclass(frozen=True, slots=True)
class Foreign:
    """A stored type that Iceberg does not write.

    Parameters
    ----------
    stored:
        The type, as text.
    matters:
        Whether readers are known to differ; otherwise it is only worth knowing.
    feature:
        Its name in the portability table, if it is there.
    facts:
        Further facts.
    """

    stored: str
    matters: bool = True
    feature: str | None = None
    facts: tuple[str, ...] = ()


def foreign_type(leaf: FileLeaf, requested: IcebergType) -> Foreign | None:
    """Return what is foreign in a leaf that can be read as a type (spec: Appendix A, Parquet); None if nothing is."""
    stored = str(leaf)
    match leaf.kind, requested:
        case FileKind.INTEGER, IntegerType() | LongType() if not leaf.signed and leaf.bits in (32, 64):
            return Foreign(stored, facts=("a value that does not fit is an error when it is read",))
        case FileKind.INTEGER, IntegerType() | LongType() if leaf.bits in (8, 16):
            return Foreign(stored)
        case FileKind.FLOAT16, FloatType() | DoubleType():
            return Foreign(stored)
        case FileKind.INT96, _:
            return Foreign(stored, matters=False, facts=("what is finer than the unit of the column is an error",))
        case FileKind.TIMESTAMP, TimestampType() | TimestamptzType() | TimestampNanoType() | TimestamptzNanoType():
            return _timestamp(leaf, requested)
        case FileKind.TIME, TimeType() if leaf.unit is not TimeUnit.MICROS:
            return Foreign(stored)
        case FileKind.BYTES, StringType():
            return Foreign("bytes without annotation", facts=("bytes that are not UTF-8 are an error",))
        case ((FileKind.ENUM | FileKind.JSON), StringType()):
            return Foreign(stored, matters=False)
        case ((FileKind.STRING | FileKind.ENUM | FileKind.JSON | FileKind.BSON), BinaryType()):
            return Foreign(stored, matters=False)
        case FileKind.FIXED, UUIDType():
            return Foreign("fixed[16]", matters=False)
        case FileKind.DECIMAL, _ if leaf.physical == "byte_array":
            return Foreign(stored, matters=False)
        case _:
            return None


def _timestamp(leaf: FileLeaf, requested: IcebergType) -> Foreign | None:
    in_nanos = isinstance(requested, TimestampNanoType | TimestamptzNanoType)
    with_zone = isinstance(requested, TimestamptzType | TimestamptzNanoType)
    if leaf.unit is not (TimeUnit.NANOS if in_nanos else TimeUnit.MICROS):
        feature = {TimeUnit.MILLIS: "millisecond-timestamp", TimeUnit.NANOS: "nanosecond-file"}
        return Foreign(str(leaf), feature=feature.get(leaf.unit) if leaf.unit is not None else None)
    if leaf.utc is not with_zone:
        return Foreign(f"timestamp {'adjusted to UTC' if leaf.utc else 'without zone'}", feature="utc-flag")
    return None
