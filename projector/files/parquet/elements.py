"""Read the schema elements of a footer, and decode each kind of element once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import NamedTuple

from projector.errors import CorruptFileError
from projector.files.parquet.file_schema import FileColumn, FileLeaf
from projector.files.parquet.thrift import Value, read_struct
from projector.files.parquet.types import (
    PHYSICAL_TYPES,
    Annotation,
    BadElement,
    Declared,
    Repetition,
    annotation,
    converted_type,
    leaf_type,
    logical_type,
)


@dataclass(frozen=True, slots=True, eq=False)
class ElementType:
    """All parts of a schema element but its name and field id. Equal elements share one.

    Parameters
    ----------
    repetition:
        How often the column occurs; None if not given, as at the root.
    num_children:
        The number of children that a group claims; 0 for a leaf.
    leaf:
        The type of a leaf column; None for a group.
    annotation:
        What a group stands for; None for a plain struct.
    problem:
        Why the element is invalid; None if it is valid.
    """

    repetition: Repetition | None = None
    num_children: int = 0
    leaf: FileLeaf | None = None
    annotation: Annotation | None = None
    problem: str | None = None


class SchemaElement(NamedTuple):
    """One `SchemaElement` of a footer. A negative field id, which some writers use for none, is None."""

    name: str
    field_id: int | None
    type: ElementType


def read_element(data: bytes, at: int) -> tuple[SchemaElement, int]:
    """Read the schema element at an offset, and return the offset after it, too.

    Raises
    ------
    BadElement
        If it has no name, or its field id is not a number. Any other fault is the `problem` of its type.
    CorruptFileError
        If the bytes are not a Thrift struct.
    """
    head = data[at : at + 5]
    if head not in _USUAL_HEADS or at + 5 >= len(data):
        return _read_element(data, at)
    name_end = at + 6 + data[at + 5]
    rest = _USUAL_REST.match(data, name_end)
    if rest is None or data[at + 5] > 0x7F:
        return _read_element(data, at)
    key = head, rest[0]
    known = _met.get(key)
    if known is not None:
        return SchemaElement(data[at + 6 : name_end].decode("utf-8", "backslashreplace"), *known), rest.end()
    element, end = _read_element(data, at)
    if end == rest.end():
        if len(_met) >= _MOST_MET:
            _met.clear()
        _met[key] = element.field_id, element.type
    return element, end


def read_leaves(data: bytes, at: int, most: int) -> tuple[list[FileColumn], list[str | int | FileColumn | None], int]:
    """Read up to `most` leaf columns of the usual form, and stop at the first element of any other form.

    Return the columns; the values that make them equal (the name and field id of each, and a number for its type and
    nullness); and the offset after them. Raises `IndexError` if the data ends.
    """
    columns: list[FileColumn] = []
    keys: list[str | int | FileColumn | None] = []
    for _ in range(most):
        head = data[at : at + 5]
        length = data[at + 5]
        if head not in _LEAF_HEADS or length > 0x7F:
            break
        name_end = at + 6 + length
        rest = _USUAL_REST.match(data, name_end)
        if rest is None:
            break
        end = rest.end()
        element = data[at:end]  # columns recur from schema to schema
        met = _columns.get(element)
        if met is None:
            known = _leaves.get((head, rest[0])) or _learn_leaf(data, at, (head, rest[0]), end)
            if known is None:
                break
            field_id, leaf, optional, number = known
            name = data[at + 6 : name_end].decode("utf-8", "backslashreplace")
            met = FileColumn(name, leaf, optional, field_id), number
            if len(_columns) < _MOST_COLUMNS:
                _columns[element] = met
        column, number = met
        columns.append(column)
        keys += (column.name, column.field_id, number)
        at = end
    return columns, keys, at


def leaf_number(leaf: FileLeaf, optional: bool) -> int:
    """Return a number for a type and its nullness: within this process, equal ones have the same number."""
    number = _numbers.get((leaf, optional))
    return _numbers.setdefault((leaf, optional), next(_counter)) if number is None else number


def _learn_leaf(data: bytes, at: int, key: tuple[bytes, bytes], end: int) -> _Leaf | None:
    try:
        element, after = _read_element(data, at)
    except (BadElement, CorruptFileError):
        return None  # the general reader raises the right error
    type_ = element.type
    if after != end or type_.leaf is None or type_.repetition not in (Repetition.REQUIRED, Repetition.OPTIONAL):
        return None
    optional = type_.repetition is Repetition.OPTIONAL
    number = leaf_number(type_.leaf, optional)
    if len(_leaves) >= _MOST_MET:
        _leaves.clear()
    found = _leaves[key] = element.field_id, type_.leaf, optional, number
    return found


# Nearly all elements of leaf columns have one form: type, repetition and name as the first three fields, the name
# shorter than 128 bytes; then integers, and perhaps the logical type. So the bytes before and after the name hold
# everything but the name. They recur from footer to footer, and are decoded once and remembered.
_USUAL_HEADS = frozenset(
    bytes([0x15, 2 * physical, 0x25, 2 * repeats, 0x18]) for physical in range(8) for repeats in range(3)
)
_INTEGER = rb"[\x80-\xff]{0,4}[\x00-\x7f]"
_USUAL_REST = re.compile(
    rb"(?:[\x15\x25\x35\x45\x55]%b)*" % _INTEGER
    + rb"(?:[\x1c\x2c\x3c\x4c\x5c\x6c][\x1c\x2c\x3c\x4c\x5c\x6c\x7c\x8c\x9c\xac\xbc\xcc\xdc\xec\xfc]"
    + rb"(?:[\x11\x12\x21\x22]|[\x13\x23][\x00-\xff]|[\x15\x25]%b|[\x1c\x2c][\x1c\x2c\x3c]\x00\x00)*" % _INTEGER
    + rb"\x00\x00)?\x00"
)
_MOST_MET = 50_000
_met: dict[tuple[bytes, bytes], tuple[int | None, ElementType]] = {}

_LEAF_HEADS = frozenset(head for head in _USUAL_HEADS if head[3] < 4)
"""The heads of elements that are not repeated."""

_Leaf = tuple[int | None, FileLeaf, bool, int]
_leaves: dict[tuple[bytes, bytes], _Leaf] = {}
_MOST_COLUMNS = 20_000
_columns: dict[bytes, tuple[FileColumn, int]] = {}
_counter = count()
_numbers: dict[tuple[FileLeaf, bool], int] = {}
"""A number for each known type and nullness. It needs no limit: Parquet has few types."""


def _read_element(data: bytes, at: int) -> tuple[SchemaElement, int]:
    fields, at = read_struct(data, at)
    get = fields.get
    name = get(4)
    if not isinstance(name, bytes):
        raise BadElement("it has no name")
    field_id = get(9)
    if field_id is not None:
        field_id = _number(field_id, "field id")
        if field_id < 0:
            field_id = None
    type_ = _element_type(get(1), get(2), get(3), get(5), get(6), get(7), get(8), get(10))
    return SchemaElement(name.decode("utf-8", "backslashreplace"), field_id, type_), at


@lru_cache(maxsize=4096, typed=True)
def _element_type(
    physical: Value | None,
    length: Value | None,
    repetition: Value | None,
    num_children: Value | None,
    converted: Value | None,
    scale: Value | None,
    precision: Value | None,
    logical: Value | None,
) -> ElementType:
    try:
        repeats = None if repetition is None else Repetition(_index(repetition, 3, "repetition"))
        children = 0 if num_children is None else _number(num_children, "number of children")
        if children < 0:
            raise BadElement(f"it claims {children} children")
        old = None if converted is None else converted_type(_number(converted, "converted type"))
        new, parameters = logical_type(logical)
        if physical is None:
            return ElementType(repeats, children, annotation=annotation(old, new))
        if children:
            raise BadElement("it has both a physical type and children")
        declared = Declared(
            PHYSICAL_TYPES[_index(physical, len(PHYSICAL_TYPES), "physical type")],
            None if length is None else _number(length, "length"),
            old,
            0 if scale is None else _number(scale, "scale"),
            None if precision is None else _number(precision, "precision"),
            new,
            parameters,
        )
        return ElementType(repeats, leaf=leaf_type(declared))
    except BadElement as error:
        return ElementType(problem=str(error))


def _number(value: Value, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -(2**31) <= value < 2**31:
        raise BadElement(f"its {what} is not a 32-bit integer")
    return value


def _index(value: Value, count: int, what: str) -> int:
    number = _number(value, what)
    if not 0 <= number < count:
        raise BadElement(f"its {what} {number} does not exist")
    return number
