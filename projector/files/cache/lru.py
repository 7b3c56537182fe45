"""A cache of values in memory with a bounded total size."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """Values with sizes, up to a total size. Evicts the least recently used ones; the newest always stays."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._values: OrderedDict[Key, tuple[Value, int]] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """Return the value of a key; None if it was not added, or was evicted."""
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def put(self, key: Key, value: Value, size: int) -> Value:
        """Add a value, and return it."""
        _, before = self._values.pop(key, (value, 0))
        self._size += size - before
        self._values[key] = (value, size)
        while self._size > self._limit and len(self._values) > 1:
            _, (_, evicted) = self._values.popitem(last=False)
            self._size -= evicted
        return value

    def clear(self) -> None:
        """Clear the cache."""
        self._values.clear()
        self._size = 0
