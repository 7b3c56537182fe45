"""The mask of a batch says of every row what the row evaluator says, and what Polars and DuckDB say."""

from __future__ import annotations

import math
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projector.engines.arrow.filter import mask
from projector.planning.filters.bind import bind
from projector.planning.filters.evaluate import evaluate_row
from projector.planning.filters.expressions import FALSE, NULL, TRUE
from projector.planning.filters.parser import parse_filter
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
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
from tests.planning import filters

_ARROW = {
    BooleanType(): pa.bool_(),
    IntegerType(): pa.int32(),
    LongType(): pa.int64(),
    FloatType(): pa.float32(),
    DoubleType(): pa.float64(),
    DecimalType(4, 2): pa.decimal128(4, 2),
    DecimalType(38, 38): pa.decimal128(38, 38),
    DateType(): pa.date32(),
    TimeType(): pa.time64("us"),
    TimestampType(): pa.timestamp("us"),
    TimestamptzType(): pa.timestamp("us", "UTC"),
    TimestampNanoType(): pa.timestamp("ns"),
    TimestamptzNanoType(): pa.timestamp("ns", "UTC"),
    StringType(): pa.string(),
    UUIDType(): pa.uuid(),
    FixedType(2): pa.binary(2),
    BinaryType(): pa.binary(),
}


def _array(values, iceberg_type):
    arrow_type = _ARROW[iceberg_type]
    if isinstance(iceberg_type, UUIDType):
        storage = pa.array([None if v is None else v.bytes for v in values], pa.binary(16))
        return pa.ExtensionArray.from_storage(arrow_type, storage)
    if pa.types.is_temporal(arrow_type):
        return pa.array(values, pa.int32() if arrow_type == pa.date32() else pa.int64()).view(arrow_type)
    return pa.array(values, arrow_type)


def _batch(rows, iceberg_type):
    # a value lies under every null struct, as a writer may leave it
    inner = [r["s"]["x"] if r["s"] is not None else rows[0]["c"] for r in rows]
    structs = pa.StructArray.from_arrays(
        [_array(inner, iceberg_type)], ["x"], mask=pa.array([r["s"] is None for r in rows])
    )
    return pa.record_batch({"c": _array([r["c"] for r in rows], iceberg_type), "s": structs})


def _mask(bound, batch):
    def column(term):
        found = batch.column(term.path[0])
        for name in term.path[1:]:
            found = pc.struct_field(found, name)  # unlike StructArray.field it has the nulls of the struct
        return found.storage if isinstance(found, pa.ExtensionArray) else found

    return mask(bound, column, batch.num_rows)


@settings(deadline=None)
@given(st.data())
def test_mask_is_the_answer_of_every_row(data):
    iceberg_type = data.draw(st.sampled_from(filters.TYPES))
    rows = data.draw(st.lists(filters.rows(iceberg_type), min_size=1, max_size=6))
    bound = bind(data.draw(filters.filters(iceberg_type)), filters.schema_of(iceberg_type))
    batch = _batch(rows, iceberg_type)
    expected = [evaluate_row(bound, row) for row in rows]
    found = _mask(bound, batch)
    assert found.type == pa.bool_()
    assert found.to_pylist() == expected
    offset = data.draw(st.integers(0, len(rows)))
    assert _mask(bound, batch.slice(offset)).to_pylist() == expected[offset:]


_FLOATS = [1.0, math.nan, None, -0.0, math.inf, 0.0, 5.5]


@pytest.mark.parametrize(
    "text",
    ["c > 1", "c >= 1", "c < 1", "c <= 1", "c = 1", "c != 1", "c = 0", "c IN (0, 1)", "c NOT IN (0, 1)", "NOT c > 1"],
)
def test_nan_and_zero_are_those_of_duckdb_and_polars(text):
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    batch = pa.record_batch({"c": pa.array(_FLOATS)})
    bound = bind(parse_filter(text), filters.schema_of(DoubleType()))
    ours = _mask(bound, batch).to_pylist()
    floats = pa.Table.from_batches([batch])  # noqa: F841 - DuckDB finds it by its name
    assert ours == [row[0] for row in duckdb.sql(f"SELECT {text} FROM floats").fetchall()]
    frame = polars.DataFrame({"c": _FLOATS})
    theirs = polars.SQLContext(frame=frame, eager=True).execute(f"SELECT {text} AS m FROM frame")
    assert ours == theirs["m"].to_list()


def test_a_struct_that_is_null_makes_its_children_null():
    rows = [{"c": 1, "s": {"x": 1}}, {"c": 1, "s": None}, {"c": 1, "s": {"x": None}}]
    batch = _batch(rows, IntegerType())
    schema = filters.schema_of(IntegerType())
    for text, expected in {
        "s.x = 1": [True, None, None],
        "s.x != 1": [False, None, None],
        "s.x is null": [False, True, True],
        "s is null": [False, True, False],
        "s.x in (1, 2)": [True, None, None],
        "not s.x in (1, 2)": [False, None, None],
        "s.x < 3000000000": [True, None, None],
    }.items():
        assert _mask(bind(parse_filter(text), schema), batch).to_pylist() == expected, text


def test_constants_and_whole_batches():
    batch = _batch([{"c": 1, "s": None}, {"c": 2, "s": None}], IntegerType())
    assert _mask(TRUE, batch).to_pylist() == [True, True]
    assert _mask(FALSE, batch).to_pylist() == [False, False]
    assert _mask(NULL, batch).to_pylist() == [None, None]
    assert _mask(TRUE, batch.slice(0, 0)).to_pylist() == []


def test_uuid_nested():
    rows = [{"c": UUID(int=1), "s": {"x": UUID(int=2)}}, {"c": None, "s": None}]
    schema = filters.schema_of(UUIDType())
    bound = bind(parse_filter(f"s.x = '{UUID(int=2)}' and c < '{UUID(int=2**127)}'"), schema)
    assert _mask(bound, _batch(rows, UUIDType())).to_pylist() == [True, None]
