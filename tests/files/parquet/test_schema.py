from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projector.errors import CorruptFileError, UnsupportedError
from projector.files.parquet.file_schema import FileKind, FileLeaf, FileSchema, TimeUnit
from projector.files.parquet.footer import read_footer
from tests.files import craft
from tests.files.craft import Element, Field, group, leaf
from tests.files.pyarrow_view import Bytes, differences, file_schema

INT32, INT64, BYTES, FIXED = "int32", "int64", "byte_array", "fixed_len_byte_array"


def read(data: bytes) -> FileSchema:
    return file_schema(read_footer(Bytes(data), "f.parquet"))


def write(table: pa.Table, **options: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


BASES = {
    INT32: pa.array([1, None], pa.int32()),
    INT64: pa.array([1, None], pa.int64()),
    BYTES: pa.array([b"{}", None], pa.binary()),
    "float": pa.array([1, None], pa.float32()),
    "double": pa.array([1, None], pa.float64()),
    "boolean": pa.array([True, None], pa.bool_()),
}


def with_leaf(element: Element) -> bytes:
    array = BASES.get(element.physical or "")
    if array is None:
        width = element.length if element.length and element.length > 0 else 4
        array = pa.array([b"\x00" * width, None], pa.binary(width))
    return craft.rewrite(write(pa.table({"c": array})), [element])


def only(data: bytes) -> FileLeaf:
    (column,) = read(data).columns
    assert isinstance(column.type, FileLeaf)
    return column.type


def times(kind: FileKind, unit: str, utc: bool, physical: str = INT64) -> FileLeaf:
    return FileLeaf(kind, physical, unit=TimeUnit(unit), utc=utc)


def ints(bits: int, signed: bool) -> FileLeaf:
    return FileLeaf(FileKind.INTEGER, INT64 if bits == 64 else INT32, bits=bits, signed=signed)


def decimals(physical: str, precision: int, scale: int, length: int | None = None) -> FileLeaf:
    return FileLeaf(FileKind.DECIMAL, physical, precision=precision, scale=scale, length=length)


LEAVES = [
    (leaf("c", "boolean"), FileLeaf(FileKind.BOOLEAN, "boolean")),
    (leaf("c", INT32), ints(32, True)),
    (leaf("c", INT64), ints(64, True)),
    (leaf("c", "float"), FileLeaf(FileKind.FLOAT, "float")),
    (leaf("c", "double"), FileLeaf(FileKind.DOUBLE, "double")),
    (leaf("c", BYTES), FileLeaf(FileKind.BYTES, BYTES)),
    (leaf("c", FIXED, length=5), FileLeaf(FileKind.FIXED, FIXED, length=5)),
    *((leaf("c", INT32, converted=c), ints(b, True)) for c, b in ((15, 8), (16, 16), (17, 32))),
    *((leaf("c", INT32, converted=c), ints(b, False)) for c, b in ((11, 8), (12, 16), (13, 32))),
    (leaf("c", INT64, converted=craft.INT_64), ints(64, True)),
    (leaf("c", INT64, converted=craft.UINT_64), ints(64, False)),
    *((leaf("c", INT32, logical=craft.integer(b, s)), ints(b, s)) for b in (8, 16, 32) for s in (True, False)),
    *((leaf("c", INT64, logical=craft.integer(64, s)), ints(64, s)) for s in (True, False)),
    (leaf("c", INT32, logical=craft.decimal(9, 2)), decimals(INT32, 9, 2)),
    (leaf("c", INT64, logical=craft.decimal(18, 0)), decimals(INT64, 18, 0)),
    (leaf("c", BYTES, logical=craft.decimal(38, 38)), decimals(BYTES, 38, 38)),
    (leaf("c", FIXED, length=16, logical=craft.decimal(38, 10)), decimals(FIXED, 38, 10, 16)),
    (leaf("c", INT32, converted=craft.DECIMAL, precision=4, scale=1), decimals(INT32, 4, 1)),
    (leaf("c", INT64, converted=craft.DECIMAL, precision=4), decimals(INT64, 4, 0)),
    (leaf("c", FIXED, length=2, converted=craft.DECIMAL, precision=4, scale=4), decimals(FIXED, 4, 4, 2)),
    (leaf("c", INT32, converted=craft.DATE), FileLeaf(FileKind.DATE, INT32)),
    (leaf("c", INT32, logical=craft.LOGICAL_DATE), FileLeaf(FileKind.DATE, INT32)),
    (leaf("c", INT32, converted=craft.TIME_MILLIS), times(FileKind.TIME, "ms", True, INT32)),
    (leaf("c", INT64, converted=craft.TIME_MICROS), times(FileKind.TIME, "us", True)),
    (leaf("c", INT32, logical=craft.time("ms", False)), times(FileKind.TIME, "ms", False, INT32)),
    (leaf("c", INT64, logical=craft.time("us", True)), times(FileKind.TIME, "us", True)),
    (leaf("c", INT64, logical=craft.time("ns", False)), times(FileKind.TIME, "ns", False)),
    (leaf("c", INT64, converted=craft.TIMESTAMP_MILLIS), times(FileKind.TIMESTAMP, "ms", True)),
    (leaf("c", INT64, converted=craft.TIMESTAMP_MICROS), times(FileKind.TIMESTAMP, "us", True)),
    *(
        (leaf("c", INT64, logical=craft.timestamp(unit, utc)), times(FileKind.TIMESTAMP, unit, utc))
        for unit in ("ms", "us", "ns")
        for utc in (True, False)
    ),
    (leaf("c", BYTES, converted=craft.UTF8), FileLeaf(FileKind.STRING, BYTES)),
    (leaf("c", BYTES, logical=craft.STRING), FileLeaf(FileKind.STRING, BYTES)),
    (leaf("c", BYTES, converted=craft.ENUM), FileLeaf(FileKind.ENUM, BYTES)),
    (leaf("c", BYTES, logical=craft.LOGICAL_ENUM), FileLeaf(FileKind.ENUM, BYTES)),
    (leaf("c", BYTES, converted=craft.JSON), FileLeaf(FileKind.JSON, BYTES)),
    (leaf("c", BYTES, logical=craft.LOGICAL_JSON), FileLeaf(FileKind.JSON, BYTES)),
    (leaf("c", BYTES, converted=craft.BSON), FileLeaf(FileKind.BSON, BYTES)),
    (leaf("c", BYTES, logical=craft.LOGICAL_BSON), FileLeaf(FileKind.BSON, BYTES)),
    (leaf("c", FIXED, length=16, logical=craft.UUID), FileLeaf(FileKind.UUID, FIXED, length=16)),
    (leaf("c", FIXED, length=2, logical=craft.FLOAT16), FileLeaf(FileKind.FLOAT16, FIXED, length=2)),
    (leaf("c", FIXED, length=12, converted=craft.INTERVAL), FileLeaf(FileKind.INTERVAL, FIXED, length=12)),
    (leaf("c", INT32, logical=craft.NULL), FileLeaf(FileKind.NULL, INT32)),
    (leaf("c", BYTES, logical=craft.GEOMETRY), FileLeaf(FileKind.GEOMETRY, BYTES)),
    (leaf("c", BYTES, logical=craft.GEOGRAPHY), FileLeaf(FileKind.GEOGRAPHY, BYTES)),
]


@pytest.mark.parametrize(("element", "expected"), LEAVES, ids=lambda value: str(value)[:60])
def test_every_leaf_type(element: Element, expected: FileLeaf) -> None:
    data = with_leaf(element)
    assert only(data) == expected
    assert differences(read(data), data) == []


def test_int96() -> None:
    data = write(pa.table({"c": pa.array([1, None], pa.timestamp("ns"))}), use_deprecated_int96_timestamps=True)
    data = craft.rewrite(data, craft.schema_of(data))
    assert only(data) == FileLeaf(FileKind.INT96, "int96")
    assert differences(read(data), data) == []


def test_the_logical_type_wins() -> None:
    both = leaf("c", INT64, converted=craft.TIMESTAMP_MICROS, logical=craft.timestamp("us", False))
    assert only(with_leaf(both)) == times(FileKind.TIMESTAMP, "us", False)
    contradicting = leaf("c", INT32, converted=craft.INT_8, logical=craft.integer(16, False))
    assert only(with_leaf(contradicting)) == ints(16, False)


def test_unknown_annotations_leave_the_physical_type() -> None:
    assert only(with_leaf(leaf("c", BYTES, logical=craft.logical(77)))) == FileLeaf(FileKind.BYTES, BYTES)
    assert only(with_leaf(leaf("c", BYTES, converted=99))) == FileLeaf(FileKind.BYTES, BYTES)
    known = leaf("c", BYTES, converted=craft.UTF8, logical=craft.logical(77))
    assert only(with_leaf(known)) == FileLeaf(FileKind.STRING, BYTES)


@pytest.mark.parametrize(
    ("element", "says"),
    [
        (leaf("c", INT64, converted=craft.DATE), "DATE is for int32, but the physical type is int64"),
        (leaf("c", INT32, converted=craft.UTF8), "UTF8 is for byte_array"),
        (leaf("c", INT32, logical=craft.integer(64, True)), "INT_64 is for int64"),
        (leaf("c", INT32, logical=craft.integer(7, True)), "7 bits"),
        (leaf("c", INT32, logical=craft.timestamp("us", True)), "TIMESTAMP is for int64"),
        (leaf("c", INT64, logical=craft.time("ms", True)), "TIME in ms is for int32"),
        (leaf("c", INT64, logical=craft.logical(8)), "lacks a unit"),
        (
            leaf("c", INT64, logical=[Field(8, craft.STRUCT, [Field(1, 1, True), Field(2, 12, [Field(9, 12, [])])])]),
            "unit",
        ),
        (leaf("c", BYTES, logical=[*craft.STRING, *craft.UUID]), "2 logical types"),
        (leaf("c", BYTES, logical=[Field(1, craft.I32, 3)]), "is not a struct"),
        (leaf("c", FIXED, length=15, logical=craft.UUID), "16 bytes of fixed length"),
        (leaf("c", BYTES, logical=craft.UUID), "16 bytes of fixed length"),
        (leaf("c", FIXED), "the length is None"),
        (leaf("c", FIXED, length=-1), "the length is -1"),
        (leaf("c", INT32, logical=craft.decimal(10, 2)), "int32 holds 9 digits"),
        (leaf("c", FIXED, length=4, logical=craft.decimal(10, 2)), r"fixed_len_byte_array\(4\) holds 9 digits"),
        (leaf("c", INT32, logical=craft.decimal(3, 4)), "precision 3 and scale 4"),
        (leaf("c", INT32, logical=craft.decimal(0, 0)), "precision 0"),
        (leaf("c", "double", converted=craft.DECIMAL, precision=5, scale=1), "not for the physical type double"),
        (leaf("c", INT32, converted=craft.DECIMAL), "precision None"),
        (leaf("c", INT32, None), "required, optional or repeated"),
        (leaf("c", INT32, num_children=1), "both a physical type and children"),
        (Element("c"), "neither a physical type nor children"),
        (group("c", leaf("x", INT32), num_children=-1), "claims -1 children"),
        (group("c", leaf("x", INT32), num_children=9), "ends 8 children short of what 'c' claims"),
        (group("c", leaf("x", INT32), leaf("y", INT32), num_children=1), "after its last column, from 'y' on"),
        (group("c", leaf("x", INT32), num_children=2**31 - 1), "children short"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_schemas_that_contradict_themselves(element: Element, says: str) -> None:
    with pytest.raises(CorruptFileError, match=says) as caught:
        read(with_leaf(element))
    assert caught.value.file == "f.parquet"
    assert "\n" not in str(caught.value)


def test_roots_that_are_none() -> None:
    data = write(pa.table({"c": [1]}))

    def with_elements(*elements: list[Field]) -> bytes:
        schema = Field(2, craft.LIST_OF, (craft.STRUCT, list(elements)))
        return craft.with_fields(data, lambda fields: [schema if f.id == 2 else f for f in fields])

    with pytest.raises(CorruptFileError, match="without even a root"):
        read(with_elements())
    with pytest.raises(CorruptFileError, match="root of the schema is not a group: int32"):
        read(with_elements([Field(1, craft.I32, 1), Field(4, craft.BINARY, b"c")]))
    with pytest.raises(CorruptFileError, match="schema element 1: it has no name"):
        read(with_elements([Field(4, craft.BINARY, b"r"), Field(5, craft.I32, 1)], [Field(1, craft.I32, 1)]))
    with pytest.raises(CorruptFileError, match="its physical type 8 does not exist"):
        read(
            with_elements(
                [Field(4, craft.BINARY, b"r"), Field(5, craft.I32, 1)],
                [Field(1, craft.I32, 8), Field(3, craft.I32, 1), Field(4, craft.BINARY, b"c")],
            )
        )
    no_columns = craft.with_fields(
        data,
        lambda fields: [
            Field(2, craft.LIST_OF, (craft.STRUCT, [[Field(4, craft.BINARY, b"r")]])) if f.id == 2 else f
            for f in fields
        ],
    )
    assert read(no_columns).columns == ()


def test_schemas_that_are_too_deep() -> None:
    def nest(depth: int) -> bytes:
        elements = [[Field(4, craft.BINARY, b"schema"), Field(5, craft.I32, 1)]]
        elements += [[Field(3, craft.I32, 1), Field(4, craft.BINARY, b"g"), Field(5, craft.I32, 1)]] * depth
        elements.append([Field(1, craft.I32, 1), Field(3, craft.I32, 1), Field(4, craft.BINARY, b"leaf")])
        return craft.with_fields(
            write(pa.table({"c": [1]})),
            lambda fields: [Field(2, craft.LIST_OF, (craft.STRUCT, elements)) if f.id == 2 else f for f in fields],
        )

    schema = read(nest(90))
    assert len(list(schema.walk())) == 91
    assert hash(schema) == hash(read(nest(90)))
    assert schema.first_leaf((0,) * 91) == 0
    for depth in (101, 5000):
        with pytest.raises(UnsupportedError, match="nested more than 100 levels"):
            read(nest(depth))


def test_names_are_kept_whatever_they_hold() -> None:
    names = ["", " ", "a.b", "naïve ☃", "quote'\"`", "line\nbreak", "ID", "id", "id"]
    data = write(pa.table([pa.array([1])] * len(names), names=names))
    assert [column.name for column in read(data).columns] == names
    bad = craft.edit(write(pa.table({"c": [1]})), {("c",): {"name": "caf\udce9"}})
    assert read(bad).columns[0].name == "caf\\xe9"


def test_ids_missing_twice_and_below_zero() -> None:
    data = write(pa.table({"a": [1], "b": [2], "c": [3], "d": [4]}))
    data = craft.edit(data, {("a",): {"field_id": 7}, ("b",): {"field_id": 7}, ("c",): {"field_id": -1}})
    assert [column.field_id for column in read(data).columns] == [7, 7, None, None]
    assert read(data).has_field_ids
    assert not read(craft.without_ids(data)).has_field_ids


def types(depth: int = 3) -> st.SearchStrategy[pa.DataType]:
    plain = st.sampled_from(
        [
            pa.int32(),
            pa.uint8(),
            pa.string(),
            pa.binary(7),
            pa.bool_(),
            pa.date32(),
            pa.time64("us"),
            pa.timestamp("ms"),
            pa.timestamp("ns", "UTC"),
            pa.decimal128(20, 3),
            pa.float16(),
            pa.null(),
        ]
    )
    if depth == 0:
        return plain
    deeper = types(depth - 1)
    return st.one_of(
        plain,
        st.builds(lambda t, null, i: pa.list_(field("element", t, null, i)), deeper, st.booleans(), ids()),
        st.builds(
            lambda k, v, null, i, j: pa.map_(field("key", k, False, i), field("value", v, null, j)),
            plain.filter(lambda t: t != pa.null()),
            deeper,
            st.booleans(),
            ids(),
            ids(),
        ),
        st.lists(st.tuples(deeper, st.booleans(), ids()), min_size=1, max_size=3).map(
            lambda children: pa.struct([field(f"f{n}", *child) for n, child in enumerate(children)])
        ),
    )


def ids() -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(0, 2**31 - 1)


def field(name: str, type_: pa.DataType, nullable: bool, field_id: int | None) -> pa.Field:
    metadata = None if field_id is None else {"PARQUET:field_id": str(field_id)}
    return pa.field(name, type_, nullable or type_ == pa.null(), metadata)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(types(), st.booleans(), ids()), max_size=4))
def test_what_pyarrow_writes(columns: list[tuple[pa.DataType, bool, int | None]]) -> None:
    schema = pa.schema([field(f"c{n}", *column) for n, column in enumerate(columns)])
    data = write(schema.empty_table(), store_schema=False)
    assert differences(read(data), data) == []
    with_hint = write(schema.empty_table())
    assert read(with_hint) == read(data)
