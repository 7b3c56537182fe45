"""Filters on a whole column pass exactly the values that pass one by one."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projector.check.values.filters.candidates import cheap_filters_on, filter_terms, filters_on
from projector.check.values.filters.passing import passing
from projector.check.values.leaf_values import Collector
from projector.engines.plain_rows import from_plain_rows
from projector.planning.filters.evaluate import evaluate_value
from projector.schema.schema import Schema
from projector.schema.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
)
from tests.strategies import field_values

KINDS = (
    BooleanType(), LongType(), FloatType(), DoubleType(), DecimalType(9, 2), DateType(), StringType(), TimestampType(),
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_every_filter_that_is_tried(data: st.DataObject) -> None:
    field = NestedField(1, "a", data.draw(st.sampled_from(KINDS)))
    columns = Schema((field,))
    values: list[Any] = data.draw(st.lists(field_values(field), max_size=20))
    batch = from_plain_rows([{"a": value} for value in values], columns)
    (term,) = filter_terms(columns)
    collector = Collector.of(term, columns)
    collector.add(batch)
    found = collector.values
    present = [v for v in values if v is not None and v == v]
    assert set(found.some) <= set(present)
    assert (found.some[:1], found.some[-1:]) == ((min(present),), (max(present),)) if present else not found.some
    assert found.nulls == (None in values)
    assert found.nan == any(isinstance(v, float) and math.isnan(v) for v in values)
    for each in (*filters_on(term, None, found, promoted=True), *cheap_filters_on(term, None, found, promoted=True)):
        expected = [evaluate_value(each, value) is True for value in values]
        assert passing(each, batch.column(0)).to_pylist() == expected, str(each)


def test_a_leaf_below_a_null_struct_is_null() -> None:
    struct = pa.StructArray.from_arrays([pa.array([1, 2])], ["x"], mask=pa.array([False, True]))
    batch = pa.RecordBatch.from_arrays([struct], ["s"])
    (term,) = filter_terms(_nested())
    assert Collector.of(term, _nested()).leaf(batch).to_pylist() == [1, None]


def _nested() -> Schema:
    from tests.check.tables import schema

    return schema("1 s {2 x long}")


def test_nan_is_greater_than_every_other_value() -> None:
    from projector.planning.filters.expressions import BoundComparison, Op
    from tests.check.tables import schema

    (term,) = filter_terms(schema("1 a double"))
    column = pa.array([1.0, math.nan, None, -0.0])
    found = {op: passing(BoundComparison(op, term, 0.0), column).to_pylist() for op in Op}
    assert found[Op.GT] == [True, True, False, False]
    assert found[Op.GE] == [True, True, False, True]
    assert found[Op.LT] == [False, False, False, False]
    assert found[Op.LE] == [False, False, False, True]
    assert found[Op.EQ] == [False, False, False, True]
    assert found[Op.NE] == [True, True, False, False]
