"""arrow == rows, whatever the schema, the data, the evolution and the file's manners."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projector.engines.deletes.positions import DeletedPositions
from projector.engines.plain_rows import from_plain_rows, same_value, to_plain_rows
from projector.engines.reference.project import read_rows
from projector.errors import ProjectionError
from projector.projection.plan import Binding
from projector.schema import reserved
from projector.schema.schema import Schema
from projector.schema.types import LongType, NestedField
from tests.engines.reading import FILE, assert_same, plan_of, read_arrow
from tests.strategies import evolutions, parquet_files, rows_of, schemas

SLOW = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


@SLOW
@given(st.data())
def test_plain_rows_survive_arrow(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    rows = data.draw(rows_of(schema))
    assert_same(to_plain_rows(from_plain_rows(rows, schema), schema), rows)


@SLOW
@given(st.data())
def test_a_file_read_under_its_own_schema_gives_what_was_written(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    rows = data.draw(rows_of(schema))
    file = data.draw(parquet_files(schema, rows))
    plan = plan_of(file, schema)
    batch_size = data.draw(st.sampled_from((1, 2, 3, 1000)))
    assert_same(to_plain_rows(read_arrow(plan, file, batch_size=batch_size), schema), rows)
    assert_same(read_rows(plan, pa.BufferReader(file), Binding(FILE)), rows)


@settings(SLOW, max_examples=100)
@given(st.data())
def test_arrow_gives_what_rows_gives(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    rows = data.draw(rows_of(schema))
    file = data.draw(parquet_files(schema, rows))
    evolved = data.draw(evolutions(schema))
    if data.draw(st.booleans()):
        evolved = Schema((*evolved.fields, NestedField(reserved.POS, "_pos", LongType())))
    plan = plan_of(file, evolved)
    assert not plan.failures, plan.failures
    batch_size = data.draw(st.sampled_from((1, 2, 3, 1000)))
    gone = data.draw(st.one_of(st.none(), st.lists(st.integers(0, 12), unique=True).map(sorted)))
    selection = None if gone is None else DeletedPositions(pa.array(gone, pa.int64()))
    try:
        expected = read_rows(plan, pa.BufferReader(file), Binding(FILE), selection=selection)
    except ProjectionError:  # a date out of the range of the timestamps that it became
        with pytest.raises(ProjectionError, match=r"of type date as timestamp.*out of range"):
            read_arrow(plan, file, batch_size=batch_size, selection=selection)
        return
    found = to_plain_rows(read_arrow(plan, file, batch_size=batch_size, selection=selection), evolved)
    assert_same(found, expected)


@settings(SLOW, max_examples=30)
@given(st.data())
def test_row_groups_read_apart_are_the_file(data: st.DataObject) -> None:
    schema = data.draw(schemas(depth=2, most=3))
    rows = data.draw(rows_of(schema))
    file = data.draw(parquet_files(schema, rows))
    requested = Schema((*schema.fields, NestedField(reserved.POS, "_pos", LongType())))
    plan = plan_of(file, requested)
    count = pq.ParquetFile(pa.BufferReader(file)).num_row_groups
    chosen = data.draw(st.lists(st.integers(0, count - 1), unique=True).map(sorted)) if count else []
    whole = to_plain_rows(read_arrow(plan, file), requested)
    apart = [row for i in chosen for row in to_plain_rows(read_arrow(plan, file, row_groups=[i]), requested)]
    together = to_plain_rows(read_arrow(plan, file, row_groups=chosen), requested)
    assert_same(together, apart)
    assert all(same_value(row, whole[row["_pos"]]) for row in together)
