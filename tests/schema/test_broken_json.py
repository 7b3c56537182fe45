"""JSON in which anything may stand anywhere: read, or refused as invalid metadata on one line; never another error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from projector.errors import InvalidMetadataError
from projector.schema.name_mapping import NameMapping, create_mapping
from projector.schema.schema import Schema
from tests.schema.strategies import schemas

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value as its container and the key or index in it."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])


def broken(data: st.DataObject, value: Any) -> Any:
    for _ in range(data.draw(st.integers(1, 2))):
        container, key = data.draw(st.sampled_from(list(places(value))))
        others = [c[k] for c, k in places(value)]
        container[key] = data.draw(anything | st.sampled_from(others).map(lambda v: json.loads(json.dumps(v))))
    return value


def refusal(read: Callable[[], Any]) -> InvalidMetadataError | None:
    try:
        read()
    except InvalidMetadataError as e:
        return e
    return None


@given(st.data())
def test_schemas(data: st.DataObject) -> None:
    value = broken(data, json.loads(data.draw(schemas()).to_json()))
    refused = refusal(lambda: Schema.from_json(value))
    if refused is not None:
        assert len(str(refused).splitlines()) == 1
        return
    parsed = Schema.from_json(value)
    assert Schema.from_json(parsed.to_json()) == parsed
    assert Schema.from_json(parsed.to_json_dict()) == parsed


@given(st.data())
def test_name_mappings(data: st.DataObject) -> None:
    text = json.dumps(broken(data, json.loads(create_mapping(data.draw(schemas())).to_json())))
    refused = refusal(lambda: NameMapping.from_json(text))
    if refused is not None:
        assert len(str(refused).splitlines()) == 1
        return
    parsed = NameMapping.from_json(text)
    assert NameMapping.from_json(parsed.to_json()) == parsed


def test_names_with_control_characters_stay_on_one_line() -> None:
    value = {"type": "struct", "fields": [{"id": 1, "name": "a\nb\x1b[2J\u2028", "required": False, "type": "what\r"}]}
    refused = refusal(lambda: Schema.from_json(value))
    assert refused is not None
    assert str(refused).isprintable()
    assert r"a\nb\x1b[2J\u2028" in str(refused)
