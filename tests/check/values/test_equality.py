"""Arrow arrays are compared as plain values are: at every depth, with NaN, negative zero and nulls."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projector.check.values.differences import Tally, same_rows_in_any_order
from projector.check.values.equality import differing, same
from projector.engines.plain_rows import from_plain_rows, same_value
from tests.check.tables import schema
from tests.strategies import field_values, rows_of, schemas

NAN = math.nan
STRUCT = pa.struct([("a", pa.int32()), ("b", pa.string())])
LIST = pa.list_(pa.int32())
MAP = pa.map_(pa.string(), pa.float64())
DEEP = pa.list_(pa.struct([("m", pa.map_(pa.int32(), pa.list_(pa.float64())))]))


@pytest.mark.parametrize(
    ("kind", "one", "other", "expected"),
    [
        (pa.int32(), [1, None, 3], [1, None, 3], [False, False, False]),
        (pa.int32(), [1, None, 3], [2, 0, None], [True, True, True]),
        (pa.float64(), [NAN, 0.0, 1.0, NAN, None], [NAN, -0.0, 1.0, 1.0, NAN], [False, True, False, True, True]),
        (pa.float32(), [NAN, -0.0], [-NAN, -0.0], [False, False]),
        (pa.decimal128(9, 2), [Decimal("1.10"), None], [Decimal("1.11"), None], [True, False]),
        (pa.binary(2), [b"ab", b"cd"], [b"ab", b"ce"], [False, True]),
        (pa.bool_(), [True, False, None], [True, True, None], [False, True, False]),
        (pa.string(), ["", None], [None, ""], [True, True]),
        (pa.null(), [None], [None], [False]),
        (STRUCT, [None, {"a": None, "b": None}], [{"a": None, "b": None}, {"a": None, "b": None}], [True, False]),
        (STRUCT, [{"a": 1, "b": "x"}, None], [{"a": 1, "b": "y"}, None], [True, False]),
        (
            LIST,
            [None, [], [1], [1, 2], [1, None]],
            [[], [], [1, 1], [1, 3], [1, None]],
            [True, False, True, True, False],
        ),
        (LIST, [[1], [2, 3], [4]], [[1], [2, 3], [4]], [False, False, False]),
        (MAP, [[("a", 1.0), ("b", NAN)]], [[("a", 1.0), ("b", NAN)]], [False]),
        (MAP, [[("a", 1.0), ("b", 2.0)]], [[("b", 2.0), ("a", 1.0)]], [True]),
        (DEEP, [[{"m": [(1, [0.0])]}, None]], [[{"m": [(1, [-0.0])]}, None]], [True]),
        (DEEP, [[], [{"m": None}], [{"m": []}]], [[], [{"m": []}], [{"m": []}]], [False, True, False]),
    ],
)
def test_places_that_differ(kind: pa.DataType, one: list[Any], other: list[Any], expected: list[bool]) -> None:
    left, right = pa.array(one, kind), pa.array(other, kind)
    assert differing(left, right).to_pylist() == expected
    assert same(left, right) is not any(expected)
    # The same values in the middle of a longer array.
    inside = [pa.concat_arrays([right, each, left]).slice(len(right), len(left)) for each in (left, right)]
    assert differing(*inside).to_pylist() == expected
    assert same(*inside) is not any(expected)


def test_what_a_null_hides_does_not_count() -> None:
    hidden = [pa.array([1, 2], pa.int32()), pa.array([1, 7], pa.int32())]
    mask = pa.array([False, True])
    one, other = (pa.StructArray.from_arrays([child], ["a"], mask=mask) for child in hidden)
    assert same(one, other)
    assert differing(one, other).to_pylist() == [False, False]
    lists = [pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), child, mask=mask) for child in hidden]
    assert same(*lists)
    assert differing(*lists).to_pylist() == [False, False]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_one_value_changed_anywhere_is_found_where_it_is(data: st.DataObject) -> None:
    columns = data.draw(schemas())
    rows = data.draw(rows_of(columns))
    changed = [dict(row) for row in rows]
    if rows and columns.fields:
        field = data.draw(st.sampled_from(columns.fields))
        changed[data.draw(st.integers(0, len(rows) - 1))][field.name] = data.draw(field_values(field))
    one, other = from_plain_rows(rows, columns), from_plain_rows(changed, columns)
    for place, field in enumerate(columns.fields):
        expected = [not same_value(a[field.name], b[field.name]) for a, b in zip(rows, changed, strict=True)]
        assert differing(one.column(place), other.column(place)).to_pylist() == expected
        assert same(one.column(place), other.column(place)) is not any(expected)


def test_a_tally_says_what_differs_first_and_how_often() -> None:
    columns = schema("1 a int, 2 b string")

    def batch(*rows: tuple[Any, Any]) -> pa.RecordBatch:
        return from_plain_rows([{"a": a, "b": b} for a, b in rows], columns)

    tally = Tally(columns)
    for one, other in (
        (batch((1, "x"), (2, "y")), batch((1, "x"), (2, "y"))),
        (batch((3, "z"), (4, None)), batch((3, "z"), (5, None))),
        (batch((6, "u")), batch((7, "u"))),
    ):
        tally.add(one.columns, other.columns, one.num_rows)
    (difference,) = tally.differences()
    assert (difference.field_id, difference.path, difference.row, difference.count) == (1, "a", 3, 2)
    assert (difference.expected, difference.found) == ("4", "5")
    assert tally.suspects == [3, 4]
    assert next(tally.differences([10, 11, 12, 13, 14])).row == 13
    tally.add_missing(2)
    (rows,) = tally.differences()
    assert (rows.expected, rows.found, rows.count, rows.field_id) == ("7 rows", "5 rows", 2, None)


def test_rows_in_another_order_are_the_same_rows() -> None:
    columns = schema("1 a int, 2 s {3 x double, 4 l [5 int]}")
    rows = [{"a": i % 3, "s": {"x": i / 2, "l": [i]} if i % 4 else None} for i in range(12)]
    table = pa.Table.from_batches([from_plain_rows(rows, columns)])
    turned = pa.Table.from_batches([from_plain_rows(rows[::-1], columns)])
    assert same_rows_in_any_order(table, turned, columns)
    other = [*rows[:-1], {"a": rows[-1]["a"], "s": {"x": 5.5, "l": [99]}}]
    assert not same_rows_in_any_order(table, pa.Table.from_batches([from_plain_rows(other, columns)]), columns)
    assert not same_rows_in_any_order(table, table.slice(1), columns)


def test_rows_that_differ_in_lists_and_maps_alone_may_come_in_another_order() -> None:
    columns = schema("1 n float, 2 m <3 int!, 4 [5 int]>, 6 l [7 int]")
    rows = [{"n": None, "m": [(i, [i])] if i % 4 else None, "l": [i, None] if i % 3 else []} for i in range(12)]

    def table(rows: list[dict[str, Any]]) -> pa.Table:
        return pa.Table.from_batches([from_plain_rows(rows, columns)])

    assert same_rows_in_any_order(table(rows), table(rows[::-1]), columns)
    assert not same_rows_in_any_order(table(rows), table([*rows[:-1], {**rows[-1], "l": [99]}]), columns)
