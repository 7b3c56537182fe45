"""Schemas as the spec's JSON (Appendix C): examples, what both ways keep, and what is refused, by field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from projector.errors import InvalidMetadataError
from projector.schema.schema import Schema
from projector.schema.type_json import field_from_json, field_to_json, type_from_json, type_to_json
from projector.schema.types import (
    DecimalType,
    FixedType,
    GeographyType,
    GeometryType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    UUIDType,
)
from tests.schema.strategies import schemas, types


def column(**changes: Any) -> dict[str, Any]:
    return {"id": 1, "name": "a", "required": False, "type": "int"} | changes


def schema(*columns: dict[str, Any], **top: Any) -> dict[str, Any]:
    return {"type": "struct", "schema-id": 0, "fields": list(columns)} | top


SPELLINGS = [
    *(
        (s, s)
        for s in (
            "unknown",
            "boolean",
            "int",
            "long",
            "float",
            "double",
            "date",
            "time",
            "timestamp",
            "timestamptz",
            "timestamp_ns",
            "timestamptz_ns",
            "string",
            "uuid",
            "binary",
            "variant",
            "fixed[16]",
        )
    ),
    ("decimal(9,2)", "decimal(9, 2)"),
    ("decimal(9, 2)", "decimal(9, 2)"),
    ("decimal( 9 , 2 )", "decimal(9, 2)"),
    ("DECIMAL(9,2)", "decimal(9, 2)"),
    ("fixed[ 16 ]", "fixed[16]"),
    ("Int", "int"),
    ("geometry", "geometry"),
    ("geometry(srid:4326)", "geometry(srid:4326)"),
    ("geometry( EPSG:3857 )", "geometry(EPSG:3857)"),
    ("geography", "geography"),
    ("geography(srid:4326)", "geography(srid:4326)"),
    ("geography(srid:4326, spherical)", "geography(srid:4326)"),
    ("geography(srid:4326,KARNEY)", "geography(srid:4326, karney)"),
    ("geography(OGC:CRS84, vincenty)", "geography(OGC:CRS84, vincenty)"),
]


@pytest.mark.parametrize(("text", "written"), SPELLINGS)
def test_spellings_of_primitive_types(text: str, written: str) -> None:
    parsed = type_from_json(text)
    assert type_to_json(parsed) == written
    assert type_from_json(written) == parsed


def test_parameters_of_types() -> None:
    assert type_from_json("decimal(38,10)") == DecimalType(38, 10)
    assert type_from_json("fixed[7]") == FixedType(7)
    assert type_from_json("geometry(projjson:crs_of_a)") == GeometryType("projjson:crs_of_a")
    assert type_from_json("geography(EPSG:4269, thomas)") == GeographyType("EPSG:4269", "thomas")


def test_nested_types_of_the_spec() -> None:
    a_list = {"type": "list", "element-id": 3, "element-required": True, "element": "string"}
    assert type_from_json(a_list) == ListType(3, StringType(), True)
    a_map = {"type": "map", "key-id": 4, "key": "string", "value-id": 5, "value-required": False, "value": "double"}
    assert str(type_from_json(a_map)) == "map<string, double>"
    assert type_to_json(type_from_json(a_map)) == a_map
    field = {
        "id": 1,
        "name": "id",
        "required": True,
        "type": "uuid",
        "initial-default": "0db3e2a8-9d1d-42b9-aa7b-74ebe558dceb",
        "write-default": "ec5911be-b0a7-458c-8438-c9a3e53cffae",
    }
    parsed = field_from_json(field)
    assert parsed.field_type == UUIDType()
    assert str(parsed.initial_default) == "0db3e2a8-9d1d-42b9-aa7b-74ebe558dceb"
    assert field_to_json(parsed) == field


def test_a_type_may_come_as_json_text() -> None:
    assert type_from_json('"long"') == LongType()
    assert type_from_json('{"type": "list", "element-id": 0, "element-required": false, "element": "int"}') == ListType(
        0, IntegerType()
    )


def test_version_1_has_no_schema_id() -> None:
    parsed = Schema.from_json({"type": "struct", "fields": [column()]})
    assert parsed.schema_id == 0
    assert parsed.identifier_field_ids == ()


def test_identifier_fields_are_written_where_there_are_any() -> None:
    value = schema(column(required=True), column(id=2, name="b", required=True), **{"identifier-field-ids": [2, 1]})
    assert Schema.from_json(value).identifier_field_ids == (2, 1)
    assert Schema.from_json(value).to_json_dict() == value
    value["identifier-field-ids"] = []
    assert "identifier-field-ids" not in Schema.from_json(value).to_json_dict()


def test_both_defaults_are_kept_apart() -> None:
    value = schema(column(**{"initial-default": 3}), column(id=2, name="b", **{"write-default": 4}))
    first, second = Schema.from_json(value).fields
    assert (first.initial_default, first.write_default) == (3, None)
    assert (second.initial_default, second.write_default) == (None, 4)
    assert Schema.from_json(value).to_json_dict() == value


def test_a_null_default_is_none() -> None:
    parsed = Schema.from_json(schema(column(**{"initial-default": None})))
    assert parsed.to_json_dict() == schema(column())


def test_the_default_of_a_struct_is_the_empty_object() -> None:
    struct = {"type": "struct", "fields": [column(id=2, **{"initial-default": 0, "write-default": 0})]}
    value = schema(column(name="point", type=struct, **{"initial-default": {}, "write-default": {}}))
    parsed = Schema.from_json(value)
    assert parsed.fields[0].initial_default == {}
    assert parsed.to_json_dict() == value


def test_unknown_keys_and_docs() -> None:
    parsed = Schema.from_json(schema(column(doc="Größe\n☃", extra=1), more=[1]))
    assert parsed.fields[0].doc == "Größe\n☃"
    assert "Größe" in parsed.to_json()


def test_the_text_is_one_line_without_spaces() -> None:
    text = Schema((NestedField(1, "a", DecimalType(9, 2), True),)).to_json()
    assert text == (
        '{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"a","required":true,"type":"decimal(9, 2)"}]}'
    )


@given(schemas())
def test_schemas_go_round(original: Schema) -> None:
    again = Schema.from_json(original.to_json())
    assert again == original
    assert repr(again) == repr(original)
    assert Schema.from_json(original.to_json()) == original


@given(types())
def test_types_go_round(original: IcebergType) -> None:
    assert type_from_json(json.loads(json.dumps(type_to_json(original)))) == original


LIST = {"type": "list", "element-id": 2, "element-required": False, "element": "int"}
MAP = {"type": "map", "key-id": 2, "key": "int", "value-id": 3, "value-required": False, "value": "int"}


def without(value: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in value.items() if k != key}


def nested(child: dict[str, Any]) -> dict[str, Any]:
    """A schema in which a struct of a list holds a field."""
    struct = {"type": "struct", "fields": [child]}
    return schema(column(name="top", type=LIST | {"element": struct}))


REFUSED = [
    (schema(column(type="integer")), "integer", "a"),
    (schema(column(type="timestamp_ms")), "timestamp_ms", "a"),
    (schema(column(type="decimal(39,2)")), "precision", "a"),
    (schema(column(type="decimal(2,3)")), "scale", "a"),
    (schema(column(type="decimal(99999999999999999999,2)")), "Cannot parse type", "a"),
    (schema(column(type="geography(x, flat)")), "algorithm", "a"),
    (schema(column(type="geometry()")), "CRS", "a"),
    (schema(column(type={"type": "set"})), "Cannot parse type", "a"),
    (schema(column(type=5)), "Cannot parse type", "a"),
    (schema(column(type=None)), "Cannot parse type", "a"),
    (nested(column(id=3, name="x", type="varchar")), "varchar", "top.element.x"),
    (schema(without(column(), "type")), "missing type", "a"),
    (schema(without(column(), "name")), "missing name", None),
    (schema(without(column(), "id")), "missing id", "a"),
    (schema(without(column(), "required")), "missing required", "a"),
    (schema(column(required="true")), "required", "a"),
    (schema(column(required=0)), "required", "a"),
    (schema(column(required=None)), "required", "a"),
    (schema(column(id="1")), "integer", "a"),
    (schema(column(id=1.0)), "integer", "a"),
    (schema(column(id=True)), "integer", "a"),
    (schema(column(id=2**31)), "integer", "a"),
    (schema(column(id=-1)), "negative", "a"),
    (schema(column(id=2147483448)), "reserved", "a"),
    (nested(column(id=2147483646, name="_file", type="string")), "reserved", "top.element._file"),
    (schema(column(), column(id=1, name="b")), "one id: a and b", "b"),
    (nested(column(id=1, name="x")), "one id: top and top.element.x", "top.element.x"),
    (schema(column(), column(id=2)), "multiple fields for name a: 1 and 2", "a"),
    (schema(column(type={"type": "struct", "fields": [column(id=2), column(id=3)]})), "a.a: 2 and 3", "a.a"),
    (schema(column(name=5)), "name", None),
    (schema(column(name="\ud800")), "Unicode", None),
    (schema(column(doc=5)), "doc", "a"),
    (schema(column(type="unknown", required=True)), "unknown", "a"),
    (schema(column(type="unknown", **{"initial-default": 1})), "unknown", "a"),
    (schema(column(type=LIST | {"element": "unknown", "element-required": True})), "unknown", "a.element"),
    (schema(column(type=MAP | {"key": "unknown"})), "unknown", "a.key"),
    (schema(column(type="variant", **{"write-default": 1})), "write-default", "a"),
    (schema(column(type="geometry", **{"initial-default": "POINT (30 10)"})), "initial-default", "a"),
    (schema(column(**{"initial-default": "3"})), "initial-default", "a"),
    (schema(column(**{"write-default": 2**31})), "write-default", "a"),
    (schema(column(type={"type": "struct", "fields": [column(id=2)]}, **{"initial-default": {"2": 1}})), "{}", "a"),
    (schema(column(type=without(LIST, "element-id"))), "element-id", "a"),
    (schema(column(type=without(LIST, "element"))), "element", "a"),
    (schema(column(type=without(LIST, "element-required"))), "element-required", "a"),
    (schema(column(type=without(MAP, "value"))), "value", "a"),
    (schema(column(type=MAP | {"value-required": "no"})), "value-required", "a"),
    (schema(fields={}), "non-array", None),
    (schema(fields=[1]), "non-object", None),
    (without(schema(), "fields"), "missing fields", None),
    (schema(column(), **{"schema-id": "0"}), "schema-id", None),
    (schema(column(), **{"schema-id": True}), "schema-id", None),
    (schema(column(), **{"identifier-field-ids": 1}), "identifier-field-ids", None),
    (schema(column(), **{"identifier-field-ids": ["1"]}), "identifier-field-ids", None),
    (schema(column(), **{"identifier-field-ids": [9]}), "fieldId 9", None),
    (LIST, "not a struct", None),
    ("[]", "Cannot parse type", None),
    ("", "JSON", None),
    ('{"type": "struct", "fields": [', "JSON", None),
    ('{"type": "struct", "schema-id": NaN, "fields": []}', "JSON", None),
    ('{"type": "struct", "schema-id": ' + "1" * 5000 + ', "fields": []}', "", None),
]


@pytest.mark.parametrize(("value", "part", "path"), REFUSED, ids=lambda v: ascii(v)[:60])
def test_refused(value: Any, part: str, path: str | None) -> None:
    with pytest.raises(InvalidMetadataError) as caught:
        Schema.from_json(value)
    assert part in str(caught.value)
    assert caught.value.path == path
    assert len(str(caught.value).splitlines()) == 1


def test_an_id_of_0_is_read() -> None:
    assert Schema.from_json(schema(column(id=0))).fields[0].field_id == 0


def deep(kind: str, levels: int) -> Any:
    value: Any = "int"
    for i in range(levels, 0, -1):
        if kind == "list":
            value = {"type": "list", "element-id": i + 1, "element-required": False, "element": value}
        else:
            value = {"type": "struct", "fields": [column(id=i + 1, name="s", type=value)]}
    return schema(column(type=value))


@pytest.mark.parametrize("kind", ["list", "struct"])
@pytest.mark.parametrize("levels", [101, 300, 500])
def test_too_deep_is_an_error_of_one_line(kind: str, levels: int) -> None:
    with pytest.raises(InvalidMetadataError, match=r"deep") as caught:
        Schema.from_json(deep(kind, levels))
    assert len(str(caught.value)) < 300


def test_too_deep_as_text() -> None:
    text = '{"type":"struct","fields":[' + '{"type":"list","element":' * 100_000
    with pytest.raises(InvalidMetadataError):
        Schema.from_json(text)


@pytest.mark.parametrize("kind", ["list", "struct"])
def test_90_levels_work(kind: str) -> None:
    parsed = Schema.from_json(deep(kind, 90))
    assert len(parsed.fields_by_id) == 91
    assert parsed.find_id(("a", *["element" if kind == "list" else "s"] * 90)) == 91
    assert Schema.from_json(parsed.to_json()) == parsed
    assert hash(parsed) == hash(Schema.from_json(parsed.to_json()))


def test_nested_types_print_as_in_java() -> None:
    struct = StructType((NestedField(2, "x", IntegerType(), True, "how many"), NestedField(3, "y", StringType())))
    assert str(struct) == "struct<2: x: required int (how many), 3: y: optional string>"
    assert str(MapType(4, StringType(), 5, ListType(6, struct))) == f"map<string, list<{struct}>>"
