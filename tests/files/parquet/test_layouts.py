"""Layouts of lists and maps: the structure is pyarrow's, place by place, and so are the values."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from projector.errors import CorruptFileError
from projector.files.parquet.file_schema import FileColumn, FileList, FileMap, FileSchema
from projector.files.parquet.footer import read_footer
from tests.files import craft
from tests.files.craft import LIST, MAP, MAP_KEY_VALUE, UTF8, Element, group, leaf
from tests.files.pyarrow_view import Bytes, differences, file_schema


def read(data: bytes) -> FileSchema:
    return file_schema(read_footer(Bytes(data), "f.parquet"))


def write(type_: pa.DataType, values: list[object], nullable: bool = True) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table([pa.array(values, type_)], pa.schema([pa.field("a", type_, nullable)])), out)
    return out.getvalue()


def required_list(type_: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", type_, nullable=False))


PAIR = pa.struct([pa.field("x", pa.int32(), nullable=False), pa.field("y", pa.int32())])
LISTS = write(required_list(pa.int32()), [[1, 2], [], None])
NULLABLE = write(pa.list_(pa.int32()), [[1, None], [], None])
NEVER_NULL = write(required_list(pa.int32()), [[1, 2], []], nullable=False)
PAIRS = write(required_list(PAIR), [[{"x": 1, "y": None}], [], None])
NESTED = write(required_list(required_list(pa.int32())), [[[1], []], [], None])
MAPS = write(pa.map_(pa.int32(), pa.string()), [[(1, "a"), (2, None)], [], None])
MAPS_OF_LISTS = write(
    pa.map_(pa.int32(), pa.field("value", required_list(pa.int32()), nullable=False)), [[(1, [2, 3])], None]
)
LISTS_OF_MAPS = write(required_list(pa.map_(pa.int32(), pa.string())), [[[(1, "a")], []], [], None])

INT = leaf("element", "int32", "required", field_id=2)
KEY = leaf("key", "int32", "required", field_id=2)
VALUE = leaf("value", "byte_array", converted=UTF8, field_id=3)


def repeated(name: str, *children: Element, **more: object) -> Element:
    return group(name, *children, repetition="repeated", **more)


LAYOUTS = {
    "three levels": (LISTS, group("a", repeated("list", INT), converted=LIST, field_id=1), "list<int32>"),
    "three levels, logical type only": (
        LISTS,
        group("a", repeated("list", INT), logical=craft.LOGICAL_LIST, field_id=1),
        "list<int32>",
    ),
    "three levels, Hive's names": (
        NULLABLE,
        group("a", repeated("bag", leaf("array_element", "int32", field_id=2)), converted=LIST, field_id=1),
        "list<int32>",
    ),
    "three levels, of another list's tuple": (
        LISTS,
        group("a", repeated("b_tuple", INT), converted=LIST),
        "list<int32>",
    ),
    "repeated primitive": (
        LISTS,
        group("a", leaf("array", "int32", "repeated", field_id=2), converted=LIST, field_id=1),
        "list<int32>",
    ),
    "repeated group called array": (
        LISTS,
        group(
            "a", repeated("array", leaf("x", "int32", "required", field_id=3), field_id=2), converted=LIST, field_id=1
        ),
        "list<struct<x: int32>>",
    ),
    "repeated group called array, of an optional child": (
        NULLABLE,
        group("a", repeated("array", leaf("x", "int32", field_id=3)), converted=LIST, field_id=1),
        "list<struct<x: int32>>",
    ),
    "repeated group called by the list": (
        LISTS,
        group("a", repeated("a_tuple", leaf("x", "int32", "required")), converted=LIST),
        "list<struct<x: int32>>",
    ),
    "repeated group of several children": (
        PAIRS,
        group(
            "a",
            repeated("list", leaf("x", "int32", "required", field_id=3), leaf("y", "int32", field_id=4), field_id=2),
            converted=LIST,
            field_id=1,
        ),
        "list<struct<x: int32, y: int32>>",
    ),
    "two levels in two levels": (
        NESTED,
        group(
            "a",
            repeated("array", leaf("array", "int32", "repeated", field_id=3), converted=LIST, field_id=2),
            converted=LIST,
            field_id=1,
        ),
        "list<list<int32>>",
    ),
    "repeated group of a repeated child": (
        NESTED,
        group("a", repeated("element", leaf("b", "int32", "repeated", field_id=3), field_id=2), converted=LIST),
        "list<struct<b: list<int32>>>",
    ),
    "two levels of maps": (
        LISTS_OF_MAPS,
        group("a", repeated("array", repeated("map", KEY, VALUE), converted=MAP, field_id=4), converted=LIST),
        "list<map<int32, string>>",
    ),
    "repeated column without a list": (NEVER_NULL, leaf("a", "int32", "repeated", field_id=1), "list<int32>"),
    "repeated column in a struct": (
        LISTS,
        group("s", leaf("a", "int32", "repeated", field_id=1)),
        "struct<a: list<int32>>",
    ),
    "map": (MAPS, group("m", repeated("key_value", KEY, VALUE), converted=MAP, field_id=1), "map<int32, string>"),
    "map, logical type only": (
        MAPS,
        group("m", repeated("key_value", KEY, VALUE), logical=craft.LOGICAL_MAP, field_id=1),
        "map<int32, string>",
    ),
    "map, entries annotated as well": (
        MAPS,
        group("m", repeated("map", KEY, VALUE, converted=MAP_KEY_VALUE), converted=MAP, field_id=1),
        "map<int32, string>",
    ),
    "map annotated as MAP_KEY_VALUE": (
        MAPS,
        group("m", repeated("map", KEY, VALUE), converted=MAP_KEY_VALUE, field_id=1),
        "map<int32, string>",
    ),
    "map with the names turned round": (
        MAPS,
        group("m", repeated("entries", leaf("value", "int32", "required"), leaf("key", "byte_array", converted=UTF8))),
        "struct<entries: list<struct<value: int32, key: string>>>",
    ),
    "map of other names": (
        MAPS,
        group(
            "m",
            repeated("entries", leaf("value", "int32", "required"), leaf("key", "byte_array", converted=UTF8)),
            converted=MAP,
        ),
        "map<int32, string>",
    ),
    "map to a repeated value": (
        MAPS_OF_LISTS,
        group("m", repeated("key_value", KEY, leaf("value", "int32", "repeated", field_id=3)), converted=MAP),
        "map<int32, list<int32>>",
    ),
    "map without values": (LISTS, group("m", repeated("key_value", KEY), converted=MAP, field_id=1), "list<int32>"),
}


@pytest.mark.parametrize("case", LAYOUTS)
def test_the_structure_is_the_one_that_pyarrow_reads(case: str) -> None:
    original, column, described = LAYOUTS[case]
    data = craft.rewrite(original, [column])
    schema = read(data)
    assert str(schema.columns[0].type) == described
    assert differences(schema, data) == []
    assert pq.read_table(io.BytesIO(data)).num_rows == schema_rows(original)


def schema_rows(data: bytes) -> int:
    return read_footer(Bytes(data), "f.parquet").num_rows


def test_ids_and_layouts_are_kept() -> None:
    schema = read(craft.rewrite(*_case("two levels in two levels")))
    assert [(place, column.field_id, column.optional) for place, column in schema.walk()] == [
        ((0,), 1, True),
        ((0, 0), 2, False),
        ((0, 0, 0), 3, False),
    ]
    layouts = {case: read(craft.rewrite(*_case(case))).columns[0].type for case in LAYOUTS}
    assert [layouts[c].layout for c in ("three levels", "repeated primitive", "repeated column without a list")] == [
        "three-level",
        "two-level",
        "repeated",
    ]
    assert [layouts[c].layout for c in ("map", "map of other names", "map without values")] == [
        "key_value",
        "entries",
        "set",
    ]


def _case(case: str) -> tuple[bytes, list[Element]]:
    original, column, _ = LAYOUTS[case]
    return original, [column]


def test_a_repeated_group_without_a_list_gives_its_id_to_the_list() -> None:
    data = craft.rewrite(NEVER_NULL, [repeated("a", leaf("x", "int32", "required", field_id=6), field_id=5)])
    (column,) = read(data).columns
    assert column.field_id == 5
    assert column.children[0].field_id is None
    assert column.children[0].children[0].field_id == 6
    # pyarrow has the same structure, but says the id twice
    assert differences(read(data), data) == ["(0, 0): field id b'5', not None"]


def test_layouts_that_pyarrow_refuses_are_described() -> None:
    entries = write(required_list(pa.struct([("k", pa.int32()), ("v", pa.string())])), [[{"k": 1, "v": "a"}], None])
    optional_key = group("m", repeated("key_value", leaf("key", "int32", field_id=2), VALUE), converted=MAP, field_id=1)
    data = craft.rewrite(entries, [optional_key])
    assert read(data).columns == (
        FileColumn(
            "m",
            FileMap(
                key=FileColumn("key", read(LISTS).columns[0].children[0].type, True, 2),
                value=FileColumn("value", read(MAPS).columns[0].children[1].type, True, 3),
            ),
            True,
            1,
        ),
    )
    with pytest.raises(pa.ArrowInvalid, match="Map keys must be annotated as required"):
        pq.read_table(io.BytesIO(data))

    three_in_two = group("a", repeated("array", repeated("list", INT), converted=LIST), converted=LIST)
    data = craft.rewrite(NESTED, [three_in_two])
    assert str(read(data).columns[0].type) == "list<list<int32>>"
    with pytest.raises(pa.ArrowInvalid, match="must not be repeated"):
        pq.read_table(io.BytesIO(data))


@pytest.mark.parametrize(
    ("original", "column", "says"),
    [
        (NULLABLE, group("a", group("list", leaf("e", "int32", "repeated")), converted=LIST), "which is repeated"),
        (PAIRS, group("a", leaf("x", "int32", "repeated"), leaf("y", "int32"), converted=LIST), "must have one child"),
        (LISTS, group("a", leaf("key_value", "int32", "repeated"), converted=MAP), "a group of a key and a value"),
        (LISTS, leaf("a", "int32", "repeated", converted=LIST), "LIST is for groups"),
        (MAPS, group("m", repeated("map", KEY, VALUE, converted=MAP)), "which is repeated"),
        (
            PAIRS,
            group("m", repeated("e", KEY, VALUE, leaf("more", "int32")), converted=MAP),
            "a group of a key and a value",
        ),
    ],
)
def test_layouts_that_are_none(original: bytes, column: Element, says: str) -> None:
    with pytest.raises(CorruptFileError, match=says) as caught:
        read(craft.rewrite(original, [column]))
    assert caught.value.path is not None
    assert caught.value.path.startswith(column.name)


def test_variants_are_leaves_to_us() -> None:
    type_ = pa.struct([pa.field("metadata", pa.binary(), nullable=False), pa.field("value", pa.binary())])
    plain = write(type_, [{"metadata": b"\x01\x00\x00", "value": b"\x00"}, None])
    data = craft.edit(plain, {("a",): {"logical": craft.VARIANT}})
    (column,) = read(data).columns
    assert str(column.type) == "variant"
    assert column.leaf_count == 2
    assert column.children == ()
    assert isinstance(read(LISTS).columns[0].type, FileList)
