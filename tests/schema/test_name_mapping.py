"""Name mappings: the spec's example, lookups, and updates as Java's `MappingUtil` makes them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from projector.errors import InvalidMetadataError
from projector.schema.name_mapping import ROOT_ID, MappedField, NameMapping, create_mapping, update_mapping
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, ListType, MapType, NestedField, StringType, StructType
from tests.schema.strategies import schemas

SPEC = """[ { "field-id": 1, "names": ["id", "record_id"] },
   { "field-id": 2, "names": ["data"] },
   { "field-id": 3, "names": ["location"], "fields": [
       { "field-id": 4, "names": ["latitude", "lat"] },
       { "field-id": 5, "names": ["longitude", "long"] }
     ] } ]"""


def test_the_example_of_the_spec() -> None:
    mapping = NameMapping.from_json(SPEC)
    assert mapping == NameMapping(
        (
            MappedField(("id", "record_id"), 1),
            MappedField(("data",), 2),
            MappedField(("location",), 3, (MappedField(("latitude", "lat"), 4), MappedField(("longitude", "long"), 5))),
        )
    )
    assert NameMapping.from_json(mapping.to_json()) == mapping


def test_lookups_stay_on_their_level() -> None:
    mapping = NameMapping.from_json(SPEC)
    assert mapping.find("record_id") is mapping.find("id")
    assert mapping.find("lat") is None
    location = mapping.find("location")
    assert location is not None
    assert location.find("lat") == MappedField(("latitude", "lat"), 4)
    assert location.find("id") is None
    assert mapping.find_path(("location", "long")) == mapping.find_by_id(5)
    assert mapping.find_path(("location", "long", "x")) is None
    assert mapping.find_path(("nobody", "x")) is None
    assert mapping.find_path(()) is None
    assert mapping.find_by_id(9) is None


def test_a_dot_has_no_meaning() -> None:
    mapping = NameMapping((MappedField(("a.b",), 1), MappedField(("a",), 2, (MappedField(("b",), 3),))))
    assert mapping.find("a.b") == MappedField(("a.b",), 1)
    assert mapping.find_path(("a", "b")) == MappedField(("b",), 3)


def test_fields_without_id_and_without_names() -> None:
    entries = ['{"names": ["only in files"]}', '{"names": ["other"], "field-id": null}', '{"field-id": 1, "names": []}']
    text = f'[{", ".join(entries)}, {{"field-id": 2}}]'
    mapping = NameMapping.from_json(text)
    assert [(f.field_id, f.names) for f in mapping.fields] == [
        (None, ("only in files",)),
        (None, ("other",)),
        (1, ()),
        (2, ()),
    ]
    assert set(mapping.fields_by_id) == {1, 2}
    assert NameMapping.from_json(mapping.to_json()) == mapping
    assert '"field-id": null' not in mapping.to_json()


def test_one_name_said_twice_of_one_field() -> None:
    assert NameMapping.from_json('[{"field-id": 1, "names": ["a", "a"]}]').fields == (MappedField(("a",), 1),)


REFUSED = [
    ("not json", "JSON", None),
    ("", "JSON", None),
    ("{}", "list", None),
    ("null", "list", None),
    ("[1]", "object", None),
    ('[{"field-id": "1", "names": ["a"]}]', "integer", None),
    ('[{"field-id": true, "names": ["a"]}]', "integer", None),
    ('[{"field-id": 1, "names": "a"}]', "names", None),
    ('[{"field-id": 1, "names": [1]}]', "names", None),
    ('[{"field-id": 1, "names": ["a"], "fields": {}}]', "list", "a"),
    ('[{"field-id": 1, "names": ["a"]}, {"field-id": 2, "names": ["b", "a"]}]', "ids 1 and 2", "a"),
    ('[{"names": ["a"]}, {"field-id": 2, "names": ["a"]}]', "ids None and 2", "a"),
    (
        '[{"names": ["a"], "fields": [{"field-id": 1, "names": ["x"]}, {"field-id": 2, "names": ["x"]}]}]',
        "twice",
        "a.x",
    ),
    ('[{"field-id": 1, "names": ["a"]}, {"field-id": 1, "names": ["b"]}]', "ID 1 is not unique", "b"),
    ('[{"field-id": 1, "names": ["a"], "fields": [{"field-id": 1, "names": ["b"]}]}]', "ID 1 is not unique", "a.b"),
]


@pytest.mark.parametrize(("text", "part", "path"), REFUSED)
def test_refused(text: str, part: str, path: str | None) -> None:
    with pytest.raises(InvalidMetadataError) as caught:
        NameMapping.from_json(text)
    assert part in str(caught.value)
    assert caught.value.path == path
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("levels", [101, 5000, 200_000])
def test_too_deep(levels: int) -> None:
    with pytest.raises(InvalidMetadataError):
        NameMapping.from_json('[{"names": ["a"], "fields": ' * levels + "[]" + "}]" * levels)


def field(field_id: int, name: str, field_type: Any = None) -> NestedField:
    return NestedField(field_id, name, field_type or IntegerType())


INFO = StructType((field(8, "a"), field(9, "b")))
ITEMS = ListType(10, StructType((field(11, "sku"), field(12, "n"))))
ATTRS = MapType(13, StringType(), 14, StructType((field(15, "v"),)))
SCHEMA = Schema(
    (field(1, "id"), field(2, "region"), field(5, "info", INFO), field(6, "items", ITEMS), field(7, "attrs", ATTRS))
)


def names(mapping: NameMapping) -> dict[int | None, set[str]]:
    return {f.field_id: set(f.names) for _, f in mapping.walk()}


def test_create() -> None:
    mapping = create_mapping(SCHEMA)
    assert mapping.find_path(("items", "element", "sku")) == MappedField(("sku",), 11)
    assert mapping.find_path(("attrs", "value", "v")) == MappedField(("v",), 15)
    assert mapping.find_path(("attrs", "key")) == MappedField(("key",), 13)
    assert [f.field_id for f in mapping.fields] == [1, 2, 5, 6, 7]


@given(schemas())
def test_created_mappings_name_every_field(schema: Schema) -> None:
    mapping = create_mapping(schema)
    assert set(mapping.fields_by_id) == set(schema.fields_by_id)
    for path, found in schema.walk():
        mapped = mapping.find_path(path)
        assert mapped is not None
        assert mapped.field_id == found.field_id
    assert NameMapping.from_json(mapping.to_json()) == mapping


def test_a_rename_adds_a_name() -> None:
    updated = update_mapping(create_mapping(SCHEMA), {2: field(2, "area")}, {})
    assert names(updated)[2] == {"region", "area"}
    again = update_mapping(updated, {2: field(2, "zone")}, {})
    assert names(again)[2] == {"region", "area", "zone"}


def test_nested_renames() -> None:
    updates = {8: field(8, "aa"), 11: field(11, "code"), 15: field(15, "vv"), 5: field(5, "details", INFO)}
    updated = update_mapping(create_mapping(SCHEMA), updates, {})
    assert {i: names(updated)[i] for i in updates} == {
        8: {"a", "aa"},
        11: {"sku", "code"},
        15: {"v", "vv"},
        5: {"info", "details"},
    }
    assert names(updated)[9] == {"b"}


def test_swapped_names_change_owners() -> None:
    updated = update_mapping(create_mapping(SCHEMA), {1: field(1, "region"), 2: field(2, "id")}, {})
    assert names(updated)[1] == {"region"}
    assert names(updated)[2] == {"id"}


def test_an_added_field_takes_the_name_of_a_dropped_one() -> None:
    added = field(16, "region", StructType((field(17, "x"),)))
    updated = update_mapping(create_mapping(SCHEMA), {16: added}, {ROOT_ID: [added]})
    assert names(updated)[2] == set()
    assert updated.fields[-1] == MappedField(("region",), 16, (MappedField(("x",), 17),))


def test_a_renamed_field_takes_an_old_name_of_another() -> None:
    mapping = NameMapping((MappedField(("a", "old"), 1), MappedField(("b",), 2), MappedField(("old2",), None)))
    updated = update_mapping(mapping, {2: field(2, "old")}, {})
    assert names(updated) == {1: {"a"}, 2: {"b", "old"}, None: {"old2"}}


def test_two_names_taken_at_once() -> None:
    mapping = NameMapping((MappedField(("a", "b", "c"), 1),))
    added = [field(2, "a"), field(3, "b")]
    updated = update_mapping(mapping, {f.field_id: f for f in added}, {ROOT_ID: added})
    assert names(updated) == {1: {"c"}, 2: {"a"}, 3: {"b"}}


def test_added_below_a_struct_a_list_and_a_map() -> None:
    adds = {5: [field(16, "c")], 10: [field(17, "price")], 14: [field(18, "w")]}
    updated = update_mapping(create_mapping(SCHEMA), {f.field_id: f for fs in adds.values() for f in fs}, adds)
    for path, field_id in ((("info", "c"), 16), (("items", "element", "price"), 17), (("attrs", "value", "w"), 18)):
        assert updated.find_path(path) == MappedField((path[-1],), field_id)


def test_added_below_a_field_mapped_without_children() -> None:
    mapping = NameMapping((MappedField(("info",), 5),))
    updated = update_mapping(mapping, {16: field(16, "c")}, {5: [field(16, "c")]})
    assert updated.find_path(("info", "c")) == MappedField(("c",), 16)


def test_fields_that_are_not_mapped_stay_so() -> None:
    mapping = NameMapping((MappedField(("id", "key"), 1), MappedField(("info",), 5)))
    added = field(16, "x")
    updated = update_mapping(mapping, {2: field(2, "area"), 16: added}, {ROOT_ID: [added]})
    assert names(updated) == {1: {"id", "key"}, 5: {"info"}, 16: {"x"}}


def test_nothing_changed() -> None:
    mapping = create_mapping(SCHEMA)
    assert update_mapping(mapping, {}, {}) == mapping
