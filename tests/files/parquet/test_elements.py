from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from projector.errors import CorruptFileError
from projector.files.parquet import elements as parquet_elements
from projector.files.parquet.elements import read_element
from projector.files.parquet.types import BadElement
from tests.files import craft

LOGICAL = [
    None,
    craft.STRING,
    craft.UUID,
    craft.VARIANT,
    craft.decimal(9, 2),
    craft.integer(8, True),
    craft.integer(16, False),
    craft.time("us", True),
    craft.timestamp("ns", False),
    craft.logical(17, craft.Field(1, craft.BINARY, b"EPSG:4326")),
]
small = st.none() | st.integers(-3, 40)
elements = st.builds(
    craft.Element,
    name=st.text(max_size=5) | st.just("n" * 127) | st.just("n" * 200),
    physical=st.sampled_from((None, *craft.PHYSICAL)),
    repetition=st.sampled_from((None, *craft.REPETITION)),
    field_id=st.none() | st.integers(-1, 2**31 - 1),
    converted=st.none() | st.integers(0, 25),
    logical=st.sampled_from(LOGICAL),
    length=small,
    scale=small,
    precision=small,
    num_children=small,
)


def encoded(element: craft.Element) -> bytes:
    return craft.encode(next(iter(craft._flatten(element))))


def outcome(read: Any, data: bytes) -> object:
    try:
        (name, field_id, type_), end = read(data, 3)
    except (BadElement, CorruptFileError) as error:
        return type(error)
    return name, field_id, end, type_.repetition, type_.num_children, type_.leaf, type_.annotation, type_.problem


@settings(max_examples=400, deadline=None)
@given(elements, elements)
def test_remembered_elements_are_read_as_new_ones(one: craft.Element, other: craft.Element) -> None:
    for element in (one, other, one):
        data = b"abc" + encoded(element) + b"\x15\x02"
        assert outcome(read_element, data) == outcome(parquet_elements._read_element, data)
        assert outcome(read_element, data)[2] == len(data) - 2  # type: ignore[index]


@settings(max_examples=400, deadline=None)
@given(elements, st.data())
def test_damaged_elements_are_read_as_new_ones(element: craft.Element, chance: st.DataObject) -> None:
    data = bytearray(b"abc" + encoded(element))
    read_element(bytes(data), 3)
    for _ in range(chance.draw(st.integers(1, 3))):
        data[chance.draw(st.integers(3, len(data) - 1))] = chance.draw(
            st.sampled_from((0, 0x15, 0x1C, 0x18, 0x7F, 0x80, 255))
        )
    del data[chance.draw(st.integers(3, len(data))) :]
    assert outcome(read_element, bytes(data)) == outcome(parquet_elements._read_element, bytes(data))
