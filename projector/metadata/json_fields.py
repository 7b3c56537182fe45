"""Read fields of parsed JSON and check their presence and kind; errors are `InvalidMetadataError` in Java's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from projector.errors import InvalidMetadataError
from projector.text import preview

Json = Mapping[str, Any]

_INT = range(-(1 << 31), 1 << 31)
_LONG = range(-(1 << 63), 1 << 63)


def as_object(value: Any, what: str) -> Json:
    """Return a value that must be a JSON object."""
    if not isinstance(value, dict):
        raise InvalidMetadataError(f"Cannot parse {what} from a non-object: {preview(value)}")
    return value


def as_list(value: Any, what: str) -> list[Any]:
    """Return a value that must be a JSON array."""
    if not isinstance(value, list):
        raise InvalidMetadataError(f"Cannot parse {what} from non-array: {preview(value)}")
    return value


def _number(node: Json, name: str, kind: str, allowed: range) -> int:
    if name not in node:
        raise InvalidMetadataError(f"Cannot parse missing {kind}: {name}")
    value = node[name]
    if not isinstance(value, int) or isinstance(value, bool) or value not in allowed:
        article = "an integer" if kind == "int" else "a long"
        raise InvalidMetadataError(f"Cannot parse to {article} value: {name}: {preview(value)}")
    return value


def get_int(node: Json, name: str) -> int:
    """Return a field that must be a 32-bit integer."""
    return _number(node, name, "int", _INT)


def get_long(node: Json, name: str) -> int:
    """Return a field that must be a 64-bit integer."""
    return _number(node, name, "long", _LONG)


def get_int_or_none(node: Json, name: str) -> int | None:
    """Return a 32-bit integer; None if the field is absent or null."""
    return None if node.get(name) is None else get_int(node, name)


def get_long_or_none(node: Json, name: str) -> int | None:
    """Return a 64-bit integer; None if the field is absent or null."""
    return None if node.get(name) is None else get_long(node, name)


def get_string(node: Json, name: str) -> str:
    """Return a field that must be a string."""
    if name not in node:
        raise InvalidMetadataError(f"Cannot parse missing string: {name}")
    value = node[name]
    if not isinstance(value, str):
        raise InvalidMetadataError(f"Cannot parse to a string value: {name}: {preview(value)}")
    return value


def get_string_or_none(node: Json, name: str) -> str | None:
    """Return a string; None if the field is absent or null."""
    return None if node.get(name) is None else get_string(node, name)


def get_list(node: Json, name: str) -> list[Any]:
    """Return an array; empty if the field is absent or null."""
    return [] if node.get(name) is None else as_list(node[name], name)


def get_strings(node: Json, name: str) -> dict[str, str]:
    """Return a string-to-string object; empty if the field is absent or null."""
    if node.get(name) is None:
        return {}
    found = as_object(node[name], name)
    for key in found:
        get_string(found, key)
    return dict(found)
