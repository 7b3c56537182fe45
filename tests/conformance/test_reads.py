"""Every expected read of every table, through every engine."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import projector
from tests.conformance.cases import Expectation, binding
from tests.conformance.compare import assert_rows, assert_schema, contract_schema
from tests.conformance.engines import ENGINES
from tests.conformance.rulings import (
    MOVED_BESIDE,
    RULINGS,
    WRITTEN_AT,
    Refused,
    Rows,
)

READS = [expectation for expectation in binding() if expectation.query is None]
QUERIES = [expectation for expectation in binding() if expectation.query is not None]


def params(expectations: list[Expectation]) -> list[Any]:
    return [pytest.param(expectation, id=expectation.label) for expectation in expectations]


every_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES.keys())


def load(expectation: Expectation, tables: Path) -> Any:
    case = expectation.case
    beside = MOVED_BESIDE.get(case)
    path_map = {f"{WRITTEN_AT}/{case}/{beside}": str(tables / case / beside)} if beside else None
    return projector.load_table(str(tables / case / "table"), path_map=path_map)


def read(
    expectation: Expectation,
    tables: Path,
    engine: Callable[[Any], pa.Table],
    selected_fields: tuple[str, ...] = ("*",),
) -> tuple[Any, pa.Table, list[str]]:
    """The table, the rows that were read, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = load(expectation, tables)
        if expectation.ref is not None:
            scan = table.scan(ref=expectation.ref, selected_fields=selected_fields)
        else:
            scan = table.scan(snapshot_id=expectation.snapshot_id, selected_fields=selected_fields)
        result = engine(scan)
    return table, result, [str(warning.message) for warning in caught]


@every_engine
@pytest.mark.parametrize("expectation", params(READS))
def test_read(expectation: Expectation, engine: Callable[[Any], pa.Table], tables: Path) -> None:
    ruling = RULINGS.get(expectation.label)
    if isinstance(ruling, Refused):
        with pytest.raises(ruling.error) as caught:
            read(expectation, tables, engine)
        assert re.search(ruling.says, str(caught.value))
        assert "\n" not in str(caught.value)
        return

    table, result, warned = read(expectation, tables, engine)

    schema = table.schema(expectation.schema_id)
    assert_schema(result.schema, schema)
    if isinstance(ruling, Rows):
        names = [field.name for field in schema.fields]
        rows = [dict(zip(names, row, strict=True)) for row in ruling.rows]
        expected = pa.Table.from_pylist(rows, contract_schema(schema))
        assert ruling.warns is None or any(ruling.warns in message for message in warned)
    else:
        assert expectation.file is not None, "Java could not read this: rulings.py has to say what is right"
        expected = pq.read_table(tables / expectation.case / expectation.file)
    assert_rows(result, expected)


@every_engine
@pytest.mark.parametrize("expectation", params(QUERIES))
def test_reserved_columns(expectation: Expectation, engine: Callable[[Any], pa.Table], tables: Path) -> None:
    expected = pq.read_table(tables / expectation.case / str(expectation.file))
    names = tuple("_file" if name == "file_name" else name for name in expected.column_names)
    _, result, _ = read(expectation, tables, engine, names)
    result = result.select(names)
    if "_file" in names:
        last = [path.rsplit("/", 1)[-1] for path in result.column("_file").to_pylist()]
        result = result.set_column(names.index("_file"), "file_name", pa.array(last))
    assert_rows(result, expected)


@every_engine
def test_columns_beside_a_variant_are_read(engine: Callable[[Any], pa.Table], tables: Path) -> None:
    (expectation,) = (read for read in READS if read.case == "variant")
    _, result, _ = read(expectation, tables, engine, ("id", "n"))
    assert expectation.file is not None
    assert_rows(result, pq.read_table(tables / "variant" / expectation.file).select(["id", "n"]))
