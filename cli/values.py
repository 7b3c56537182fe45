"""Convert Arrow columns exactly to values that JSON can hold: numbers that JSON cannot represent become text."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from projector.schema.iso_text import format_date, format_time, format_timestamp

if TYPE_CHECKING:
    import pyarrow as pa


def json_values(array: pa.Array) -> list[Any]:
    """Return the values of a column.

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
        zone, per_second = "+00:00" if kind.tz else "", 10**9 if kind.unit == "ns" else 10**6
        array = array.cast(pa.timestamp(kind.unit if kind.unit == "ns" else "us", kind.tz)).view(pa.int64())
        text = lambda value: format_timestamp(value, per_second) + zone  # noqa: E731 - one line a type
    elif pa.types.is_time64(kind):
        array, text = array.view(pa.int64()), format_time
    elif pa.types.is_date32(kind):
        array, text = array.view(pa.int32()), format_date
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
