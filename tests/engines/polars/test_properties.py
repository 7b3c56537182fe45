"""polars == rows, whatever the schema, the data, the evolution and the file's manners."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import projector
from projector.engines.plain_rows import to_plain_rows
from projector.engines.polars.native_choice import native
from projector.errors import ProjectionError
from projector.schema.schema import Schema
from tests.engines.reading import assert_same
from tests.strategies import evolutions, parquet_files, rows_of, schemas

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


def scan_of(paths: list[str], schema: Schema) -> Any:
    return projector.read_files(paths, schema=schema)


@SLOW
@given(st.data())
def test_polars_gives_what_rows_gives(tmp_path: Path, data: st.DataObject) -> None:
    schema = data.draw(schemas())
    paths = []
    for i in range(data.draw(st.integers(1, 3))):
        path = tmp_path / f"f[{i}]*?.parquet"
        path.write_bytes(data.draw(parquet_files(schema, data.draw(rows_of(schema)))))
        paths.append(str(path))
    evolved = data.draw(evolutions(schema))
    scan = scan_of(paths, evolved)
    try:
        expected = scan.to_arrow(engine="rows")
    except ProjectionError:  # a date out of the range of the timestamps that it became
        with pytest.raises(ProjectionError, match=r"of type date as timestamp.*out of range"):
            scan.to_arrow(engine="polars")
        return
    with native(data.draw(st.booleans())):
        found = scan.to_arrow(engine="polars")
    assert found.schema.equals(expected.schema, check_metadata=True)
    found.validate(full=True)
    assert_same_in_any_order(to_plain_rows(found, evolved), to_plain_rows(expected, evolved))


def assert_same_in_any_order(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert_same(sorted(found, key=repr), sorted(expected, key=repr))
