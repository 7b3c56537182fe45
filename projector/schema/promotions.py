"""The one table of type promotions (spec: Schema Evolution), as data.

The reader, `UpdateSchema`, the bound decoder, the checker and the documentation all read `PROMOTIONS`.

The spec leaves two questions open:

- `unknown` to *any type*: the table is about primitive types, and evolving a primitive to a struct is forbidden a few
  lines below it, so here "any" is every type without child fields, variant included. Java has no such promotion yet.
- partition transforms: the spec forbids a promotion that changes a transform's result and names `date` to `timestamp`
  and `timestamp_ns`. For those `bucket` hashes another number and `identity` stores another one (days before,
  microseconds after); `year`, `month`, `day` and `void` give what they gave before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from projector.errors import InvalidMetadataError, ProjectionError
from projector.schema.iso_text import MICROS_PER_SECOND, NANOS_PER_SECOND, SECONDS_PER_DAY
from projector.schema.types import (
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    PrimitiveType,
    TimestampNanoType,
    TimestampType,
    UnknownType,
)


@dataclass(frozen=True, slots=True)
class Promotion:
    """One row of the table.

    Parameters
    ----------
    from_type, to_type:
        The kinds of types. `PrimitiveType` as `to_type` stands for every type without child fields.
    since_format_version:
        First format version that allows it.
    kept_transforms:
        Names of the partition transforms that give the same value after the promotion; None if all of them do.
    requirement:
        What else must hold, in words; empty if nothing must.
    """

    from_type: type[IcebergType]
    to_type: type[IcebergType]
    since_format_version: int
    kept_transforms: frozenset[str] | None = None
    requirement: str = ""

    def keeps(self, transform: str) -> bool:
        """Return whether a partition transform, spelled as in metadata (`bucket[16]`), keeps its values."""
        return self.kept_transforms is None or transform.partition("[")[0] in self.kept_transforms

    def __str__(self) -> str:
        return f"{_NAMES[self.from_type]} to {_NAMES[self.to_type]}"


_NAMES: dict[type[IcebergType], str] = {
    UnknownType: "unknown",
    IntegerType: "int",
    LongType: "long",
    FloatType: "float",
    DoubleType: "double",
    DecimalType: "decimal",
    DateType: "date",
    TimestampType: "timestamp",
    TimestampNanoType: "timestamp_ns",
    PrimitiveType: "any primitive type",
}

_CALENDAR_TRANSFORMS = frozenset({"year", "month", "day", "void"})
_IN_RANGE = "values outside the range of the new type are an error when they are read"

PROMOTIONS: tuple[Promotion, ...] = (
    Promotion(IntegerType, LongType, 1),
    Promotion(FloatType, DoubleType, 1),
    Promotion(DecimalType, DecimalType, 1, requirement="a higher precision and the same scale"),
    Promotion(DateType, TimestampType, 3, _CALENDAR_TRANSFORMS, _IN_RANGE),
    Promotion(DateType, TimestampNanoType, 3, _CALENDAR_TRANSFORMS, _IN_RANGE),
    Promotion(UnknownType, PrimitiveType, 3, requirement="every value so far is null, so the field stays optional"),
)
"""The promotions of the spec, the older ones first."""


def promotion(from_type: IcebergType, to_type: IcebergType, format_version: int) -> Promotion | None:
    """Return the promotion from one type to another, or None if the spec has none at this format version.

    Equal types are not a promotion.
    """
    if from_type == to_type:
        return None
    for row in PROMOTIONS:
        kinds_match = isinstance(from_type, row.from_type) and isinstance(to_type, row.to_type)
        if kinds_match and row.since_format_version <= format_version and _parameters_fit(from_type, to_type):
            return row
    return None


def _parameters_fit(from_type: IcebergType, to_type: IcebergType) -> bool:
    match from_type, to_type:
        case DecimalType(), DecimalType():
            return from_type.scale == to_type.scale and from_type.precision < to_type.precision
        case _:
            return True


def is_promotion_allowed(from_type: IcebergType, to_type: IcebergType, format_version: int) -> bool:
    """Return whether the spec has a promotion between two types at this format version. False for equal types."""
    return promotion(from_type, to_type, format_version) is not None


def promotions_from(from_type: IcebergType, format_version: int) -> Iterator[Promotion]:
    """Return the promotions that a type has at a format version, for hints."""
    return (r for r in PROMOTIONS if isinstance(from_type, r.from_type) and r.since_format_version <= format_version)


_TICKS_PER_DAY = {
    TimestampType: SECONDS_PER_DAY * MICROS_PER_SECOND,
    TimestampNanoType: SECONDS_PER_DAY * NANOS_PER_SECOND,
}


def promote_value(value: Any, from_type: IcebergType, to_type: IcebergType) -> Any:
    """Return a plain value of one type as a plain value of the type it is promoted to; None stays None.

    Raises `ProjectionError` if the value is out of the new type's range, and `InvalidMetadataError` if no format
    version has a promotion from one type to the other.
    """
    if value is None or from_type == to_type:
        return value
    row = promotion(from_type, to_type, 3)
    if row is None or row.from_type is UnknownType:
        raise InvalidMetadataError(f"Cannot promote a value from {from_type} to {to_type}: no such promotion")
    ticks_per_day = _TICKS_PER_DAY.get(type(to_type))  # type: ignore[arg-type]
    if ticks_per_day is None:
        return value
    promoted = value * ticks_per_day
    if not -(2**63) <= promoted < 2**63:
        raise ProjectionError(f"Cannot promote date {value} (days from 1970-01-01) to {to_type}: out of range")
    return promoted
