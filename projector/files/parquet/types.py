"""Parquet's types and annotations: the type of a leaf column, and what a group stands for.

An element's `logicalType` decides if it is supported; else `converted_type`; else the physical type alone, as Parquet
requires of a reader that does not know an annotation.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import NamedTuple

from projector.files.parquet.file_schema import FileKind, FileLeaf, TimeUnit
from projector.files.parquet.thrift import Value, read_struct

PHYSICAL_TYPES = (
    "boolean",
    "int32",
    "int64",
    "int96",
    "float",
    "double",
    "byte_array",
    "fixed_len_byte_array",
)


class Repetition(IntEnum):
    """How often a column occurs in its parent."""

    REQUIRED = 0
    OPTIONAL = 1
    REPEATED = 2


class Converted(IntEnum):
    """The older annotations (`ConvertedType`). Only some versions of Parquet C++ wrote `NULL`."""

    UTF8 = 0
    MAP = 1
    MAP_KEY_VALUE = 2
    LIST = 3
    ENUM = 4
    DECIMAL = 5
    DATE = 6
    TIME_MILLIS = 7
    TIME_MICROS = 8
    TIMESTAMP_MILLIS = 9
    TIMESTAMP_MICROS = 10
    UINT_8 = 11
    UINT_16 = 12
    UINT_32 = 13
    UINT_64 = 14
    INT_8 = 15
    INT_16 = 16
    INT_32 = 17
    INT_64 = 18
    JSON = 19
    BSON = 20
    INTERVAL = 21
    NULL = 25


class Logical(IntEnum):
    """The members of the union `LogicalType`."""

    STRING = 1
    MAP = 2
    LIST = 3
    ENUM = 4
    DECIMAL = 5
    DATE = 6
    TIME = 7
    TIMESTAMP = 8
    INTEGER = 10
    UNKNOWN = 11
    JSON = 12
    BSON = 13
    UUID = 14
    FLOAT16 = 15
    VARIANT = 16
    GEOMETRY = 17
    GEOGRAPHY = 18


_CONVERTED: dict[int, Converted] = {int(member): member for member in Converted}
_LOGICAL: dict[int, Logical] = {int(member): member for member in Logical}


class Annotation(Enum):
    """What a group stands for."""

    LIST = "list"
    MAP = "map"
    VARIANT = "variant"


class BadElement(ValueError):
    """A schema element that contradicts itself; the message says how."""


class Declared(NamedTuple):
    """The parts of an element that make up the type of a leaf, with its annotation in the old or the new form."""

    physical: str
    length: int | None
    converted: Converted | None
    scale: int
    precision: int | None
    logical: Logical | None
    parameters: dict[int, Value]


def converted_type(number: int) -> Converted | None:
    """Return the older annotation with a number; None if it is unknown."""
    return _CONVERTED.get(number)


def logical_type(value: Value | None) -> tuple[Logical | None, dict[int, Value]]:
    """Return the member of the union `LogicalType` and its parameters; None if it is unknown."""
    if value is None:
        return None, {}
    members = _nested(value)
    if len(members) != 1:
        raise BadElement(f"it has {len(members)} logical types")
    for member, parameters in members.items():
        if (known := _LOGICAL.get(member)) is not None:
            return known, _nested(parameters)
    return None, {}


def _nested(value: Value | None) -> dict[int, Value]:
    if not isinstance(value, bytes):
        raise BadElement("its logical type is not a struct")
    return read_struct(value, 0)[0]


def annotation(converted: Converted | None, logical: Logical | None) -> Annotation | None:
    """Return what a group with these annotations stands for; None for a plain struct."""
    match logical, converted:
        case (Logical.LIST, _) | (None, Converted.LIST):
            return Annotation.LIST
        case (Logical.MAP, _) | (None, Converted.MAP | Converted.MAP_KEY_VALUE):
            return Annotation.MAP
        case (Logical.VARIANT, _):
            return Annotation.VARIANT
        case _:
            return None


def leaf_type(declared: Declared) -> FileLeaf:
    """Return the type of a leaf column. Raises `BadElement` if its annotation does not fit its physical type."""
    length = declared.length
    if declared.physical != "fixed_len_byte_array":
        declared = declared._replace(length=None)
    elif length is None or length < 1:
        raise BadElement(f"its values are of fixed length, but the length is {length}")
    if declared.logical is not None:
        return _from_logical(declared)
    if declared.converted is not None:
        return _from_converted(declared)
    return _plain(declared.physical, declared.length)


def _plain(physical: str, length: int | None) -> FileLeaf:
    match physical:
        case "boolean":
            return FileLeaf(FileKind.BOOLEAN, physical)
        case "int32":
            return FileLeaf(FileKind.INTEGER, physical, bits=32)
        case "int64":
            return FileLeaf(FileKind.INTEGER, physical, bits=64)
        case "int96":
            return FileLeaf(FileKind.INT96, physical)
        case "float":
            return FileLeaf(FileKind.FLOAT, physical)
        case "double":
            return FileLeaf(FileKind.DOUBLE, physical)
        case "byte_array":
            return FileLeaf(FileKind.BYTES, physical)
        case _:
            return FileLeaf(FileKind.FIXED, physical, length=length)


_BYTE_ARRAY_KINDS: dict[Logical | Converted, FileKind] = {
    Logical.STRING: FileKind.STRING,
    Logical.ENUM: FileKind.ENUM,
    Logical.JSON: FileKind.JSON,
    Logical.BSON: FileKind.BSON,
    Logical.GEOMETRY: FileKind.GEOMETRY,
    Logical.GEOGRAPHY: FileKind.GEOGRAPHY,
}
_CONVERTED_BYTE_ARRAY_KINDS: dict[Converted, FileKind] = {
    Converted.UTF8: FileKind.STRING,
    Converted.ENUM: FileKind.ENUM,
    Converted.JSON: FileKind.JSON,
    Converted.BSON: FileKind.BSON,
}
_FIXED_KINDS = {Logical.UUID: (FileKind.UUID, 16), Logical.FLOAT16: (FileKind.FLOAT16, 2)}
_UNITS = {1: TimeUnit.MILLIS, 2: TimeUnit.MICROS, 3: TimeUnit.NANOS}


def _from_logical(declared: Declared) -> FileLeaf:
    logical, parameters, physical, length = declared.logical, declared.parameters, declared.physical, declared.length
    match logical:
        case Logical.STRING | Logical.ENUM | Logical.JSON | Logical.BSON | Logical.GEOMETRY | Logical.GEOGRAPHY:
            _expect(logical.name, physical, "byte_array")
            return FileLeaf(_BYTE_ARRAY_KINDS[logical], physical)
        case Logical.DECIMAL:
            return _decimal(parameters.get(2), parameters.get(1), physical, length)
        case Logical.DATE:
            _expect("DATE", physical, "int32")
            return FileLeaf(FileKind.DATE, physical)
        case Logical.TIME | Logical.TIMESTAMP:
            utc, unit = parameters.get(1), parameters.get(2)
            members = [] if unit is None else [_UNITS.get(member) for member in _nested(unit)]
            if not isinstance(utc, bool) or len(members) != 1 or members[0] is None:
                raise BadElement(f"its annotation {logical.name} lacks a unit or the UTC flag, or has an unknown unit")
            return _temporal(logical is Logical.TIMESTAMP, members[0], utc, physical)
        case Logical.INTEGER:
            bits, signed = parameters.get(1), parameters.get(2)
            if bits not in (8, 16, 32, 64) or isinstance(bits, bool) or not isinstance(signed, bool):
                raise BadElement(f"its annotation INTEGER has {bits!r} bits and signedness {signed!r}")
            return _integer(int(bits), signed, physical)
        case Logical.UNKNOWN:
            return FileLeaf(FileKind.NULL, physical, length=length)
        case Logical.UUID | Logical.FLOAT16:
            kind, width = _FIXED_KINDS[logical]
            _expect_fixed(logical.name, physical, length, width)
            return FileLeaf(kind, physical, length=length)
        case _:
            raise BadElement(f"the annotation {logical and logical.name} is for groups, not for a leaf column")


def _from_converted(declared: Declared) -> FileLeaf:
    converted, physical, length = declared.converted, declared.physical, declared.length
    match converted:
        case Converted.UTF8 | Converted.ENUM | Converted.JSON | Converted.BSON:
            _expect(converted.name, physical, "byte_array")
            return FileLeaf(_CONVERTED_BYTE_ARRAY_KINDS[converted], physical)
        case Converted.DECIMAL:
            return _decimal(declared.precision, declared.scale, physical, length)
        case Converted.DATE:
            _expect("DATE", physical, "int32")
            return FileLeaf(FileKind.DATE, physical)
        case Converted.TIME_MILLIS | Converted.TIMESTAMP_MILLIS:
            return _temporal(converted is Converted.TIMESTAMP_MILLIS, TimeUnit.MILLIS, True, physical)
        case Converted.TIME_MICROS | Converted.TIMESTAMP_MICROS:
            return _temporal(converted is Converted.TIMESTAMP_MICROS, TimeUnit.MICROS, True, physical)
        case Converted.INTERVAL:
            _expect_fixed("INTERVAL", physical, length, 12)
            return FileLeaf(FileKind.INTERVAL, physical, length=length)
        case Converted.NULL:
            return FileLeaf(FileKind.NULL, physical, length=length)
        case Converted.MAP | Converted.MAP_KEY_VALUE | Converted.LIST | None:
            raise BadElement(f"the annotation {converted and converted.name} is for groups, not for a leaf column")
        case _:
            sign, bits = converted.name.split("_")
            return _integer(int(bits), sign == "INT", physical)


def _integer(bits: int, signed: bool, physical: str) -> FileLeaf:
    _expect(f"{'' if signed else 'U'}INT_{bits}", physical, "int64" if bits == 64 else "int32")
    return FileLeaf(FileKind.INTEGER, physical, bits=bits, signed=signed)


def _temporal(is_timestamp: bool, unit: TimeUnit, utc: bool, physical: str) -> FileLeaf:
    if is_timestamp:
        _expect("TIMESTAMP", physical, "int64")
        return FileLeaf(FileKind.TIMESTAMP, physical, unit=unit, utc=utc)
    _expect(f"TIME in {unit}", physical, "int32" if unit is TimeUnit.MILLIS else "int64")
    return FileLeaf(FileKind.TIME, physical, unit=unit, utc=utc)


def _decimal(precision: Value | None, scale: Value | None, physical: str, length: int | None) -> FileLeaf:
    scale = 0 if scale is None else scale
    if not isinstance(precision, int) or not isinstance(scale, int) or not 0 <= scale <= precision or precision < 1:
        raise BadElement(f"its annotation DECIMAL has precision {precision!r} and scale {scale!r}")
    match physical:
        case "int32":
            most = 9
        case "int64":
            most = 18
        case "fixed_len_byte_array" if length is not None:
            most = len(str(2 ** (8 * min(length, 10_000) - 1) - 1)) - 1
        case "byte_array":
            most = precision
        case _:
            raise BadElement(f"the annotation DECIMAL is not for the physical type {physical}")
    if precision > most:
        width = physical if length is None else f"{physical}({length})"
        raise BadElement(f"its annotation DECIMAL has precision {precision}, but {width} holds {most} digits at most")
    return FileLeaf(FileKind.DECIMAL, physical, precision=precision, scale=scale, length=length)


def _expect(annotation: str, physical: str, expected: str) -> None:
    if physical != expected:
        raise BadElement(f"the annotation {annotation} is for {expected}, but the physical type is {physical}")


def _expect_fixed(annotation: str, physical: str, length: int | None, width: int) -> None:
    if physical != "fixed_len_byte_array" or length != width:
        held = physical if length is None else f"{physical}({length})"
        raise BadElement(f"the annotation {annotation} is for {width} bytes of fixed length, but the column is {held}")
