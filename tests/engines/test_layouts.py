"""Lists and maps in the layouts of other writers, read by id or through a name mapping."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from projector.errors import UnsupportedError
from projector.schema.name_mapping import NameMapping
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, ListType, LongType, MapType, NestedField, StringType, StructType
from tests.engines.reading import column, error_of, read_both, schema_of, shape_of, written, written_table
from tests.files import craft

INTS = [[1, 2], None, [], [3]]
LISTS = schema_of(NestedField(1, "c", ListType(2, IntegerType(), True)))
MAPS = schema_of(NestedField(1, "c", MapType(2, StringType(), 3, IntegerType())))
ENTRIES = [[("k", 1), ("l", None)], None, []]


def rewritten(data: bytes, change: Any) -> bytes:
    """A file whose only column's element went through `change`."""
    root = craft.schema_of(data)
    return craft.rewrite(data, [change(root.children[0])])


def values(data: bytes, schema: Schema, **how: Any) -> list[Any]:
    return [row["c"] for row in read_both(data, schema, **how)]


@pytest.mark.parametrize("name", ["array", "element", "c_tuple", "anything"])
@pytest.mark.parametrize("with_id", [True, False])
def test_two_level_lists(name: str, with_id: bool) -> None:
    def two_level(column: craft.Element) -> craft.Element:
        (group,) = column.children
        (element,) = group.children
        repeated = replace(element, name=name, repetition="repeated", field_id=2 if with_id else None)
        return replace(column, children=(repeated,))

    data = rewritten(written([{"c": v} for v in INTS], LISTS), two_level)
    assert values(data, LISTS) == INTS
    assert values(data, schema_of(NestedField(1, "c", ListType(2, LongType())))) == INTS


@pytest.mark.parametrize(
    ("group", "element"), [("bag", "array_element"), ("list", "item"), ("bag", "array"), ("x.y", "z")]
)
def test_lists_under_other_names(group: str, element: str) -> None:
    schema = schema_of(NestedField(1, "c", ListType(2, StructType((NestedField(3, "a", IntegerType()),)))))
    rows = [[{"a": 1}, None, {"a": None}], None, []]

    def renamed(column: craft.Element) -> craft.Element:
        (middle,) = column.children
        (child,) = middle.children
        child = replace(child, name=element)
        return replace(column, logical=None, children=(replace(middle, name=group, children=(child,)),))

    data = rewritten(written([{"c": v} for v in rows], schema), renamed)
    assert values(data, schema) == rows


@pytest.mark.parametrize("group", ["key_value", "map", "entries"])
@pytest.mark.parametrize("annotation", [craft.MAP, craft.MAP_KEY_VALUE])
def test_maps_under_other_names(group: str, annotation: int) -> None:
    def renamed(column: craft.Element) -> craft.Element:
        (middle,) = column.children
        key, value = (replace(c, name=n) for c, n in zip(middle.children, ("k", "v"), strict=True))
        middle = replace(middle, name=group, children=(key, value))
        return replace(column, converted=annotation, logical=None, children=(middle,))

    data = rewritten(written([{"c": v} for v in ENTRIES], MAPS), renamed)
    assert values(data, MAPS) == ENTRIES


def test_a_name_mapping_reaches_every_depth() -> None:
    inner = StructType((NestedField(5, "x", IntegerType()), NestedField(6, "y", StringType())))
    schema = schema_of(
        NestedField(1, "l", ListType(2, inner)),
        NestedField(7, "m", MapType(3, StringType(), 4, StructType((NestedField(8, "z", IntegerType()),)))),
    )
    rows = [{"l": [{"x": 1, "y": "a"}, None], "m": [("k", {"z": 2})]}, {"l": None, "m": None}]
    data = craft.without_ids(written(rows, schema))
    assert not shape_of(data).has_field_ids
    mapping = NameMapping.from_json(
        '[{"field-id": 1, "names": ["l", "old_l"], "fields": [{"field-id": 2, "names": ["element"], "fields":'
        ' [{"field-id": 5, "names": ["x"]}, {"field-id": 6, "names": []}, {"names": ["y"]}]}]},'
        ' {"field-id": 7, "names": ["m"], "fields": [{"field-id": 3, "names": ["key"]}, {"field-id": 4,'
        ' "names": ["value"], "fields": [{"field-id": 8, "names": ["z"]}]}]}]'
    )
    renamed = schema_of(
        NestedField(7, "mm", MapType(3, StringType(), 4, StructType((NestedField(8, "zz", LongType()),)))),
        NestedField(
            1, "ll", ListType(2, StructType((NestedField(6, "y", StringType()), NestedField(5, "xx", LongType()))))
        ),
    )
    assert read_both(data, renamed, name_mapping=mapping) == [
        {"mm": [("k", {"zz": 2})], "ll": [{"y": None, "xx": 1}, None]},
        {"mm": None, "ll": None},
    ]
    nothing = read_both(data, schema)
    assert nothing == [{"l": None, "m": None}] * 2


def test_maps_with_optional_keys_are_refused_by_name() -> None:
    element = pa.field("element", pa.struct([("key", pa.string()), ("value", pa.int32())]), nullable=False)
    stored = pa.array([[{"key": "a", "value": 1}], None], pa.list_(element))

    def as_map(old: craft.Element) -> craft.Element:
        (middle,) = old.children
        (struct,) = middle.children
        pair = tuple(replace(child, field_id=2 + i) for i, child in enumerate(struct.children))
        middle = replace(middle, name="key_value", children=pair)
        return replace(old, converted=craft.MAP, logical=craft.LOGICAL_MAP, children=(middle,))

    error = error_of(rewritten(written_table(column(stored)), as_map), MAPS)
    assert isinstance(error, UnsupportedError)
    assert "Map keys must be annotated as required" in str(error)
