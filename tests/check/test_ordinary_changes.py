"""Harmless changes raise no alarm: every table of the conformance suite, at levels schema and footers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import projector
from projector import UpdateSchema
from projector.check.report.report import Report
from projector.schema.schema import Schema
from projector.schema.types import DecimalType, IntegerType, LongType, MapType
from tests.conformance.cases import cases
from tests.conformance.conftest import tables  # noqa: F401 - the fixture
from tests.conformance.rulings import MOVED_BESIDE, WRITTEN_AT

NOT_CLEAN = {
    ("no_ids_no_mapping", "add"): ("R102", "Spark takes the fourth column of a file without ids for it, and fails"),
    ("eq_delete_promoted_decimal", "wider decimal"): ("T107", "live equality deletes compare the column"),
}
"""What is told of for a reason: the code and the reason, by table and change. Everything else is clean."""


NAMES = [case.name for case in cases()]


def in_map_key(schema: Schema, field_id: int) -> bool:
    while field_id in schema.parents_by_id:
        parent = schema.fields_by_id[schema.parents_by_id[field_id]].field_type
        if isinstance(parent, MapType) and parent.key_id == field_id:
            return True
        field_id = schema.parents_by_id[field_id]
    return False


def ordinary_changes(table: projector.Table) -> Iterator[tuple[str, UpdateSchema]]:
    """Adding an optional column, renaming, reordering, int to long, and a wider decimal, where the table has such."""
    metadata, schema = table.metadata, table.schema()
    sources = {i for spec in metadata.specs.values() for field in spec.fields for i in field.source_ids}
    paths = {i: path for i, path in schema.paths_by_id.items() if not in_map_key(schema, i)}

    def update() -> UpdateSchema:
        return UpdateSchema(format_version=metadata.format_version)

    yield "add", update().add_column("a_new_column", "string")
    top = schema.fields[-1]
    yield "rename", update().rename_column((top.name,), "a_new_name")
    if len(schema.fields) > 1:
        yield "reorder", update().move_first((top.name,))
    for field_id, path in paths.items():
        field = schema.fields_by_id[field_id]
        match field.field_type:
            case IntegerType() if field_id not in sources:
                yield "int to long", update().update_column_type(path, LongType())
                break
    for field_id, path in paths.items():
        match schema.fields_by_id[field_id].field_type:
            case DecimalType(precision, scale) if precision < 38 and field_id not in sources:
                yield "wider decimal", update().update_column_type(path, DecimalType(precision + 1, scale))
                break


def open_table(name: str, folder: Path) -> projector.Table:
    beside = MOVED_BESIDE.get(name)
    path_map = {f"{WRITTEN_AT}/{name}/{beside}": str(folder / name / beside)} if beside else None
    return projector.load_table(str(folder / name / "table"), path_map=path_map)


def reports(name: str, folder: Path, level: str, **how: Any) -> Iterator[tuple[str, Report]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = open_table(name, folder)
        for change, update in ordinary_changes(table):
            yield change, projector.check(table, update, level=level, **how)


@pytest.mark.parametrize("name", NAMES)
def test_ordinary_changes_are_clean(name: str, tables: Path) -> None:  # noqa: F811
    for level in ("schema", "footers"):
        for change, report in reports(name, tables, level):
            told = [f for f in report.deciding if f.severity != "info"]
            expected = NOT_CLEAN.get((name, change)) if level == "footers" else None
            found = {f.code for f in told}
            assert found == ({expected[0]} if expected else set()), [f"{f.code} {f.path}: {f.message}" for f in told]
            assert report.ok == all(f.severity != "error" for f in told)


AT_VALUES = (
    "decimals",
    "defaults_nested",
    "lists",
    "maps",
    "eq_delete",
    "name_mapping",
    "partition",
    "rename",
    "time_travel",
    "dv",
)


@pytest.mark.parametrize("name", sorted({n for n in NAMES if any(n.startswith(s) for s in AT_VALUES)}))
def test_values_are_clean(name: str, tables: Path) -> None:  # noqa: F811
    """Read with Arrow alone here; every engine is held to the suite's rows elsewhere."""
    for change, report in reports(name, tables, "values", engines=["spark"], sample=1):
        told = {f.code for f in report.deciding if f.severity != "info"}
        expected = NOT_CLEAN.get((name, change))
        assert told == ({expected[0]} if expected else set())


def test_the_share_that_is_clean(tables: Path) -> None:  # noqa: F811
    """99 of 100 ordinary changes of the suite's tables raise nothing above a note."""
    tried = 0
    for case in cases():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tried += sum(1 for _ in ordinary_changes(open_table(case.name, tables)))
    assert tried >= 400
    assert len(NOT_CLEAN) / tried <= 0.01
