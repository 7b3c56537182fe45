"""Rewrite the footer of a Parquet file: names, field ids, annotations and layouts that no writer at hand would leave.

A test writes a file with pyarrow and gives it another schema here; the data pages stay as they are, so the new schema
must have the same leaf columns with the same repetition and definition levels. `path_in_schema` of every column chunk
follows, and the `ARROW:schema` hint is taken out.

    data = craft.edit(data, {("a", "list", "element"): {"name": "array_element", "field_id": None}})
    data = craft.rewrite(data, [craft.group("a", craft.leaf("array", "int32", "repeated"), converted=craft.LIST)])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

PHYSICAL = ("boolean", "int32", "int64", "int96", "float", "double", "byte_array", "fixed_len_byte_array")
REPETITION = ("required", "optional", "repeated")

# Converted types
UTF8, MAP, MAP_KEY_VALUE, LIST, ENUM, DECIMAL, DATE, TIME_MILLIS, TIME_MICROS = range(9)
TIMESTAMP_MILLIS, TIMESTAMP_MICROS, UINT_8, UINT_16, UINT_32, UINT_64, INT_8, INT_16, INT_32, INT_64 = range(9, 19)
JSON, BSON, INTERVAL = 19, 20, 21

# Wire types of the compact protocol
BOOL, I8, I16, I32, I64, DOUBLE, BINARY, LIST_OF, SET_OF, MAP_OF, STRUCT = 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12


class Field(NamedTuple):
    """A field of a Thrift struct. A struct is a list of them; a list's value is (wire type, values)."""

    id: int
    kind: int
    value: Any


def logical(member: int, *parameters: Field) -> list[Field]:
    """A member of the union `LogicalType`, by its number, with the parameters given."""
    return [Field(member, STRUCT, list(parameters))]


STRING, LOGICAL_MAP, LOGICAL_LIST, LOGICAL_ENUM, LOGICAL_DATE = (logical(n) for n in (1, 2, 3, 4, 6))
NULL, LOGICAL_JSON, LOGICAL_BSON, UUID, FLOAT16 = (logical(n) for n in (11, 12, 13, 14, 15))
VARIANT, GEOMETRY, GEOGRAPHY = (logical(n) for n in (16, 17, 18))


def decimal(precision: int, scale: int) -> list[Field]:
    """The logical type DECIMAL."""
    return logical(5, Field(1, I32, scale), Field(2, I32, precision))


def integer(bits: int, signed: bool) -> list[Field]:
    """The logical type INTEGER."""
    return logical(10, Field(1, I8, bits), Field(2, BOOL, signed))


def time(unit: str, utc: bool) -> list[Field]:
    """The logical type TIME in `ms`, `us` or `ns`."""
    return logical(7, *_unit(unit, utc))


def timestamp(unit: str, utc: bool) -> list[Field]:
    """The logical type TIMESTAMP in `ms`, `us` or `ns`."""
    return logical(8, *_unit(unit, utc))


def _unit(unit: str, utc: bool) -> list[Field]:
    return [Field(1, BOOL, utc), Field(2, STRUCT, logical(("ms", "us", "ns").index(unit) + 1))]


@dataclass(frozen=True)
class Element:
    """A schema element with its children. `physical` None is a group."""

    name: str
    physical: str | None = None
    repetition: str | None = "optional"
    children: tuple[Element, ...] = ()
    field_id: int | None = None
    converted: int | None = None
    logical: list[Field] | None = None
    length: int | None = None
    scale: int | None = None
    precision: int | None = None
    num_children: int | None = None
    """What the footer claims, where that shall differ from the number of `children`."""


def leaf(name: str, physical: str, repetition: str | None = "optional", **more: Any) -> Element:
    """A leaf column."""
    return Element(name, physical, repetition, **more)


def group(name: str, *children: Element, repetition: str | None = "optional", **more: Any) -> Element:
    """A group."""
    return Element(name, None, repetition, children, **more)


def schema_of(data: bytes) -> Element:
    """The root of a file's schema, its columns as children."""
    elements = _value_of(_decode(footer_of(data)), 2)[1]
    root, rest = _element(elements)
    assert not rest
    return root


def rewrite(data: bytes, columns: Sequence[Element] | Element) -> bytes:
    """A file with another schema: its columns, or a whole root."""
    root = columns if isinstance(columns, Element) else group("schema", *columns, repetition=None)
    paths = list(_leaf_paths(root))
    fields = []
    for f in _decode(footer_of(data)):
        if f.id == 2:
            f = Field(2, LIST_OF, (STRUCT, list(_flatten(root))))
        elif f.id == 4:
            f = Field(4, LIST_OF, (STRUCT, [_with_paths(row_group, paths) for row_group in f.value[1]]))
        elif f.id == 5:
            kept = [pair for pair in f.value[1] if _value_of(pair, 1) != b"ARROW:schema"]
            if not kept:
                continue
            f = Field(5, LIST_OF, (STRUCT, kept))
        fields.append(f)
    return with_footer(data, encode(fields))


def edit(data: bytes, changes: Mapping[tuple[str, ...], Mapping[str, Any]]) -> bytes:
    """A file with some elements changed: by the names on the way to them, the attributes of `Element` to replace."""
    left = dict(changes)

    def change(element: Element, path: tuple[str, ...]) -> Element:
        children = tuple(change(child, (*path, child.name)) for child in element.children)
        return replace(element, **{"children": children, **left.pop(path, {})})

    root = change(schema_of(data), ())
    if left:
        raise KeyError(f"no such elements: {sorted(left)}")
    return rewrite(data, root)


def without_ids(data: bytes) -> bytes:
    """A file without any field id."""

    def strip(element: Element) -> Element:
        return replace(element, field_id=None, children=tuple(map(strip, element.children)))

    return rewrite(data, strip(schema_of(data)))


def footer_of(data: bytes) -> bytes:
    """The bytes of a file's `FileMetaData`."""
    length = int.from_bytes(data[-8:-4], "little")
    return data[-8 - length : -8]


def with_footer(data: bytes, footer: bytes, magic: bytes = b"PAR1") -> bytes:
    """A file with the bytes of its `FileMetaData` replaced."""
    length = int.from_bytes(data[-8:-4], "little")
    return data[: -8 - length] + footer + len(footer).to_bytes(4, "little") + magic


def with_fields(data: bytes, change: Any) -> bytes:
    """A file whose `FileMetaData`, a list of `Field`, went through `change`."""
    return with_footer(data, encode(change(_decode(footer_of(data)))))


def encode(fields: Iterable[Field], *, long_form: bool = False) -> bytes:
    """A struct in the compact protocol, in the order given; `long_form` writes every field id in full."""
    out = bytearray()
    previous = 0
    for f in fields:
        kind = f.kind if f.kind != BOOL or f.value else 2
        delta = f.id - previous
        if 0 < delta < 16 and not long_form:
            out.append(delta << 4 | kind)
        else:
            out.append(kind)
            out += _varint(_zigzag(f.id))
        previous = f.id
        if f.kind != BOOL:
            out += _encoded(f.kind, f.value)
    out.append(0)
    return bytes(out)


def _encoded(kind: int, value: Any) -> bytes:
    match kind:
        case 1:
            return b"\x01" if value else b"\x02"
        case 3:
            return bytes([value & 0xFF])
        case 4 | 5 | 6:
            return _varint(_zigzag(value))
        case 7:
            return bytes(value)
        case 8:
            return _varint(len(value)) + value
        case 9 | 10:
            element, values = value
            head = bytes([min(len(values), 15) << 4 | element]) + (_varint(len(values)) if len(values) > 14 else b"")
            return head + b"".join(_encoded(element, v) for v in values)
        case 12:
            return encode(value)
        case _:
            raise NotImplementedError(kind)


def _zigzag(value: int) -> int:
    return value << 1 ^ value >> 63


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _decode(footer: bytes) -> list[Field]:
    at = 0

    def byte() -> int:
        nonlocal at
        at += 1
        return footer[at - 1]

    def varint() -> int:
        value = shift = 0
        while True:
            b = byte()
            value |= (b & 0x7F) << shift
            shift += 7
            if b < 0x80:
                return value

    def signed() -> int:
        value = varint()
        return value >> 1 ^ -(value & 1)

    def take(n: int) -> bytes:
        nonlocal at
        at += n
        return footer[at - n : at]

    def value(kind: int) -> Any:
        match kind:
            case 1 | 2:
                return byte() == 1
            case 3:
                return byte()
            case 4 | 5 | 6:
                return signed()
            case 7:
                return take(8)
            case 8:
                return take(varint())
            case 9 | 10:
                head = byte()
                size = head >> 4 if head >> 4 < 15 else varint()
                return head & 15, [value(head & 15) for _ in range(size)]
            case 12:
                return struct()
            case _:
                raise NotImplementedError(kind)

    def struct() -> list[Field]:
        fields = []
        field_id = 0
        while head := byte():
            field_id = field_id + (head >> 4) if head >> 4 else signed()
            kind = head & 15
            fields.append(Field(field_id, BOOL, kind == 1) if kind < 3 else Field(field_id, kind, value(kind)))
        return fields

    return struct()


def _value_of(fields: Iterable[Field], field_id: int) -> Any:
    return next((f.value for f in fields if f.id == field_id), None)


def _element(elements: list[list[Field]]) -> tuple[Element, list[list[Field]]]:
    fields, rest = elements[0], elements[1:]
    physical, repetition = _value_of(fields, 1), _value_of(fields, 3)
    children = []
    for _ in range(_value_of(fields, 5) or 0):
        child, rest = _element(rest)
        children.append(child)
    element = Element(
        name=_value_of(fields, 4).decode(),
        physical=None if physical is None else PHYSICAL[physical],
        repetition=None if repetition is None else REPETITION[repetition],
        children=tuple(children),
        field_id=_value_of(fields, 9),
        converted=_value_of(fields, 6),
        logical=_value_of(fields, 10),
        length=_value_of(fields, 2),
        scale=_value_of(fields, 7),
        precision=_value_of(fields, 8),
    )
    return element, rest


def _flatten(element: Element) -> Iterable[list[Field]]:
    claimed = element.num_children
    if claimed is None and element.physical is None:
        claimed = len(element.children)
    values = [
        (1, I32, None if element.physical is None else PHYSICAL.index(element.physical)),
        (2, I32, element.length),
        (3, I32, None if element.repetition is None else REPETITION.index(element.repetition)),
        (4, BINARY, element.name.encode("utf-8", "surrogateescape")),
        (5, I32, claimed),
        (6, I32, element.converted),
        (7, I32, element.scale),
        (8, I32, element.precision),
        (9, I32, element.field_id),
        (10, STRUCT, element.logical),
    ]
    yield [Field(*v) for v in values if v[2] is not None]
    for child in element.children:
        yield from _flatten(child)


def _leaf_paths(root: Element) -> Iterable[list[bytes]]:
    for child in root.children:
        name = child.name.encode("utf-8", "surrogateescape")
        if child.physical is not None:
            yield [name]
        else:
            yield from ([name, *path] for path in _leaf_paths(child))


def _with_paths(row_group: list[Field], paths: list[list[bytes]]) -> list[Field]:
    """A row group whose column chunks have the paths of the new schema, as far as there are any."""
    chunks = []
    for n, chunk in enumerate(_value_of(row_group, 1)[1]):
        if n < len(paths):
            meta = [Field(3, LIST_OF, (BINARY, paths[n])) if f.id == 3 else f for f in _value_of(chunk, 3)]
            chunk = [Field(3, STRUCT, meta) if f.id == 3 else f for f in chunk]
        chunks.append(chunk)
    return [Field(1, LIST_OF, (STRUCT, chunks)) if f.id == 1 else f for f in row_group]
