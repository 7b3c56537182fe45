"""Arrow types of the contract, and Iceberg schemas of Arrow schemas."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from hypothesis import given

from projector.errors import InvalidMetadataError, UnsupportedError
from projector.schema.arrow_schema import arrow_schema, arrow_type, schema_from_arrow
from projector.schema.fresh_ids import assign_fresh_ids
from projector.schema.schema import Schema
from projector.schema.types import (
    GeographyType,
    GeometryType,
    IntegerType,
    ListType,
    MapType,
    NestedField,
    StringType,
    StructType,
    VariantType,
    parse_primitive,
)
from tests.schema.strategies import schemas

CONTRACT = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "decimal(9,2)": pa.decimal128(9, 2),
    "decimal(38,0)": pa.decimal128(38, 0),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
    "timestamp_ns": pa.timestamp("ns"),
    "timestamptz_ns": pa.timestamp("ns", "UTC"),
    "string": pa.string(),
    "binary": pa.binary(),
    "uuid": pa.uuid(),
    "fixed[7]": pa.binary(7),
    "unknown": pa.null(),
    "geometry": pa.binary(),
    "geography(EPSG:4269, karney)": pa.binary(),
}


@pytest.mark.parametrize(("spelling", "arrow"), CONTRACT.items(), ids=str)
def test_the_table_of_the_contract(spelling: str, arrow: pa.DataType) -> None:
    assert arrow_type(parse_primitive(spelling)) == arrow


NESTED = Schema(
    (
        NestedField(1, "id", IntegerType(), True, "the key"),
        NestedField(2, "s", StructType((NestedField(5, "x", IntegerType(), True, "deep"),))),
        NestedField(3, "l", ListType(6, StructType((NestedField(7, "y", StringType()),)), True)),
        NestedField(4, "m", MapType(8, StringType(), 9, ListType(10, IntegerType()), True), True),
    )
)


def every_field(fields: Iterator[pa.Field] | pa.Schema | pa.DataType) -> Iterator[pa.Field]:
    for f in fields:
        yield f
        if pa.types.is_struct(f.type):
            yield from every_field(f.type)
        elif pa.types.is_list(f.type):
            yield from every_field(iter([f.type.value_field]))
        elif pa.types.is_map(f.type):
            yield from every_field(iter([f.type.key_field, f.type.item_field]))


def test_nested_fields_have_names_ids_nullability_and_docs() -> None:
    found = [
        (f.name, int(f.metadata[b"PARQUET:field_id"]), f.nullable, f.metadata.get(b"doc"))
        for f in every_field(arrow_schema(NESTED))
    ]
    assert found == [
        ("id", 1, False, b"the key"),
        ("s", 2, True, None),
        ("x", 5, False, b"deep"),
        ("l", 3, True, None),
        ("element", 6, False, None),
        ("y", 7, True, None),
        ("m", 4, False, None),
        ("key", 8, False, None),
        ("value", 9, False, None),
        ("element", 10, True, None),
    ]


def test_the_ids_survive_a_parquet_file(tmp_path: object) -> None:
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(arrow_schema(NESTED).empty_table(), sink)
    read = pq.read_schema(pa.BufferReader(sink.getvalue()))
    assert schema_from_arrow(read).fields == NESTED.fields


def test_a_variant_is_refused_by_name() -> None:
    schema = Schema(
        (NestedField(1, "id", IntegerType()), NestedField(2, "s", StructType((NestedField(3, "v", VariantType()),))))
    )
    with pytest.raises(UnsupportedError) as caught:
        arrow_schema(schema)
    assert caught.value.path == "s.v"
    assert caught.value.field_id == 3
    with pytest.raises(UnsupportedError, match="variant"):
        arrow_type(VariantType())


@given(schemas())
def test_schemas_come_back_from_arrow(schema: Schema) -> None:
    lost = (GeometryType, GeographyType)  # Arrow's binary says nothing of them
    if any(isinstance(f.field_type, VariantType) for _, f in schema.walk()):
        with pytest.raises(UnsupportedError):
            arrow_schema(schema)
        return
    back = schema_from_arrow(arrow_schema(schema))
    assert list(back.ids_by_path.items()) == list(schema.ids_by_path.items())
    for field_id, field in schema.fields_by_id.items():
        found = back.fields_by_id[field_id]
        assert (found.required, found.doc) == (field.required, field.doc)
        if field.field_type.is_primitive and not isinstance(field.field_type, lost):
            assert found.field_type == field.field_type


FROM_ARROW = [
    (pa.int8(), "int"),
    (pa.int16(), "int"),
    (pa.uint8(), "int"),
    (pa.uint16(), "int"),
    (pa.uint32(), "long"),
    (pa.float16(), "float"),
    (pa.decimal32(5, 2), "decimal(5, 2)"),
    (pa.decimal64(12, 2), "decimal(12, 2)"),
    (pa.decimal256(38, 2), "decimal(38, 2)"),
    (pa.date64(), "date"),
    (pa.time32("s"), "time"),
    (pa.time32("ms"), "time"),
    (pa.timestamp("s"), "timestamp"),
    (pa.timestamp("ms"), "timestamp"),
    (pa.timestamp("ns"), "timestamp_ns"),
    (pa.timestamp("us", "Europe/Berlin"), "timestamptz"),
    (pa.timestamp("ns", "UTC"), "timestamptz_ns"),
    (pa.large_string(), "string"),
    (pa.string_view(), "string"),
    (pa.large_binary(), "binary"),
    (pa.binary_view(), "binary"),
    (pa.dictionary(pa.int8(), pa.string()), "string"),
    (pa.run_end_encoded(pa.int32(), pa.int64()), "long"),
    (pa.null(), "unknown"),
    (pa.uuid(), "uuid"),
    (pa.binary(16), "fixed[16]"),
    (pa.large_list(pa.int32()), "list<int>"),
    (pa.list_(pa.int32(), 3), "list<int>"),
    (pa.list_view(pa.int32()), "list<int>"),
    (pa.large_list_view(pa.int32()), "list<int>"),
    (pa.list_(pa.dictionary(pa.int8(), pa.string())), "list<string>"),
    (pa.map_(pa.large_string(), pa.int8()), "map<string, int>"),
]


@pytest.mark.parametrize(("arrow", "iceberg"), FROM_ARROW, ids=str)
def test_from_arrow(arrow: pa.DataType, iceberg: str) -> None:
    (field,) = schema_from_arrow(pa.schema([("a", arrow)])).fields
    assert str(field.field_type) == iceberg
    assert field.optional


NO_COUNTERPART = [
    pa.uint64(),
    pa.duration("us"),
    pa.month_day_nano_interval(),
    pa.time64("ns"),
    pa.decimal256(39, 2),
    pa.decimal128(5, -2),
    pa.sparse_union([pa.field("x", pa.int32())]),
    pa.bool8(),
    pa.list_(pa.uint64()),
]


@pytest.mark.parametrize("arrow", NO_COUNTERPART, ids=str)
def test_without_counterpart(arrow: pa.DataType) -> None:
    with pytest.raises(UnsupportedError) as caught:
        schema_from_arrow(pa.schema([pa.field("a", arrow)]))
    assert (caught.value.path or "").startswith("a")


def test_fresh_ids_in_javas_order() -> None:
    arrow = pa.schema(
        [
            ("a", pa.struct([("x", pa.int32()), ("y", pa.list_(pa.struct([("z", pa.int32())])))])),
            ("b", pa.map_(pa.struct([("k", pa.int32())]), pa.list_(pa.int32()))),
            ("c", pa.int32()),
        ]
    )
    found = {".".join(p): f.field_id for p, f in schema_from_arrow(arrow).walk()}
    assert found == {
        "a": 1,
        "b": 2,
        "c": 3,
        "a.x": 4,
        "a.y": 5,
        "a.y.element": 6,
        "a.y.element.z": 7,
        "b.key": 8,
        "b.value": 9,
        "b.key.k": 10,
        "b.value.element": 11,
    }


def test_one_field_without_id_makes_all_of_them_fresh() -> None:
    arrow = pa.schema([pa.field("a", pa.int32(), metadata={"PARQUET:field_id": "7"}), pa.field("b", pa.int32())])
    assert [f.field_id for f in schema_from_arrow(arrow).fields] == [1, 2]


def with_id(name: str, text: str) -> pa.Field:
    return pa.field(name, pa.int32(), metadata={"PARQUET:field_id": text})


@pytest.mark.parametrize(
    ("fields", "part"),
    [([with_id("a", "x")], "field_id"), ([with_id("a", "1"), with_id("b", "1")], "one id"),
     ([with_id("a", "2147483646")], "reserved"), ([pa.field("a", pa.int32()), pa.field("a", pa.int32())], "name a")],
)  # fmt: skip
def test_bad_ids_and_names(fields: list[pa.Field], part: str) -> None:
    with pytest.raises(InvalidMetadataError, match=part):
        schema_from_arrow(pa.schema(fields))


def test_fresh_ids_leave_the_rest_alone() -> None:
    fresh = iter(range(100, 200))
    assigned = assign_fresh_ids(NESTED.as_struct(), lambda: next(fresh))
    assert [f.field_id for f in Schema(assigned.fields).fields] == [100, 101, 102, 103]  # type: ignore[attr-defined]
    assert str(assigned).count("(deep)") == 1
    assert assign_fresh_ids(IntegerType(), lambda: next(fresh)) == IntegerType()
