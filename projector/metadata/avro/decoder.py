"""Skip the maps of statistics in manifests, and look values up in them later (see `records`).

A map stays bytes until it is read; one compiled pattern matches exactly its pairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

_VARINT = rb"[\x80-\xff]{0,9}+[\x00-\x7f]"
_SHORT_VALUES = b"|".join(
    bytes([0x5C, 0x78]) + f"{2 * n:02x}".encode() + (b".{%d}" % n if n else b"")
    for n in (8, 4, 1, 16, 0, *(n for n in range(64) if n not in (8, 4, 1, 16, 0)))
)
"""A length of one byte and as many bytes, the lengths of numbers first."""


def decode_pairs(stored: bytes, name: str) -> dict[int, Any]:
    """Decode a skipped map: ints by id, or bytes by id for the bounds. Raises `ValueError` and `IndexError`."""
    value = read_bytes if name.endswith("_bounds") else read_long
    found: dict[int, Any] = {}
    position = 0
    while True:
        count, position = _block(stored, position)
        if count == 0:
            return found
        for _ in range(count):
            key, position = read_long(stored, position)
            found[key], position = value(stored, position)


def find_value(stored: bytes, name: str, key: int) -> Any:
    """Return one value of a skipped map, None if it has none; the same as `decode_pairs` gives for the key.

    Raises `ValueError` and `IndexError`.
    """
    head = stored[0]
    if 0 < head < 0x80 and not head & 1:  # one block of fewer than 64 pairs
        is_bounds = name.endswith("_bounds")
        found = _finder(head, key, is_bounds)(stored)
        if found is not None:
            value: bytes = found[1]
            if is_bounds:
                return value[1:]
            return (value[0] >> 1) ^ -(value[0] & 1) if len(value) == 1 else read_long(value, 0)[0]
    return _find_value(stored, name, key)


@lru_cache(maxsize=4096)
def _finder(head: int, key: int, is_bounds: bool) -> Callable[[bytes], re.Match[bytes] | None]:
    """Return a pattern that finds the value of a key in a map that begins with the byte `head`, its number of pairs."""
    value = b"(?>" + _SHORT_VALUES + b")" if is_bounds else _VARINT
    pairs = head >> 1
    before = b"(?:" + _VARINT + value + b"){0,%d}?" % (pairs - 1)
    return re.compile(
        re.escape(bytes([head])) + before + re.escape(_varint(key)) + b"(" + value + b")", re.DOTALL
    ).match


def _find_value(stored: bytes, name: str, key: int) -> Any:
    """Look up a value block by block, skipping the pairs before it."""
    is_bounds = name.endswith("_bounds")
    position = 0
    while True:
        count, position = _block(stored, position)
        if count == 0:
            return None
        match = _pair_pattern(count, key, is_bounds).match(stored, position)
        if match is not None:
            return (read_bytes if is_bounds else read_long)(stored, match.end())[0]
        behind = (_short_values_pattern if is_bounds else _numbers_pattern)(count).match(stored, position)
        if behind is None:  # a value of 64 bytes or more precedes it
            return decode_pairs(stored, name).get(key)
        position = behind.end()


def read_long(data: bytes, position: int) -> tuple[int, int]:
    """Return a number, and the position after it; the functions below do the same."""
    byte = data[position]
    if byte < 0x80:
        return (byte >> 1) ^ -(byte & 1), position + 1
    value, shift = byte & 0x7F, 7
    while shift < 70:
        position += 1
        byte = data[position]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), position + 1
        shift += 7
    raise ValueError("a number is too long")


def read_bytes(data: bytes, position: int) -> tuple[bytes, int]:
    """Return a length and as many bytes."""
    length, position = read_long(data, position)
    end = position + length
    if length < 0 or end > len(data):
        raise EOFError(f"a value of {length} bytes does not fit")
    return data[position:end], end


def _block(data: bytes, position: int) -> tuple[int, int]:
    """Return the number of elements of the next block of an array; after a negative one comes the block's size."""
    count, position = read_long(data, position)
    if count >= 0:
        return count, position
    _, position = read_long(data, position)
    return -count, position


def read_longs(data: bytes, position: int) -> tuple[list[int], int]:
    """Return an array of numbers."""
    found: list[int] = []
    while True:
        count, position = _block(data, position)
        if count == 0:
            return found, position
        for _ in range(count):
            value, position = read_long(data, position)
            found.append(value)


@lru_cache(maxsize=4096)
def _numbers_pattern(count: int) -> re.Pattern[bytes]:
    return re.compile(b"(?:" + _VARINT + b"){%d}" % (2 * count), re.DOTALL)


@lru_cache(maxsize=4096)
def _short_values_pattern(count: int) -> re.Pattern[bytes]:
    return re.compile(b"(?:" + _VARINT + b"(?:" + _SHORT_VALUES + b")){%d}" % count, re.DOTALL)


@lru_cache(maxsize=4096)
def _pair_pattern(count: int, key: int, is_bounds: bool) -> re.Pattern[bytes]:
    """Return a pattern for the pairs of a block up to a key and its bytes; the key's value begins after a match."""
    value = b"(?:" + _SHORT_VALUES + b")" if is_bounds else _VARINT
    return re.compile(b"(?:" + _VARINT + value + b"){0,%d}?" % (count - 1) + re.escape(_varint(key)), re.DOTALL)


def _varint(number: int) -> bytes:
    rest = (number << 1) ^ (number >> 63)
    found = bytearray()
    while rest > 0x7F:
        found.append((rest & 0x7F) | 0x80)
        rest >>= 7
    found.append(rest)
    return bytes(found)


class PairSkipper:
    """Skips one map of each record of a file.

    The maps of one file mostly have the same keys in the same order, and values of the same lengths. After some equal
    maps a
    pattern is made for the whole map, which is several times as fast as one that reads the length of each pair. A map
    that
    differs is skipped pair by pair.
    """

    def __init__(self, is_bounds: bool) -> None:
        self._is_bounds = is_bounds
        self._step = _bytes_pairs if is_bounds else _number_pairs
        self._match: Callable[[bytes, int], re.Match[bytes] | None] | None = None
        self._layout: tuple[tuple[int, int], ...] = ()
        self._alike = 0
        self._to_learn = _MOST_LEARNT

    def __call__(self, data: bytes, position: int) -> tuple[bytes, int]:
        """Return the bytes of the map at a position, and the position after it. Raises as `decode_pairs` does."""
        match = self._match
        if match is not None:
            found = match(data, position)
            if found is not None:
                end = found.end()
                return data[position:end], end
        stored, end = self._step(data, position)
        if self._to_learn:
            self._learn(stored)
        return stored, end

    def _learn(self, stored: bytes) -> None:
        self._to_learn -= 1
        layout = _layout(stored, self._is_bounds)
        if layout is None:
            return
        before = self._layout
        if len(before) != len(layout) or any(one[0] != other[0] for one, other in zip(before, layout, strict=True)):
            self._layout, self._alike = layout, 0
            return
        # -1 stands for lengths that differ from map to map and are read in each
        merged = tuple(one if one == other else (one[0], -1) for one, other in zip(before, layout, strict=True))
        self._alike = self._alike + 1 if merged == before else 0
        self._layout = merged
        if self._alike == _ALIKE:
            pattern = _map_pattern(merged, self._is_bounds)
            self._match = None if pattern is None else re.compile(pattern, re.DOTALL).match
            self._alike = 0


_ALIKE = 8
"""How many equal maps must follow each other before a pattern is made for them."""

_MOST_LEARNT = 64
"""How many maps of a file, and of those with its schema, are examined to learn from."""

_MOST_PAIRS = 2500
"""The most pairs of a map for which a pattern is made; compiling takes some microseconds a pair."""


def _layout(stored: bytes, is_bounds: bool) -> tuple[tuple[int, int], ...] | None:
    """Return keys, and lengths of values (0 for numbers), of a map in one block; None for one in several blocks."""
    count, position = read_long(stored, 0)
    if count < 1 or count > _MOST_PAIRS:
        return None
    found = []
    for _ in range(count):
        key, position = read_long(stored, position)
        length, position = read_long(stored, position)
        if is_bounds:
            position += length
        found.append((key, length if is_bounds else 0))
    return tuple(found) if stored[position:] == b"\x00" else None


def _map_pattern(layout: tuple[tuple[int, int], ...], is_bounds: bool) -> bytes | None:
    parts = [re.escape(_varint(len(layout)))]
    for key, length in layout:
        parts.append(re.escape(_varint(key)))
        if not is_bounds:
            parts.append(_VARINT)
        elif length < 0:
            parts.append(b"(?>" + _SHORT_VALUES + b")")
        else:
            parts.append(re.escape(_varint(length)) + (b".{%d}" % length if length else b""))
    return b"".join(parts) + b"\\x00"


def _number_pairs(data: bytes, position: int) -> tuple[bytes, int]:
    start = position
    while True:
        count, position = _block(data, position)
        if count == 0:
            return data[start:position], position
        if 2 * count > len(data) - position:
            raise EOFError(f"{count} pairs do not fit")
        match = _numbers_pattern(count).match(data, position)
        if match is None:
            raise ValueError("a map of numbers is damaged")
        position = match.end()


def _bytes_pairs(data: bytes, position: int) -> tuple[bytes, int]:
    start = position
    while True:
        count, position = _block(data, position)
        if count == 0:
            return data[start:position], position
        if 2 * count > len(data) - position:
            raise EOFError(f"{count} pairs do not fit")
        match = _short_values_pattern(count).match(data, position)
        if match is not None:
            position = match.end()
            continue
        for _ in range(count):  # a value of 64 bytes or more
            _, position = read_long(data, position)
            length, position = read_long(data, position)
            position += length
            if length < 0 or position > len(data):
                raise EOFError(f"a value of {length} bytes does not fit")
