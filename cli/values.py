"""Arrow columns as values that JSON can hold, exactly: what numbers of JSON cannot say is text."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, time, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    import pyarrow as pa

_DAY_SECONDS = 86_400
_FIRST_DAY = date(1970, 1, 1).toordinal()


def json_values(array: pa.Array) -> list[Any]:
    """The values of a column.

    Structs are objects, lists are arrays, maps are arrays of `{"key": ..., "value": ...}`. Decimals, dates, times,
    timestamps and UUIDs are text as in the spec's JSON single values; binary is hexadecimal text; NaN and the
    infinities are the texts `NaN`, `Infinity` and `-Infinity`.
    """
    import pyarrow as pa

    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == "arrow.uuid":
            return [None if value is None else str(UUID(bytes=value)) for value in array.storage.to_pylist()]
        return json_values(array.storage)
    if pa.types.is_struct(kind):
        names = [kind.field(i).name for i in range(kind.num_fields)]
        children = [json_values(array.field(i)) for i in range(kind.num_fields)]
        objects = (dict(zip(names, row, strict=True)) for row in zip(*children, strict=True))
        rows = list(objects) if names else [{} for _ in range(len(array))]
        return [row if ok else None for ok, row in zip(array.is_valid().to_pylist(), rows, strict=True)]
    if pa.types.is_map(kind):
        entries = zip(json_values(array.keys), json_values(array.items), strict=True)
        return _spans(array, [{"key": key, "value": value} for key, value in entries])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _spans(array, json_values(array.values))
    return _leaves(array)


def _spans(array: pa.Array, values: list[Any]) -> list[Any]:
    offsets = array.offsets.to_pylist()
    spans = zip(array.is_valid().to_pylist(), offsets, offsets[1:], strict=False)
    return [values[start:end] if ok else None for ok, start, end in spans]


def _leaves(array: pa.Array) -> list[Any]:
    import pyarrow as pa

    kind = array.type
    text: Callable[[Any], Any]
    if pa.types.is_timestamp(kind):
        digits = {"s": 0, "ms": 3, "us": 6, "ns": 9}[kind.unit]
        zone = "+00:00" if kind.tz else ""
        array, text = array.view(pa.int64()), lambda value: _timestamp(value, digits) + zone
    elif pa.types.is_time64(kind):
        array, text = array.view(pa.int64()), _time
    elif pa.types.is_date32(kind):
        array, text = array.view(pa.int32()), _day
    elif pa.types.is_decimal(kind):
        text = lambda value: format(value, "f")  # noqa: E731 - one line a type
    elif pa.types.is_floating(kind):
        text = _number
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        text = bytes.hex
    else:
        return list(array.to_pylist())
    return [None if value is None else text(value) for value in array.to_pylist()]


def _number(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def _day(days: int) -> str:
    """A date, also outside the years that Python's dates know."""
    try:
        return date.fromordinal(_FIRST_DAY + days).isoformat()
    except (ValueError, OverflowError):
        return _far_day(days)


def _far_day(days: int) -> str:
    # The calendar repeats every 400 years, which are 146,097 days: count in a year that Python knows.
    cycles, rest = divmod(days, 146_097)
    near = date.fromordinal(_FIRST_DAY + rest)
    year = near.year + 400 * cycles
    return f"{'-' if year < 0 else '+' if year > 9999 else ''}{abs(year):04}{near.isoformat()[4:]}"


def _time(microseconds: int) -> str:
    seconds, rest = divmod(microseconds, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return time(hour, minute, second, rest).isoformat("microseconds")


def _timestamp(value: int, digits: int) -> str:
    seconds, rest = divmod(value, 10**digits)
    days, second = divmod(seconds, _DAY_SECONDS)
    clock = str(timedelta(seconds=second)).zfill(8)
    return f"{_day(days)}T{clock}" + (f".{rest:0{digits}}" if digits else "")
