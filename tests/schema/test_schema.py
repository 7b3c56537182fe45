"""A schema's indexes: by id, by path, by name with and without case, and short names as in Java."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from projector.errors import InvalidMetadataError, NotFoundError
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
    children,
    rebuild,
    transform,
)
from tests.schema.strategies import schemas


def field(field_id: int, name: str, field_type: IcebergType | None = None) -> NestedField:
    return NestedField(field_id, name, field_type or IntegerType())


def struct(*fields: NestedField) -> StructType:
    return StructType(fields)


ORDERS = Schema(
    (
        field(1, "id"),
        field(2, "Addr", struct(field(5, "zip"), field(6, "Zip"), field(7, "geo", struct(field(8, "lat"))))),
        field(3, "items", ListType(9, struct(field(10, "sku"), field(11, "tags", ListType(12, StringType()))))),
        field(
            4,
            "m",
            MapType(13, struct(field(15, "k")), 14, struct(field(16, "v"), field(17, "key"), field(18, "deep", ListType(
                19, struct(field(20, "x")))))),
        ),
        field(21, "ll", ListType(22, ListType(23, struct(field(24, "z"))))),
        field(25, "a.b"),
        field(26, "a", struct(field(27, "b"), field(28, "c"))),
    ),
    schema_id=7,
)  # fmt: skip

NAMES = {
    "id": 1, "Addr.zip": 5, "Addr.geo.lat": 8,
    "items": 3, "items.element": 9, "items.element.sku": 10, "items.sku": 10,
    "items.element.tags.element": 12, "items.tags": 11, "items.tags.element": 12,
    "m.key": 13, "m.value": 14, "m.key.k": 15, "m.value.v": 16, "m.v": 16, "m.value.key": 17,
    "m.value.deep.element.x": 20, "m.deep.x": 20, "m.deep.element": 19,
    "ll.element.element.z": 24, "ll.element.z": 24, "ll.element": 22, "ll.element.element": 23,
    "a.b": 25, "a.c": 28,
}  # fmt: skip


@pytest.mark.parametrize(("name", "field_id"), NAMES.items())
def test_names(name: str, field_id: int) -> None:
    assert ORDERS.find_id(name) == field_id
    assert ORDERS.find_field(name).field_id == field_id


@pytest.mark.parametrize(
    "name", ["ll.z", "m.k", "items.element.x", "", "ID", "m.deep.element.x ", "Addr.ZIP", "deep.x"]
)
def test_names_that_are_not_there(name: str) -> None:
    assert ORDERS.find_id(name) is None
    with pytest.raises(NotFoundError, match="Cannot find field"):
        ORDERS.find_field(name)


def test_a_partly_short_name_is_none_as_in_java() -> None:
    assert ORDERS.find_id("m.value.deep.x") is None


def test_paths() -> None:
    assert ORDERS.find_id(("a.b",)) == 25
    assert ORDERS.find_id(("a", "b")) == 27
    assert ORDERS.find_id(["items", "sku"]) == 10
    assert ORDERS.find_id(("items", "element", "sku")) == 10
    assert ORDERS.find_id(("items.sku",)) is None
    assert ORDERS.find_id(()) is None
    assert ORDERS.find_id(("ADDR", "GEO", "Lat"), case_sensitive=False) == 8
    with pytest.raises(NotFoundError, match="ambiguous"):
        ORDERS.find_id(("addr", "ZIP"), case_sensitive=False)
    assert ORDERS.paths_by_id[24] == ("ll", "element", "element", "z")
    assert ORDERS.ids_by_path[("m", "value", "key")] == 17


def test_names_without_case() -> None:
    assert ORDERS.find_id("ID", case_sensitive=False) == 1
    assert ORDERS.find_id("ITEMS.SKU", case_sensitive=False) == 10
    assert ORDERS.find_id("Addr.Zip", case_sensitive=False) == 6
    assert ORDERS.find_id("A.B", case_sensitive=False) == 25
    with pytest.raises(NotFoundError, match=r"ambiguous.*Addr\.zip, Addr\.Zip"):
        ORDERS.find_id("addr.ZIP", case_sensitive=False)


def test_a_full_name_wins_over_a_short_one() -> None:
    schema = Schema((field(1, "l", ListType(2, struct(field(3, "element"), field(4, "x")))),))
    assert schema.find_id("l.element") == 2
    assert schema.find_id("l.element.element") == 3


def test_the_inner_of_two_short_names_wins_as_in_java() -> None:
    inner = ListType(4, struct(field(5, "element")))
    schema = Schema((field(1, "k", ListType(2, struct(field(3, "l", inner)))),))
    assert schema.find_id("k.l.element") == 5
    assert schema.find_id("k.element.l.element") == 4


def test_ids() -> None:
    assert ORDERS.find_id(20) == 20
    assert ORDERS.find_id(99) is None
    assert ORDERS.find_field(28).name == "c"
    assert ORDERS.highest_field_id == 28
    assert Schema(()).highest_field_id == 0
    assert ORDERS.name_of(20) == "m.value.deep.element.x"
    with pytest.raises(NotFoundError):
        ORDERS.name_of(99)


def test_parents() -> None:
    assert ORDERS.parents_by_id[20] == 19
    assert ORDERS.parents_by_id[15] == 13
    assert 25 not in ORDERS.parents_by_id
    assert ORDERS.parents_by_id[27] == 26


def test_two_fields_with_one_id() -> None:
    schema = Schema((field(1, "a"), field(2, "s", struct(field(1, "b")))))
    with pytest.raises(InvalidMetadataError, match=r"one id: a and s\.b"):
        schema.fields_by_id  # noqa: B018
    with pytest.raises(InvalidMetadataError):
        schema.paths_by_id  # noqa: B018


def test_same_columns() -> None:
    assert ORDERS.same_columns(Schema(ORDERS.fields, 99))
    assert Schema(ORDERS.fields, 0, (1, 25)).same_columns(Schema(ORDERS.fields, 0, (25, 1)))
    assert not ORDERS.same_columns(Schema(ORDERS.fields, 7, (1,)))
    assert not ORDERS.same_columns(Schema(ORDERS.fields[1:], 7))


@given(schemas())
def test_every_field_is_found_by_its_id_and_path(schema: Schema) -> None:
    for path, found in schema.walk():
        assert schema.find_id(path) == found.field_id
        assert schema.fields_by_id[found.field_id] is found or schema.fields_by_id[found.field_id] == found
        assert schema.find_field(found.field_id) == found
    assert set(schema.paths_by_id) == set(schema.fields_by_id) == set(schema.ids_by_path.values())


@given(schemas())
def test_rebuild_reverses_children(schema: Schema) -> None:
    for _, found in schema.walk():
        assert rebuild(found.field_type, children(found.field_type)) == found.field_type
    assert transform(schema.as_struct(), lambda f: f) == schema.as_struct()


def wide(columns: int) -> Schema:
    """A schema of so many columns, a fifth of them nested."""
    fields: list[NestedField] = []
    next_id = iter(range(1, 10 * columns))
    for i in range(columns):
        field_type: Any = LongType()
        if i % 10 == 0:
            field_type = ListType(next(next_id), struct(field(next(next_id), "a"), field(next(next_id), "b")))
        elif i % 10 == 1:
            field_type = MapType(next(next_id), StringType(), next(next_id), struct(field(next(next_id), "a")))
        fields.append(field(next(next_id), f"c{i}", field_type))
    return Schema(tuple(fields))


def test_a_wide_schema_is_indexed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = wide(2000)
    walks = []
    monkeypatch.setattr(Schema, "walk", lambda self, walk=Schema.walk: walks.append(self) or walk(self))
    for _ in range(1000):
        assert schema.find_id("c1999") == schema.find_id(("c1999",)) == schema.find_id("C1999", case_sensitive=False)
        assert schema.find_id("c10.b") == schema.find_id("c10.element.b") == schema.find_id(("c10", "b"))
        assert schema.find_field("c10.b").name == "b"
        assert schema.parents_by_id
    assert len(walks) < 10
