"""What was read once and may be asked for again, as far as there is room for it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """Values with sizes, up to a total size. The one not asked for longest goes first; the newest always stays."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._values: OrderedDict[Key, tuple[Value, int]] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """The value of a key, or None where it was never kept or had to go."""
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def keep(self, key: Key, value: Value, size: int) -> Value:
        """Keep a value, and return it."""
        _, before = self._values.pop(key, (value, 0))
        self._size += size - before
        self._values[key] = (value, size)
        while self._size > self._most and len(self._values) > 1:
            _, (_, gone) = self._values.popitem(last=False)
            self._size -= gone
        return value

    def clear(self) -> None:
        """Keep nothing any more."""
        self._values.clear()
        self._size = 0
