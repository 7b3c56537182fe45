"""Text in messages and reports: on one line, cut to a length, without control characters; places as line and column."""

from __future__ import annotations

from typing import Any


def printable(text: str) -> str:
    """Return text on one line; control characters, which could also control a terminal, become escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\u3000" else c.encode("unicode_escape").decode() for c in text)


def shorten(text: str, longest: int) -> str:
    """Return text cut to a length, with three dots if something is missing."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def preview(value: Any) -> str:
    """Return any value as it appears in an error message: one line of at most 80 characters."""
    return shorten(repr(value), 80)


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Return line and column of an offset in a text, both from 1."""
    before = text[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1
