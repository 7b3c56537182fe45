"""Selected columns, as the contract has them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.errors import NotFoundError
from projector.schema.schema import Schema
from projector.schema.selection import select
from projector.schema.types import MapType
from tests.schema.strategies import schemas
from tests.schema.test_schema import ORDERS

CASES = [
    (("id",), "1: id: optional int"),
    (
        ("items", "id"),
        "1: id: optional int|3: items: optional list<struct<10: sku: optional int, 11: tags: optional list<string>>>",
    ),
    (("Addr.geo.lat",), "2: Addr: optional struct<7: geo: optional struct<8: lat: optional int>>"),
    (
        ("Addr.geo.lat", "Addr.zip"),
        "2: Addr: optional struct<5: zip: optional int, 7: geo: optional struct<8: lat: optional int>>",
    ),
    (("Addr.geo", "Addr.geo.lat"), "2: Addr: optional struct<7: geo: optional struct<8: lat: optional int>>"),
    (("items.sku",), "3: items: optional list<struct<10: sku: optional int>>"),
    (("items.element.sku",), "3: items: optional list<struct<10: sku: optional int>>"),
    (("items.tags.element",), "3: items: optional list<struct<11: tags: optional list<string>>>"),
    (("m.v",), "4: m: optional map<struct<15: k: optional int>, struct<16: v: optional int>>"),
    (("m.value.key",), "4: m: optional map<struct<15: k: optional int>, struct<17: key: optional int>>"),
    (("m.key.k", "m.v"), "4: m: optional map<struct<15: k: optional int>, struct<16: v: optional int>>"),
    (
        ("m.deep.x",),
        "4: m: optional map<struct<15: k: optional int>, struct<18: deep: optional list<struct<20: x: optional int>>>>",
    ),
    (("ll.element.z",), "21: ll: optional list<list<struct<24: z: optional int>>>"),
    (("a.b",), "25: a.b: optional int"),
    ((("a", "b"),), "26: a: optional struct<27: b: optional int>"),
    ((("a.b",),), "25: a.b: optional int"),
    (("a.c",), "26: a: optional struct<28: c: optional int>"),
    ((["Addr", "zip"],), "2: Addr: optional struct<5: zip: optional int>"),
    ((), ""),
]


@pytest.mark.parametrize(("names", "columns"), CASES, ids=lambda v: str(v)[:60])
def test_selected(names: Any, columns: str) -> None:
    assert "|".join(map(str, select(ORDERS, names).fields)) == columns


def test_all() -> None:
    assert select(ORDERS, ("*",)) is ORDERS
    assert select(ORDERS, ("id", "*")) is ORDERS


@pytest.mark.parametrize("name", ["m.key", "m.key.k", "m.value", "m"])
def test_a_key_keeps_its_map_whole(name: str) -> None:
    (column,) = select(ORDERS, (name,)).fields
    assert column == ORDERS.find_field("m")


def test_the_whole_element_is_the_whole_list() -> None:
    assert select(ORDERS, ("items.element", "items.sku")).fields == (ORDERS.find_field("items"),)


def test_without_case_the_spelling_is_the_schemas() -> None:
    picked = select(ORDERS, ("ITEMS.Sku", "addr.GEO"), case_sensitive=False)
    assert [".".join(p) for p, _ in picked.walk()] == [
        "Addr",
        "Addr.geo",
        "Addr.geo.lat",
        "items",
        "items.element",
        "items.element.sku",
    ]
    with pytest.raises(NotFoundError, match="ambiguous"):
        select(ORDERS, ("addr.zip".upper(),), case_sensitive=False)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("itmes", "did you mean items"), ("ID", "did you mean id"), ("items.skuu", "did you mean items.sku"),
     ("qqqqqqqq", "the schema has: id, Addr, items"), ("addr.zip", "did you mean Addr.zip")],
)  # fmt: skip
def test_a_name_that_is_not_there(name: str, hint: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        select(ORDERS, ("id", name))
    assert f"Cannot find column {name!r}" in str(caught.value)
    assert hint in str(caught.value)


def test_a_path_that_is_not_there() -> None:
    with pytest.raises(NotFoundError, match=r"Addr\.nope"):
        select(ORDERS, (("Addr", "nope"),))


def test_ids_of_the_schema_and_identifiers() -> None:
    schema = Schema(ORDERS.fields, 7, (25, 1))
    picked = select(schema, ("id",))
    assert picked.schema_id == 7
    assert picked.identifier_field_ids == (1,)


@given(st.data())
def test_what_is_selected_is_there_whole_and_nothing_else(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    paths = data.draw(st.lists(st.sampled_from(sorted(schema.ids_by_path)), max_size=4))
    picked = select(schema, paths)
    assert list(picked.ids_by_path) == [p for p in schema.ids_by_path if p in picked.ids_by_path]
    for path in paths:
        assert picked.find_field(path) == schema.find_field(path)
    keys = {f.field_type.key_id for _, f in schema.walk() if isinstance(f.field_type, MapType)}
    maps_with_chosen_keys = {p[:n] for p in paths for n in range(len(p)) if schema.ids_by_path[p[: n + 1]] in keys}
    wanted = [*paths, *maps_with_chosen_keys]
    for path in picked.ids_by_path:
        inside = any(path[: len(w)] == w for w in wanted)
        above = any(w[: len(path)] == path for w in wanted)
        in_a_key = any(schema.ids_by_path[path[:n]] in keys for n in range(1, len(path) + 1))
        assert inside or above or in_a_key


def test_one_name_as_text_is_one_column() -> None:
    assert select(ORDERS, "id").fields == (ORDERS.fields[0],)
