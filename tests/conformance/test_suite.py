"""The suite itself: the archive is whole, the rulings fit it, and the comparer sees what it should see."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from projector.schema import types as t
from projector.schema.schema import Schema
from tests.conformance.cases import Expectation, binding, cases, replaced
from tests.conformance.compare import assert_rows, assert_schema, contract_schema, rows
from tests.conformance.rulings import MOVED_BESIDE, RULINGS, Refused, Rows


def test_the_archive_is_whole(tables: Path) -> None:
    assert len(cases()) == 126
    assert sum(len(case.expectations) for case in cases()) == 229
    assert {case.format_version for case in cases()} == {1, 2, 3}
    for case in cases():
        assert (tables / case.name / "table" / "metadata").is_dir()
        for expectation in case.expectations:
            assert expectation.file is None or (tables / case.name / expectation.file).is_file()


def test_labels_are_unique() -> None:
    labels = [expectation.label for expectation in binding()]
    assert len(labels) == len(set(labels))


def test_the_rulings_fit_the_archive() -> None:
    labels = {expectation.label: expectation for expectation in binding()}
    assert RULINGS.keys() <= labels.keys()
    assert {*MOVED_BESIDE} <= {case.name for case in cases()}
    unread = {label for label, expectation in labels.items() if expectation.file is None}
    assert unread <= RULINGS.keys(), "where Java has no rows, a ruling says what is right"


def test_rulings_that_change_javas_rows_do_change_them(tables: Path) -> None:
    for expectation in binding():
        ruling = RULINGS.get(expectation.label)
        if isinstance(ruling, Rows) and expectation.file is not None:
            java = pq.read_table(tables / expectation.case / expectation.file)
            ours = pa.Table.from_pylist(
                [dict(zip(java.column_names, row, strict=True)) for row in ruling.rows], java.schema
            )
            assert rows(ours) != rows(java)
        assert ruling is None or isinstance(ruling, (Refused, Rows))


@pytest.mark.parametrize(("old", "new"), replaced(), ids=lambda expectation: expectation.label)
def test_the_spec_stands_for_java_only_where_they_differ(old: Expectation, new: Expectation, tables: Path) -> None:
    assert new.file is not None
    if old.file is not None:
        java, spec = (pq.read_table(tables / each.case / str(each.file)) for each in (old, new))
        with pytest.raises(AssertionError):
            assert_rows(java, spec)


@pytest.mark.parametrize("expectation", [e for e in binding() if e.file], ids=lambda expectation: expectation.label)
def test_every_expected_file_equals_itself_and_not_less(expectation: Expectation, tables: Path) -> None:
    table = pq.read_table(tables / expectation.case / str(expectation.file))
    assert_rows(table, table)
    assert_rows(table, pa.concat_tables([table.slice(1), table.slice(0, 1)]))
    if table.num_rows:
        with pytest.raises(AssertionError, match="1 of"):
            assert_rows(table.slice(1), table)


PAIR = pa.struct([pa.field("a", pa.int32()), pa.field("b", pa.float64())])
DIFFERENT = [
    pytest.param(pa.array([None], pa.int32()), pa.array([0], pa.int32()), id="null and zero"),
    pytest.param(pa.array([0.0]), pa.array([-0.0]), id="zero and minus zero"),
    pytest.param(pa.array([float("nan")]), pa.array([None], pa.float64()), id="nan and null"),
    pytest.param(pa.array([""]), pa.array([None], pa.string()), id="empty text and null"),
    pytest.param(pa.array([None], PAIR), pa.array([{"a": None, "b": None}], PAIR), id="null struct, struct of nulls"),
    pytest.param(
        pa.array([None], pa.list_(pa.int32())), pa.array([[]], pa.list_(pa.int32())), id="null list, empty list"
    ),
    pytest.param(pa.array([[1, None]]), pa.array([[1]]), id="list lengths"),
    pytest.param(pa.array([[1, 2]]), pa.array([[2, 1]]), id="list order"),
    pytest.param(pa.array([1], pa.timestamp("us")), pa.array([2], pa.timestamp("us")), id="microseconds"),
    pytest.param(pa.array([1], pa.timestamp("ns")), pa.array([2], pa.timestamp("ns")), id="nanoseconds"),
    pytest.param(pa.array([b"\x00"]), pa.array([b"\x00\x00"]), id="bytes"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_the_comparer_tells_apart(one: pa.Array, other: pa.Array) -> None:
    for left, right in ((one, other), (other, one)):
        with pytest.raises(AssertionError):
            assert_rows(pa.table({"x": left}), pa.table({"x": right}))
        assert_rows(pa.table({"x": left}), pa.table({"x": left}))


def test_the_comparer_counts_rows_and_columns() -> None:
    table = pa.table({"x": [1, 1, 2]})
    with pytest.raises(AssertionError, match="1 of 3 rows missing, 1 rows too many"):
        assert_rows(pa.table({"x": [1, 2, 2]}), table)
    with pytest.raises(AssertionError):
        assert_rows(pa.table({"y": [1, 1, 2]}), table)


def test_the_comparer_takes_what_is_the_same_in_another_dress() -> None:
    entries = pa.map_(pa.string(), pa.int32())
    assert_rows(
        pa.table({"m": pa.array([[("a", 1), ("b", 2)]], entries)}),
        pa.table({"m": pa.array([[("b", 2), ("a", 1)]], entries)}),
    )
    raw = pa.array([bytes(range(16))], pa.binary(16))
    assert_rows(pa.table({"u": pa.ExtensionArray.from_storage(pa.uuid(), raw)}), pa.table({"u": raw}))
    sliced = pa.table({"l": [[1], [2, 3], None, []]}).slice(1)
    assert_rows(sliced, pa.table({"l": [[], None, [2, 3]]}))


SCHEMA = Schema(
    (
        t.NestedField(1, "id", t.LongType(), required=True),
        t.NestedField(2, "at", t.TimestamptzType()),
        t.NestedField(3, "tags", t.ListType(4, t.StructType((t.NestedField(5, "k", t.StringType()),)))),
        t.NestedField(6, "m", t.MapType(7, t.StringType(), 8, t.DecimalType(9, 2), value_required=True)),
        t.NestedField(9, "u", t.UUIDType()),
    )
)


def test_the_types_of_the_contract() -> None:
    schema = contract_schema(SCHEMA)
    assert_schema(schema, SCHEMA)
    assert schema.field("at").type == pa.timestamp("us", "UTC")
    assert schema.field("tags").type.value_field.name == "element"
    assert schema.field("m").type.key_field.metadata == {b"PARQUET:field_id": b"7"}
    assert not schema.field("m").type.item_field.nullable
    assert not schema.field("id").nullable
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    assert pa.array([moment], schema.field("at").type)[0].as_py() == moment


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("id", pa.field("id", pa.int64(), True, {"PARQUET:field_id": "1"})),
        ("id", pa.field("id", pa.int32(), False, {"PARQUET:field_id": "1"})),
        ("id", pa.field("id", pa.int64(), False)),
        ("id", pa.field("ID", pa.int64(), False, {"PARQUET:field_id": "1"})),
        ("at", pa.field("at", pa.timestamp("us"), True, {"PARQUET:field_id": "2"})),
        ("tags", pa.field("tags", pa.list_(pa.string()), True, {"PARQUET:field_id": "3"})),
        ("u", pa.field("u", pa.binary(16), True, {"PARQUET:field_id": "9"})),
    ],
)
def test_a_wrong_schema_is_seen(name: str, field: pa.Field) -> None:
    schema = contract_schema(SCHEMA)
    with pytest.raises(AssertionError):
        assert_schema(schema.set(schema.get_field_index(name), field), SCHEMA)
    with pytest.raises(AssertionError):
        assert_schema(schema.remove(4), SCHEMA)
