"""Values in reports, spelled as SQL spells them."""

from __future__ import annotations

from typing import Any


def literal(value: Any) -> str:
    """A Python value as text: NULL, true, 'text', X'00', numbers and times as they are."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bytes():
            return f"X'{value.hex()}'"
        case dict():
            return "{" + ", ".join(f"{name}: {literal(inner)}" for name, inner in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(literal, value)) + "]"
        case (key, inner):  # an entry of a map
            return f"{literal(key)} -> {literal(inner)}"
        case _:
            return str(value)
