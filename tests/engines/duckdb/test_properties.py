"""duckdb == rows, whatever the schema, the data, the evolution and the file's manners."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import projector
from projector.engines.plain_rows import from_plain_rows, to_plain_rows
from projector.errors import ProjectionError
from projector.planning.filters.bind import bind
from tests.engines.reading import assert_same
from tests.planning.filters import TYPES, filters, schema_of, values
from tests.strategies import evolutions, parquet_files, promotions_of, rows_of, schemas

SLOW = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.function_scoped_fixture,
    ],
)


@SLOW
@given(st.data())
def test_duckdb_gives_what_rows_gives(tmp_path: Path, data: st.DataObject) -> None:
    schema = data.draw(schemas())
    paths = []
    for i in range(data.draw(st.integers(1, 3))):
        path = tmp_path / f"f[{i}]*? ';.parquet"
        path.write_bytes(data.draw(parquet_files(schema, data.draw(rows_of(schema)))))
        paths.append(str(path))
    evolved = data.draw(evolutions(schema))
    scan = projector.read_files(paths, schema=evolved)
    try:
        expected = scan.to_arrow(engine="rows")
    except ProjectionError:  # a date out of the range of the timestamps that it became
        with pytest.raises(ProjectionError) as caught:
            scan.to_arrow(engine="duckdb")
        # Files come in the order of their shapes: the error is what the oracle says of the file that it names.
        assert caught.value.file is not None
        with pytest.raises(ProjectionError) as alone:
            projector.read_files(caught.value.file, schema=evolved).to_arrow(engine="rows")
        assert str(caught.value) == str(alone.value)
        return
    found = scan.to_arrow(engine="duckdb")
    assert found.schema.equals(expected.schema, check_metadata=True)
    found.validate(full=True)
    assert_same_in_any_order(to_plain_rows(found, evolved), to_plain_rows(expected, evolved))


def assert_same_in_any_order(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert_same(sorted(found, key=repr), sorted(expected, key=repr))


@SLOW
@given(st.data())
def test_a_filter_gives_the_rows_that_it_gives_after_a_full_read(tmp_path: Path, data: st.DataObject) -> None:
    iceberg_type = data.draw(st.sampled_from(TYPES))
    schema = schema_of(iceberg_type)
    requested = schema_of(data.draw(st.sampled_from((iceberg_type, *promotions_of(iceberg_type)))))
    present = st.none() | values(iceberg_type)
    rows = data.draw(
        st.lists(st.fixed_dictionaries({"c": present, "s": st.none() | st.fixed_dictionaries({"x": present})}))
    )
    path = tmp_path / "f.parquet"
    table = pa.Table.from_batches([from_plain_rows(rows, schema)])
    pq.write_table(table, path, row_group_size=data.draw(st.sampled_from((1, 3, 1000))), store_schema=False)
    scan = projector.read_files(path, schema=requested)
    bound = bind(data.draw(filters(requested.fields[0].field_type)), requested)
    scan = replace(scan, row_filter=bound)
    try:
        expected = scan.to_arrow(engine="rows")
    except ProjectionError:
        return  # a date out of the range of timestamps, in a row that DuckDB may have skipped
    found = scan.to_arrow(engine="duckdb")
    assert_same(to_plain_rows(found, requested), to_plain_rows(expected, requested))
