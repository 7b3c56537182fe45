"""Check numbers that callers give before anything is opened."""

from __future__ import annotations

from operator import index
from typing import Any

from projector.errors import ProjectorError

_MOST = 2**63 - 1
"""A limit above the rows of any file and the range of any engine."""


def whole_number(name: str, value: Any, least: int) -> int:
    """Return a whole number. Raises `ProjectorError`, naming the parameter, if it is not one or is below the minimum.

    A number beyond 64 bits becomes the largest of 64 bits, since all of these numbers mean "at most". Booleans are
    rejected,
    although they are integers to Python.
    """
    try:
        found = None if isinstance(value, bool) else index(value)
    except TypeError:
        found = None
    if found is None:
        raise ProjectorError(
            f"Invalid {name}: {value!r} ({type(value).__name__})", hint=f"give an int that is {least} or more"
        )
    if found < least:
        raise ProjectorError(f"Invalid {name}: {found}", hint=f"give an int that is {least} or more")
    return min(found, _MOST)


def optional_number(name: str, value: Any, least: int) -> int | None:
    """Return a whole number, or None for None; see `whole_number`."""
    return None if value is None else whole_number(name, value, least)
