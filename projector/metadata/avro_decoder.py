"""A decoder for the records of manifests that steps over the statistics instead of decoding them.

Planning needs a few fields of each entry, and the bounds of the columns that a filter names. fastavro decodes every
pair of every map; here a map of statistics stays bytes, found by one compiled pattern that matches exactly its pairs,
until it is asked for. Schemas with anything unusual in them are left to fastavro.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Any

Decoder = Callable[[bytes, int], tuple[Any, int]]
"""Takes the bytes of a block and a position; gives the value that begins there and the position behind it."""

_VARINT = rb"[\x80-\xff]{0,9}[\x00-\x7f]"
_SHORT_VALUES = b"|".join(
    bytes([0x5C, 0x78]) + f"{2 * n:02x}".encode() + (b".{%d}" % n if n else b"")
    for n in (8, 4, 1, 16, 0, *(n for n in range(64) if n not in (8, 4, 1, 16, 0)))
)
"""A length of one byte and as many bytes, the lengths of numbers first."""


def compile_decoder(schema: Any) -> Decoder | None:
    """A decoder for a schema that `avro_schema` has rewritten; None where it holds something unusual.

    It gives what fastavro gives, but for maps of statistics, which are given as the bytes that `decode_pairs` takes.
    Damaged bytes raise `ValueError`, `IndexError`, `EOFError` or `struct.error`.
    """
    match schema:
        case str() if schema in _PRIMITIVE:
            return _PRIMITIVE[schema]
        case ["null", inner]:
            return _optional(compile_decoder(inner), 0)
        case [inner, "null"]:
            return _optional(compile_decoder(inner), 1)
        case {"type": "fixed", "size": int(size)}:
            return _fixed(size)
        case {"type": "record", "fields": list(fields)}:
            return _record([(f["name"], compile_decoder(f["type"])) for f in fields])
        case {
            "type": "array",
            "items": {"type": "record", "fields": [{"name": "key"}, {"name": "value", "type": kind}]},
        }:
            return {"int": _number_pairs, "long": _number_pairs, "bytes": _bytes_pairs}.get(
                kind if isinstance(kind, str) else ""
            )
        case {"type": "array", "items": "int" | "long"}:
            return _longs
    return None


def decode_pairs(stored: bytes, name: str) -> dict[int, Any]:
    """A map that was stepped over: ints by id, or bytes by id for the bounds. Raises `ValueError` and `IndexError`."""
    value = _bytes if name.endswith("_bounds") else _long
    found: dict[int, Any] = {}
    position = 0
    while True:
        count, position = _block(stored, position)
        if count == 0:
            return found
        for _ in range(count):
            key, position = _long(stored, position)
            found[key], position = value(stored, position)


def find_value(stored: bytes, name: str, key: int) -> Any:
    """One value of a map that was stepped over, None where it has none; what `decode_pairs` gives for the key.

    The pairs in front of it are stepped over as well. Raises `ValueError` and `IndexError`.
    """
    is_bounds = name.endswith("_bounds")
    position = 0
    while True:
        count, position = _block(stored, position)
        if count == 0:
            return None
        match = _pair_pattern(count, key, is_bounds).match(stored, position)
        if match is not None:
            return (_bytes if is_bounds else _long)(stored, match.end())[0]
        behind = (_short_values_pattern if is_bounds else _numbers_pattern)(count).match(stored, position)
        if behind is None:  # a value of 64 bytes or more is in the way
            return decode_pairs(stored, name).get(key)
        position = behind.end()


def _long(data: bytes, position: int) -> tuple[int, int]:
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


def _bytes(data: bytes, position: int) -> tuple[bytes, int]:
    length, position = _long(data, position)
    end = position + length
    if length < 0 or end > len(data):
        raise EOFError(f"a value of {length} bytes does not fit")
    return data[position:end], end


def _string(data: bytes, position: int) -> tuple[str, int]:
    stored, position = _bytes(data, position)
    return stored.decode(), position


def _null(data: bytes, position: int) -> tuple[None, int]:
    return None, position


def _boolean(data: bytes, position: int) -> tuple[bool, int]:
    return data[position] != 0, position + 1


def _float(data: bytes, position: int) -> tuple[float, int]:
    return struct.unpack_from("<f", data, position)[0], position + 4


def _double(data: bytes, position: int) -> tuple[float, int]:
    return struct.unpack_from("<d", data, position)[0], position + 8


_PRIMITIVE: dict[str, Decoder] = {
    "null": _null,
    "boolean": _boolean,
    "int": _long,
    "long": _long,
    "float": _float,
    "double": _double,
    "bytes": _bytes,
    "string": _string,
}


def _fixed(size: int) -> Decoder:
    def decode(data: bytes, position: int) -> tuple[bytes, int]:
        end = position + size
        if end > len(data):
            raise EOFError(f"a value of {size} bytes does not fit")
        return data[position:end], end

    return decode


def _optional(inner: Decoder | None, null_at: int) -> Decoder | None:
    if inner is None:
        return None
    null, present = (0, 2) if null_at == 0 else (2, 0)

    def decode(data: bytes, position: int) -> tuple[Any, int]:
        branch = data[position]
        if branch == null:
            return None, position + 1
        if branch != present:
            raise ValueError("a union has no such branch")
        return inner(data, position + 1)

    return decode


def _record(fields: list[tuple[str, Decoder | None]]) -> Decoder | None:
    known = [(name, decoder) for name, decoder in fields if decoder is not None]
    if len(known) < len(fields):
        return None

    def decode(data: bytes, position: int) -> tuple[dict[str, Any], int]:
        record = {}
        for name, decoder in known:
            record[name], position = decoder(data, position)
        return record, position

    return decode


def _block(data: bytes, position: int) -> tuple[int, int]:
    """The number of elements of the next block of an array; a negative one is followed by the block's size."""
    count, position = _long(data, position)
    if count >= 0:
        return count, position
    _, position = _long(data, position)
    return -count, position


def _longs(data: bytes, position: int) -> tuple[list[int], int]:
    found: list[int] = []
    while True:
        count, position = _block(data, position)
        if count == 0:
            return found, position
        for _ in range(count):
            value, position = _long(data, position)
            found.append(value)


@lru_cache(maxsize=4096)
def _numbers_pattern(count: int) -> re.Pattern[bytes]:
    return re.compile(b"(?:" + _VARINT + b"){%d}" % (2 * count), re.DOTALL)


@lru_cache(maxsize=4096)
def _short_values_pattern(count: int) -> re.Pattern[bytes]:
    return re.compile(b"(?:" + _VARINT + b"(?:" + _SHORT_VALUES + b")){%d}" % count, re.DOTALL)


@lru_cache(maxsize=4096)
def _pair_pattern(count: int, key: int, is_bounds: bool) -> re.Pattern[bytes]:
    """The pairs of a block up to a key and its bytes: what is matched ends where the key's value begins."""
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
            _, position = _long(data, position)
            length, position = _long(data, position)
            position += length
            if length < 0 or position > len(data):
                raise EOFError(f"a value of {length} bytes does not fit")
