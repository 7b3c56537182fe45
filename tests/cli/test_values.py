"""Arrow values as JSON can hold them."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest

from cli.values import json_values

STRUCT = pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string()))])
MAP = pa.map_(pa.string(), pa.float64())


@pytest.mark.parametrize(
    ("array", "values"),
    [
        (pa.array([1, None], pa.int64()), [1, None]),
        (pa.array([True, False]), [True, False]),
        (pa.array(["ü", ""]), ["ü", ""]),
        (pa.array([1.5, float("nan"), float("inf"), -float("inf")]), [1.5, "NaN", "Infinity", "-Infinity"]),
        (pa.array([Decimal("1.20"), Decimal("-0.00")], pa.decimal128(9, 2)), ["1.20", "0.00"]),
        (pa.array([Decimal("1E-7")], pa.decimal128(9, 7)), ["0.0000001"]),
        (pa.array([0, -719163], pa.date32()), ["1970-01-01", "0000-12-31"]),
        (pa.array([81068123456], pa.time64("us")), ["22:31:08.123456"]),
        (pa.array([0, -1], pa.timestamp("us")), ["1970-01-01T00:00:00", "1969-12-31T23:59:59.999999"]),
        (pa.array([1], pa.timestamp("ns", "UTC")), ["1970-01-01T00:00:00.000000001+00:00"]),
        (pa.array([b"\x00\xff", None]), ["00ff", None]),
        (pa.array([b"ab"], pa.binary(2)), ["6162"]),
        (pa.nulls(2), [None, None]),
        (
            pa.ExtensionArray.from_storage(pa.uuid(), pa.array([UUID(int=7).bytes, None], pa.binary(16))),
            ["00000000-0000-0000-0000-000000000007", None],
        ),
        (pa.array([{"a": 1, "b": ["x", None]}, None], STRUCT), [{"a": 1, "b": ["x", None]}, None]),
        (pa.array([[("k", 1.0)], [], None], MAP), [[{"key": "k", "value": 1.0}], [], None]),
        (pa.array([[[1], None], [], None], pa.list_(pa.list_(pa.int32()))), [[[1], None], [], None]),
        (pa.array([{}, None], pa.struct([])), [{}, None]),
    ],
)
def test_values(array: pa.Array, values: list[Any]) -> None:
    assert json_values(array) == values
    assert json_values(pa.concat_arrays([array, array]).slice(len(array))) == values
    json.dumps(json_values(array), allow_nan=False)
