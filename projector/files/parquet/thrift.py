"""Read Thrift's compact protocol, as far as a Parquet footer needs it.

Every function takes bytes and an offset, and returns the offset after the value that it read. Nothing here trusts a
length, a count or a depth that the data claims: a value that does not fit into the bytes raises `CorruptFileError`
(without a file, which the caller knows). The cost is linear in the bytes.
"""

from __future__ import annotations

from typing import NamedTuple

from projector.errors import CorruptFileError

STOP = 0
TRUE = 1
FALSE = 2
I8 = 3
I16 = 4
I32 = 5
I64 = 6
DOUBLE = 7
BINARY = 8
LIST = 9
SET = 10
MAP = 11
STRUCT = 12
UUID = 13

MAX_DEPTH = 64
"""Structs and lists nested deeper than this are rejected. A Parquet footer has about seven levels."""

_LONGEST_VARINT = 10
_BOOLEANS = frozenset((TRUE, FALSE))
_INTEGERS = frozenset((I16, I32, I64))
_LISTS = frozenset((LIST, SET))
_ONE_BYTE = frozenset((TRUE, FALSE, I8))

Value = bool | int | bytes
"""A decoded value; strings and structs are their bytes."""


class FieldSpan(NamedTuple):
    """The place of one field of a struct: its id, its wire type, and the offsets where its value starts and ends."""

    field_id: int
    kind: int
    start: int
    end: int


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Read an unsigned variable-length integer: its value and the offset after it."""
    try:
        return _varint(data, at)
    except IndexError:
        raise _cut_off() from None


def read_zigzag(data: bytes, at: int) -> tuple[int, int]:
    """Read a signed (zigzag) variable-length integer: its value and the offset after it."""
    value, at = read_varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def read_list_header(data: bytes, at: int) -> tuple[int, int, int]:
    """Read the header of a list or set: wire type of the elements, their count, and the offset of the first."""
    try:
        return _list_header(data, at)
    except IndexError:
        raise _cut_off() from None


def read_struct(data: bytes, at: int) -> tuple[dict[int, Value], int]:
    """Decode one level of a struct: fields by id (the last one if an id occurs twice), and the offset after it.

    Nested structs are returned as bytes, to be decoded in turn. Lists, sets, maps, doubles and UUIDs are skipped: none
    of the structs decoded here has any.
    """
    try:
        fields, at = _struct(data, at)
    except IndexError:
        raise _cut_off() from None
    if at > len(data):
        raise _cut_off()
    return fields, at


def struct_spans(data: bytes, at: int) -> tuple[list[FieldSpan], int]:
    """Find the fields of a struct without decoding them: their places, in order, and the offset after the struct."""
    spans: list[FieldSpan] = []
    field_id = 0
    try:
        while True:
            kind, field_id, at = _field_header(data, at, field_id)
            if kind == STOP:
                return spans, at
            start = at
            at = _skip(data, at, kind, 1)
            if at > len(data):
                raise _cut_off()
            spans.append(FieldSpan(field_id, kind, start, at))
    except IndexError:
        raise _cut_off() from None


def skip_value(data: bytes, at: int, kind: int) -> int:
    """Skip one value of wire type `kind` (as a struct holds it), and return the offset after it."""
    try:
        at = _skip(data, at, kind, 0)
    except IndexError:
        raise _cut_off() from None
    if at > len(data):
        raise _cut_off()
    return at


# The functions below let an index past the end raise IndexError: that is the bounds check.


def _varint(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    if byte < 0x80:
        return byte, at + 1
    value = byte & 0x7F
    for n in range(1, _LONGEST_VARINT):
        byte = data[at + n]
        value |= (byte & 0x7F) << (7 * n)
        if byte < 0x80:
            return value, at + n + 1
    raise _long_varint(at)


def _field_header(data: bytes, at: int, previous_id: int) -> tuple[int, int, int]:
    """Read the wire type and field id of a field, and the offset of its value; `STOP` at the end of the struct."""
    header = data[at]
    at += 1
    if header == STOP:
        return STOP, previous_id, at
    if header & 15 == STOP:
        raise _unknown_kind(STOP, at)
    delta = header >> 4
    if delta:
        return header & 15, previous_id + delta, at
    value, at = _varint(data, at)
    return header & 15, (value >> 1) ^ -(value & 1), at


def _list_header(data: bytes, at: int) -> tuple[int, int, int]:
    header = data[at]
    at += 1
    size = header >> 4
    if size == 15:
        size, at = _varint(data, at)
    kind = header & 15
    if size > len(data) - at:  # every element takes at least a byte
        raise CorruptFileError(f"a list at byte {at} claims {size} elements, more than there are bytes")
    return kind, size, at


def _map_header(data: bytes, at: int) -> tuple[int, int, int, int]:
    size, at = _varint(data, at)
    if size == 0:
        return STOP, STOP, 0, at
    kinds = data[at]
    at += 1
    if 2 * size > len(data) - at:
        raise CorruptFileError(f"a map at byte {at} claims {size} entries, more than there are bytes")
    return kinds >> 4, kinds & 15, size, at


def _struct(data: bytes, at: int) -> tuple[dict[int, Value], int]:
    fields: dict[int, Value] = {}
    field_id = 0
    while True:
        header = data[at]
        at += 1
        if header == STOP:
            return fields, at
        if header > 15:
            field_id += header >> 4
        else:
            value, at = _varint(data, at)
            field_id = (value >> 1) ^ -(value & 1)
        kind = header & 15
        if kind in _INTEGERS:
            value = data[at]
            if value < 0x80:
                at += 1
            else:
                value, at = _varint(data, at)
            fields[field_id] = (value >> 1) ^ -(value & 1)
        elif kind == BINARY:
            length = data[at]
            if length < 0x80:
                at += 1
            else:
                length, at = _varint(data, at)
            end = at + length
            if end > len(data):
                raise _cut_off()
            fields[field_id] = data[at:end]
            at = end
        elif kind == STRUCT:
            end = _skip(data, at, STRUCT, 1)
            fields[field_id] = data[at:end]
            at = end
        elif kind in _BOOLEANS:
            fields[field_id] = kind == TRUE
        elif kind == I8:
            byte = data[at]
            at += 1
            fields[field_id] = byte - 256 if byte > 127 else byte
        else:
            at = _skip(data, at, kind, 1)


def _skip(data: bytes, at: int, kind: int, depth: int) -> int:
    """Return the offset after a field's value. It may lie past the end, which the next access to the data detects."""
    if kind in _INTEGERS:
        start = at
        while data[at] > 0x7F:
            at += 1
        if at - start >= _LONGEST_VARINT:
            raise _long_varint(start)
        return at + 1
    if kind == BINARY:
        length, at = _varint(data, at)
        return at + length
    if kind in _BOOLEANS:
        return at
    if depth > MAX_DEPTH:
        raise _deep(at)
    if kind == STRUCT:
        while True:
            header = data[at]
            at += 1
            if header == STOP:
                return at
            if header < 16:  # the field id follows in long form
                at = _skip(data, at, I16, depth)
            kind = header & 15
            # The two most common kinds are skipped here, because a footer has tens of them for every column.
            if kind in _INTEGERS:
                if data[at] < 0x80:
                    at += 1
                else:
                    at = _skip(data, at, kind, depth)
            elif kind == BINARY and data[at] < 0x80:
                at += 1 + data[at]
            else:
                at = _skip(data, at, kind, depth + 1)
    if kind in _LISTS:
        element, size, at = _list_header(data, at)
        return _skip_elements(data, at, element, size, depth + 1)
    if kind == I8:
        return at + 1
    if kind == DOUBLE:
        return at + 8
    if kind == UUID:
        return at + 16
    if kind == MAP:
        key_kind, value_kind, size, at = _map_header(data, at)
        for _ in range(size):
            at = _skip_elements(data, at, key_kind, 1, depth + 1)
            at = _skip_elements(data, at, value_kind, 1, depth + 1)
        return at
    raise _unknown_kind(kind, at)


def _skip_elements(data: bytes, at: int, kind: int, size: int, depth: int) -> int:
    if kind in _ONE_BYTE:
        return at + size
    for _ in range(size):
        at = _skip(data, at, kind, depth)
    return at


def _cut_off() -> CorruptFileError:
    return CorruptFileError("the data ends in the middle of a value")


def _long_varint(at: int) -> CorruptFileError:
    return CorruptFileError(f"the integer at byte {at} does not end")


def _deep(at: int) -> CorruptFileError:
    return CorruptFileError(f"values at byte {at} are nested more than {MAX_DEPTH} levels deep")


def _unknown_kind(kind: int, at: int) -> CorruptFileError:
    return CorruptFileError(f"the value at byte {at} has the unknown wire type {kind}")
