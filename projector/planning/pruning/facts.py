"""What is known of a column's values in a file, a row group, a partition or a manifest, from any source.

Partition values, manifest-list summaries, column bounds and counts, Parquet statistics and constants of absent columns
all become `Facts`; one evaluator (`projector.planning.pruning.outcomes`) then decides filters over them. Facts only
ever widen: what is missing, impossible, inverted or of the wrong kind becomes "unknown", never a reason to skip rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

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


@dataclass(frozen=True, slots=True)
class Facts:
    """What the values of one column can be.

    Parameters
    ----------
    has_value, has_null, has_nan:
        Whether there can be values other than null and NaN, nulls, and NaNs.
    lower, upper:
        Plain values that bound all values but NaN; None if unknown. They need not occur themselves.
    upper_is_prefix:
        Values may also start with `upper` and be longer: it was truncated and not rounded up.
    test:
        Returns whether one value can occur, for what an interval cannot express, such as a bucket; None if unknown.
    """

    has_value: bool = True
    has_null: bool = True
    has_nan: bool = True
    lower: Any = None
    upper: Any = None
    upper_is_prefix: bool = False
    test: Callable[[Any], bool] | None = None

    @property
    def is_single_value(self) -> bool:
        """Return whether all values but nulls and NaNs are equal."""
        return self.lower is not None and bool(self.lower == self.upper) and not self.upper_is_prefix

    def may_reach(self, value: Any, or_equal: bool) -> bool:
        """Return whether a value above the given one can occur."""
        if self.upper is None:
            return True
        if self.upper_is_prefix:
            return bool(value[: len(self.upper)] <= self.upper)
        return bool(self.upper >= value if or_equal else self.upper > value)

    def may_sink(self, value: Any, or_equal: bool) -> bool:
        """Return whether a value below the given one can occur."""
        if self.lower is None:
            return True
        return bool(self.lower <= value if or_equal else self.lower < value)

    def may_hold(self, value: Any) -> bool:
        """Return whether the given value can occur."""
        return (
            self.has_value
            and self.may_sink(value, or_equal=True)
            and self.may_reach(value, or_equal=True)
            and (self.test is None or self.test(value))
        )


UNKNOWN = Facts()
ONLY_NULL = Facts(has_value=False, has_null=True, has_nan=False)
NOTHING = Facts(has_value=False, has_null=False, has_nan=False)
"""The facts of a column in zero rows."""

_CLASSES: dict[type[IcebergType], type] = {
    BooleanType: bool,
    IntegerType: int,
    LongType: int,
    FloatType: float,
    DoubleType: float,
    DecimalType: Decimal,
    DateType: int,
    TimeType: int,
    TimestampType: int,
    TimestamptzType: int,
    TimestampNanoType: int,
    TimestamptzNanoType: int,
    StringType: str,
    UUIDType: UUID,
    FixedType: bytes,
    BinaryType: bytes,
}
_CUT_LENGTH = 16
"""The length to which writers truncate strings and binaries by default. Some do not round a truncated upper bound up,
so
a bound of this length is not taken to be above the strings that start with it.
"""


def is_floating(iceberg_type: IcebergType) -> bool:
    """Return whether values of the type can be NaN."""
    return isinstance(iceberg_type, (FloatType, DoubleType))


def constant(value: Any, null_parents: bool = False) -> Facts:
    """Return the facts of a column with one plain value in every row, or null where it lies in a null struct."""
    if value is None:
        return ONLY_NULL
    if isinstance(value, float) and math.isnan(value):
        return Facts(has_value=False, has_null=null_parents, has_nan=True)
    return Facts(has_null=null_parents, has_nan=False, lower=value, upper=value)


def bounded(iceberg_type: IcebergType, lower: Any, upper: Any, *, has_null: bool = True, has_nan: bool = True) -> Facts:
    """Return facts from bounds, if they make sense for the type."""
    has_nan = has_nan and is_floating(iceberg_type)
    low, high = _sane(lower, iceberg_type), _sane(upper, iceberg_type)
    if isinstance(iceberg_type, UUIDType):
        return _uuid_bounded(low, high, has_null)
    if low is not None and high is not None and low > high:
        low = high = None
    cut = isinstance(high, (str, bytes)) and _length(high) >= _CUT_LENGTH
    return Facts(has_null=has_null, has_nan=has_nan, lower=low, upper=high, upper_is_prefix=cut)


def _length(value: str | bytes) -> int:
    return len(value.encode("utf-8", "surrogatepass")) if isinstance(value, str) else len(value)


def _sane(value: Any, iceberg_type: IcebergType) -> Any:
    """Return the value if it is a plain value of the type and not NaN, else None."""
    wanted = _CLASSES.get(type(iceberg_type))
    if wanted is None or not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        return None
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0
    if isinstance(value, Decimal) and not value.is_finite():
        return None
    return value


def _signed(value: UUID) -> tuple[int, int]:
    """Return the key by which Java's `UUID.compareTo` orders: two signed halves."""
    half, whole = 1 << 63, 1 << 64
    return ((value.int >> 64) + half) % whole, (value.int % whole + half) % whole


def _uuid_bounded(low: UUID | None, high: UUID | None, has_null: bool) -> Facts:
    """Return facts from bounds of uuids: Parquet orders them by bytes, Java's partition summaries by signed halves."""
    if low is None or high is None or (low > high and _signed(low) > _signed(high)):
        return Facts(has_null=has_null, has_nan=False)
    if low == high:
        return Facts(has_null=has_null, has_nan=False, lower=low, upper=high)

    def within(value: UUID) -> bool:
        return low <= value <= high or _signed(low) <= _signed(value) <= _signed(high)

    return Facts(has_null=has_null, has_nan=False, test=within)


def meet(one: Facts, other: Facts) -> Facts:
    """Return the facts that follow from two. If they contradict each other, nothing is known of the column's values."""
    low = other.lower if one.lower is None or (other.lower is not None and other.lower > one.lower) else one.lower
    if one.upper is None or (other.upper is not None and other.upper < one.upper):
        high, cut = other.upper, other.upper_is_prefix
    else:
        high, cut = one.upper, one.upper_is_prefix
    met = Facts(
        has_value=one.has_value and other.has_value,
        has_null=one.has_null and other.has_null,
        has_nan=one.has_nan and other.has_nan,
        lower=low,
        upper=high,
        upper_is_prefix=cut,
        test=_both_tests(one.test, other.test),
    )
    if low is not None and not met.may_reach(low, or_equal=True):
        met = replace(met, lower=None, upper=None, upper_is_prefix=False)
    return met if met.has_value or met.has_null or met.has_nan else UNKNOWN


def _both_tests(one: Callable[[Any], bool] | None, other: Callable[[Any], bool] | None) -> Callable[[Any], bool] | None:
    if one is None or other is None:
        return one or other
    return lambda value: one(value) and other(value)
