"""Convert partition values of manifests to the type that the spec expects, whatever Avro type the writer chose.

Writers store a date as a plain int, a timestamp as a long, and a uuid, a fixed or a decimal as bytes. Java reads each
by the type that follows from the transform and its source column, and so does this module.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from projector.errors import InvalidMetadataError
from projector.schema.binary_values import unscaled_decimal
from projector.schema.promotions import promote_value
from projector.schema.types import (
    BinaryType,
    DateType,
    DecimalType,
    FixedType,
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

_TICKS = (TimeType, TimestampType, TimestamptzType, TimestampNanoType, TimestamptzNanoType)


def partition_value_as(value: Any, written: IcebergType, wanted: IcebergType) -> Any:
    """Return a partition value converted to a type; None stays None.

    Parameters
    ----------
    written:
        The type in the manifest's Avro schema.
    wanted:
        The type by the spec: that of the source column, for an identity or truncate transform.

    Raises `InvalidMetadataError` or `ProjectionError` if the value cannot be converted.
    """
    if value is None or written == wanted:
        return value
    match written, wanted:
        case IntegerType(), DateType():
            return value
        case IntegerType(), TimestampType() | TimestampNanoType():  # written before the date was promoted
            return promote_value(value, DateType(), wanted)
        case LongType(), _ if isinstance(wanted, _TICKS):
            return value
        case BinaryType() | FixedType(), BinaryType():
            return value
        case BinaryType() | FixedType(), FixedType(length) if len(value) == length:
            return value
        case BinaryType() | FixedType(), UUIDType() if len(value) == 16:
            return UUID(bytes=bytes(value))
        case BinaryType() | FixedType(), DecimalType(_, scale):
            return unscaled_decimal(int.from_bytes(value, "big", signed=True), scale)
        case BinaryType(), StringType():
            return _parsed(lambda: value.decode(), value, wanted)
        case StringType(), UUIDType():
            return _parsed(lambda: UUID(value), value, wanted)
    return promote_value(value, written, wanted)


def _parsed(parse: Any, value: Any, wanted: IcebergType) -> Any:
    try:
        return parse()
    except ValueError:
        raise InvalidMetadataError(f"The partition value {value!r} is not a {wanted}") from None
