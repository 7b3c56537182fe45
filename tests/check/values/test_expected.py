"""What rows must be after a change: the row oracle, reading the same file under the schema after it, is the judge."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from projector.check.values.expected import expected_columns
from projector.check.values.proof import proved_columns
from projector.engines.arrow.project import make_batch
from projector.engines.plain_rows import from_plain_rows, to_plain_rows
from projector.engines.reference.project import read_rows
from projector.errors import ProjectionError
from projector.projection.plan import Binding
from projector.schema.arrow_schema import arrow_schema
from tests.check.tables import schema
from tests.engines.reading import FILE, assert_same, plan_of
from tests.strategies import evolutions, parquet_files, rows_of, schemas


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_columns_after_any_evolution(data: st.DataObject) -> None:
    before = data.draw(schemas())
    rows = data.draw(rows_of(before))
    file = data.draw(parquet_files(before, rows))
    after = data.draw(evolutions(before))
    try:
        oracle = read_rows(plan_of(file, after), pa.BufferReader(file), Binding(FILE))
    except ProjectionError:  # a date that no timestamp holds
        assume(False)
    found = expected_columns(from_plain_rows(rows, before).columns, len(rows), before, after)
    assert_same(to_plain_rows(make_batch(found, arrow_schema(after), len(rows)), after), oracle)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_what_is_proved_to_stay_stays(data: st.DataObject) -> None:
    before = data.draw(schemas())
    rows = data.draw(rows_of(before))
    file = data.draw(parquet_files(before, rows))
    after = data.draw(evolutions(before))
    plans = plan_of(file, before), plan_of(file, after)
    try:
        was, now = (read_rows(plan, pa.BufferReader(file), Binding(FILE)) for plan in plans)
    except ProjectionError:  # a date that no timestamp holds
        assume(False)
    for field_id in proved_columns(*plans):
        name, new_name = (each.fields_by_id[field_id].name for each in (before, after))
        assert_same([_nameless(row[new_name]) for row in now], [_nameless(row[name]) for row in was])


def _nameless(value: Any) -> Any:
    """A plain value without the names of structs' fields, which a change may alter."""
    match value:
        case dict():
            return tuple(_nameless(inner) for inner in value.values())
        case list() | tuple():
            return [_nameless(inner) for inner in value]
        case _:
            return value


@pytest.mark.parametrize(("day", "micros"), [(0, 0), (-1, -86_400_000_000), (106_751_991, 9_223_372_022_400_000_000)])
def test_a_date_becomes_the_start_of_its_day(day: int, micros: int) -> None:
    before, after = schema("1 d date"), schema("1 d timestamp")
    (found,) = expected_columns(from_plain_rows([{"d": day}], before).columns, 1, before, after)
    assert found.view(pa.int64()).to_pylist() == [micros]


@pytest.mark.parametrize("day", [106_751_992, -106_751_992])
def test_a_date_out_of_range_becomes_nothing(day: int) -> None:
    before, after = schema("1 d date"), schema("1 d timestamp")
    (found,) = expected_columns(from_plain_rows([{"d": day}], before).columns, 1, before, after)
    assert found.to_pylist() == [None]
