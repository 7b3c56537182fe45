"""Nested columns: nullness, lengths and pairing by id (BUGS of other readers, with the right values)."""

from __future__ import annotations

import uuid
from typing import Any

import pyarrow as pa
import pytest

from projector.engines.plain_rows import from_plain_rows
from projector.errors import ProjectionError, UnsupportedError
from projector.projection.plan import Binding
from projector.schema.schema import Schema
from projector.schema.types import (
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    UnknownType,
    UUIDType,
)
from tests.engines.reading import FILE, error_of, plan_of, read_arrow, read_both, schema_of, written, written_table

INT, LONG, STRING = IntegerType(), LongType(), StringType()


def field(
    field_id: int, name: str, iceberg_type: IcebergType, required: bool = False, default: Any = None
) -> NestedField:
    return NestedField(field_id, name, iceberg_type, required, initial_default=default)


def struct(*fields: NestedField) -> StructType:
    return StructType(fields)


def evolved(values: list[Any], old: IcebergType, new: IcebergType) -> list[Any]:
    """Values of a column c (id 1) written under one type, read under another."""
    data = written([{"c": value} for value in values], schema_of(field(1, "c", old)))
    return [row["c"] for row in read_both(data, schema_of(field(1, "c", new)))]


def test_null_lists_and_maps_are_not_empty() -> None:
    old = ListType(2, struct(field(3, "a", INT)))
    new = ListType(2, struct(field(3, "a", LONG), field(4, "b", STRING)))
    values = [None, [], [{"a": 1}], [None]]
    assert evolved(values, old, new) == [None, [], [{"a": 1, "b": None}], [None]]
    nested = [None, [], [None], [[], [1]]]
    assert evolved(nested, ListType(2, ListType(3, INT)), ListType(2, ListType(3, LONG))) == nested
    old_map = MapType(2, STRING, 3, struct(field(4, "a", INT)))
    new_map = MapType(2, STRING, 3, struct(field(5, "b", STRING, default="x"), field(4, "a", LONG)))
    entries = [None, [], [("k", {"a": 1}), ("l", None)], [("k", {"a": None})]]
    assert evolved(entries, old_map, new_map) == [
        None,
        [],
        [("k", {"b": "x", "a": 1}), ("l", None)],
        [("k", {"b": "x", "a": None})],
    ]


def test_a_default_stays_out_of_a_null_struct() -> None:
    old, new = struct(field(2, "x", INT)), struct(field(3, "y", INT, default=0), field(2, "x", INT))
    assert evolved([{"x": 3}, None, {"x": None}], old, new) == [{"y": 0, "x": 3}, None, {"y": 0, "x": None}]
    values = [[{"x": 3}, None], None, []]
    assert evolved(values, ListType(9, old), ListType(9, new)) == [[{"y": 0, "x": 3}, None], None, []]
    entries = [[("k", {"x": 3}), ("l", None)], None]
    old_map, new_map = MapType(8, STRING, 9, old), MapType(8, STRING, 9, new)
    assert evolved(entries, old_map, new_map) == [[("k", {"y": 0, "x": 3}), ("l", None)], None]


def test_the_four_rows_of_the_table_of_struct_defaults() -> None:
    x, y = field(2, "x", INT, default=0), field(3, "y", INT, default=0)
    missing = written([{"id": 1}], schema_of(field(9, "id", INT)))
    with_x = written([{"point": {"x": 3}}], schema_of(field(1, "point", struct(field(2, "x", INT)))))
    with_y = written([{"point": {"y": -1}}], schema_of(field(1, "point", struct(field(3, "y", INT)))))
    null = schema_of(field(1, "point", struct(x, y)))
    empty = schema_of(field(1, "point", struct(x, y), default={}))
    assert read_both(missing, null) == [{"point": None}]
    assert read_both(with_x, null) == [{"point": {"x": 3, "y": 0}}]
    assert read_both(missing, empty) == [{"point": {"x": 0, "y": 0}}]
    assert read_both(with_y, empty) == [{"point": {"x": 0, "y": -1}}]


def test_a_struct_default_nests() -> None:
    inner = field(3, "in", struct(field(4, "a", STRING, default="d"), field(5, "b", INT)), default={})
    none = field(6, "none", struct(field(7, "a", INT, default=1)))
    schema = schema_of(field(2, "s", struct(inner, none), required=True, default={}))
    data = written([{"id": 1}, {"id": 2}], schema_of(field(1, "id", INT)))
    assert read_both(data, schema) == [{"s": {"in": {"a": "d", "b": None}, "none": None}}] * 2


@pytest.mark.parametrize("wrap", ["struct", "list", "map"])
def test_children_are_paired_by_id(wrap: str) -> None:
    wrapped = {
        "struct": (lambda t: t, lambda v: v),
        "list": (lambda t: ListType(9, t), lambda v: [v]),
        "map": (lambda t: MapType(8, STRING, 9, t), lambda v: [("k", v)]),
    }[wrap]
    type_of, value_of = wrapped

    def check(new: StructType, expected: dict[str, Any]) -> None:
        found = evolved([value_of({"a": 1, "c": 2})], type_of(old), type_of(new))
        assert found == [value_of(expected)]

    old = struct(field(2, "a", INT), field(3, "c", INT))
    check(struct(field(2, "a", INT), field(4, "b", INT), field(3, "c", INT)), {"a": 1, "b": None, "c": 2})
    check(struct(field(3, "c", INT), field(2, "a", INT)), {"c": 2, "a": 1})
    check(struct(field(2, "c", INT), field(3, "a", INT)), {"c": 1, "a": 2})  # names swapped
    check(struct(field(2, "a", INT), field(4, "c", INT)), {"a": 1, "c": None})  # dropped and added again
    check(struct(field(3, "z", LONG)), {"z": 2})


def test_a_struct_none_of_whose_children_the_file_has() -> None:
    old, new = struct(field(2, "a", INT)), struct(field(3, "b", STRING))
    assert evolved([{"a": 1}, None, {"a": None}], old, new) == [{"b": None}, None, {"b": None}]
    values = [[{"a": 1}, None, {"a": None}], None, [], [None]]
    expected: list[Any] = [[{"b": None}, None, {"b": None}], None, [], [None]]
    assert evolved(values, ListType(9, old), ListType(9, new)) == expected
    entries = [[("k", {"a": 1}), ("l", None)], None, []]
    found = evolved(entries, MapType(8, STRING, 9, old), MapType(8, STRING, 9, new))
    assert found == [[("k", {"b": None}), ("l", None)], None, []]


def test_a_null_struct_whose_first_child_is_a_constant() -> None:
    old = struct(field(2, "a", struct(field(3, "x", INT))))
    new = struct(field(4, "k", STRING, default="k"), field(2, "a", struct(field(5, "d", INT, default=7))))
    values = [None, {"a": None}, {"a": {"x": 1}}]
    assert evolved(values, old, new) == [None, {"k": "k", "a": None}, {"k": "k", "a": {"d": 7}}]


def test_structs_of_lists_and_maps_of_which_nothing_is_read() -> None:
    old = struct(field(2, "l", ListType(3, ListType(4, INT))), field(5, "m", MapType(6, STRING, 7, INT)))
    new = struct(field(8, "n", INT))
    values = [{"l": [[1], None], "m": []}, None, {"l": None, "m": None}, {"l": [], "m": [("k", 1)]}]
    assert evolved(values, old, new) == [{"n": None}, None, {"n": None}, {"n": None}]
    lists = ListType(10, old)
    assert evolved([[*values], None, []], lists, ListType(10, new)) == [
        [{"n": None}, None, {"n": None}, {"n": None}],
        None,
        [],
    ]


def test_maps_of_which_only_keys_are_read() -> None:
    old = MapType(2, STRING, 3, struct(field(4, "a", INT)))
    new = MapType(2, STRING, 3, struct(field(5, "b", INT, default=9)))
    values = [[("k", {"a": 1}), ("l", None)], None, [], [("m", {"a": None})]]
    assert evolved(values, old, new) == [[("k", {"b": 9}), ("l", None)], None, [], [("m", {"b": 9})]]


def test_maps_of_structs_as_keys() -> None:
    old = MapType(2, struct(field(4, "a", INT), field(5, "b", STRING)), 3, INT)
    new = MapType(2, struct(field(5, "bb", STRING), field(4, "a", LONG)), 3, LONG)
    values = [[({"a": 1, "b": "x"}, 1), ({"a": None, "b": None}, None)], None]
    assert evolved(values, old, new) == [[({"bb": "x", "a": 1}, 1), ({"bb": None, "a": None}, None)], None]


def test_added_nested_columns_are_null_of_their_full_type() -> None:
    data = written([{"id": 1}], schema_of(field(1, "id", INT)))
    added = schema_of(
        field(2, "l", ListType(3, struct(field(4, "a", INT, required=True)))),
        field(5, "m", MapType(6, STRING, 7, ListType(8, INT))),
        field(9, "s", struct(field(10, "a", INT, required=True))),
    )
    assert read_both(data, added) == [{"l": None, "m": None, "s": None}]


def test_what_stands_under_a_null_parent_is_no_null_of_a_required_child() -> None:
    old = struct(field(2, "a", INT), field(3, "l", ListType(4, INT)))
    new = struct(field(2, "a", LONG, required=True), field(3, "l", ListType(4, INT, True), required=True))
    assert evolved([{"a": 1, "l": [2]}, None], old, new) == [{"a": 1, "l": [2]}, None]
    for bad, path in (
        ({"a": None, "l": []}, "c.a"),
        ({"a": 1, "l": None}, "c.l"),
        ({"a": 1, "l": [None]}, "c.l.element"),
    ):
        error = error_of(written([{"c": bad}], schema_of(field(1, "c", old))), schema_of(field(1, "c", new)))
        assert isinstance(error, ProjectionError)
        assert (error.path, error.file) == (path, FILE)


def test_a_result_with_required_children_can_be_written_again() -> None:
    old = schema_of(field(1, "c", struct(field(2, "a", INT), field(3, "t", struct(field(4, "x", STRING))))))
    new = schema_of(
        field(1, "c", struct(field(2, "a", INT, True), field(3, "t", struct(field(4, "x", STRING, True)), True)))
    )
    rows = [{"c": {"a": 1, "t": {"x": "y"}}}, {"c": None}]
    data = written(rows, old)
    again = written_table(read_arrow(plan_of(data, new), data))
    assert read_both(again, new) == rows


NO_NULLS_IN_FIXED_SIZE_LISTS = pytest.mark.xfail(
    int(pa.__version__.split(".")[0]) < 26,
    reason="before 26 pyarrow reads no list of a fixed size that is null",
    raises=UnsupportedError,
    strict=True,
)


@pytest.mark.parametrize(
    "form", ["large_list", pytest.param("fixed_size_list", marks=NO_NULLS_IN_FIXED_SIZE_LISTS), "list_view"]
)
def test_list_types_that_the_arrow_schema_brings_back(form: str) -> None:
    child = pa.field("element", pa.int32(), metadata={"PARQUET:field_id": "2"})
    kind = {
        "large_list": pa.large_list(child),
        "fixed_size_list": pa.list_(child, 2),
        "list_view": pa.list_view(child),
    }[form]
    values = [[1, 2], None, [3, None], [5, 6]]
    column = pa.field("c", kind, metadata={"PARQUET:field_id": "1"})
    data = written_table(pa.Table.from_arrays([pa.array(values, kind)], schema=pa.schema([column])))
    rows = read_both(data, schema_of(field(1, "c", ListType(2, LONG))))
    assert [row["c"] for row in rows] == values


@pytest.mark.parametrize("values", [[None, None], [[]], [], [None, [[("k", uuid.UUID(int=1))], None]]])
def test_large_lists_of_maps_of_uuids(values: list[Any]) -> None:
    schema = schema_of(field(1, "c", ListType(2, MapType(3, STRING, 4, UUIDType()))))
    batch = from_plain_rows([{"c": value} for value in values], schema)
    kind = pa.large_list(batch.schema.field(0).type.value_field)
    large = pa.Table.from_batches([batch]).set_column(
        0, batch.schema.field(0).with_type(kind), batch.column(0).cast(kind)
    )
    assert [row["c"] for row in read_both(written_table(large), schema)] == values


def test_a_partition_value_inside_a_struct() -> None:
    old = schema_of(field(1, "c", struct(field(2, "a", INT))))
    new = schema_of(field(1, "c", struct(field(3, "p", STRING), field(2, "a", INT))))
    data = written([{"c": {"a": 1}}, {"c": None}], old)
    binding = Binding(FILE, partition={3: "x"})
    assert read_both(data, new, binding, partition_fields=(3,)) == [{"c": {"p": "x", "a": 1}}, {"c": None}]
    required = schema_of(field(1, "c", struct(field(3, "p", STRING, True), field(2, "a", INT))))
    null = Binding(FILE, partition={3: None})
    error = error_of(data, required, null, partition_fields=(3,))
    assert (error.path, error.field_id) == ("c.p", 3)
    only_null = written([{"c": None}], old)
    assert read_both(only_null, required, null, partition_fields=(3,)) == [{"c": None}]


def test_an_unknown_column_is_null_and_can_become_any_type() -> None:
    data = written([{"c": 1, "d": 2}], schema_of(field(1, "c", INT), field(2, "d", INT)))
    assert read_both(data, schema_of(field(1, "c", UnknownType()), field(3, "e", UnknownType()))) == [
        {"c": None, "e": None}
    ]
    nulls = written([{"c": None}], schema_of(field(1, "c", UnknownType())))
    assert read_both(nulls, Schema((field(1, "c", STRING),))) == [{"c": None}]
