"""Parquet's schema elements and annotations: from one element's fields to the type of a leaf column.

`logicalType` decides where an element has one that is known here; else `converted_type`; else the physical type alone,
which is what Parquet asks of a reader that does not know an annotation.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from projector.files.physical import FileKind, FileLeaf, TimeUnit
from projector.files.thrift import Value

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
    """The older annotations (`ConvertedType`). `NULL` was written by some versions of Parquet C++ only."""

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


class BadElement(ValueError):
    """A schema element that contradicts itself; the message says how."""


@dataclass(frozen=True, slots=True)
class SchemaElement:
    """One `SchemaElement` of a footer, its enumerations resolved.

    `logical` is the union's member and `parameters` are its own. An annotation that is not known here is None.
    """

    name: str
    physical: str | None
    repetition: Repetition | None
    num_children: int
    field_id: int | None
    length: int | None
    converted: Converted | None
    scale: int | None
    precision: int | None
    logical: Logical | None
    parameters: dict[int, Value]

    @property
    def is_list(self) -> bool:
        """Annotated as a list."""
        return self.logical is Logical.LIST or (self.logical is None and self.converted is Converted.LIST)

    @property
    def is_map(self) -> bool:
        """Annotated as a map, `MAP_KEY_VALUE` in its place included."""
        return self.logical is Logical.MAP or (
            self.logical is None and self.converted in (Converted.MAP, Converted.MAP_KEY_VALUE)
        )

    @property
    def is_variant(self) -> bool:
        """Annotated as a variant."""
        return self.logical is Logical.VARIANT


def schema_element(fields: dict[int, Value]) -> SchemaElement:
    """Check the decoded fields of one element. Raises `BadElement`."""
    name = fields.get(4)
    if not isinstance(name, bytes):
        raise BadElement("it has no name")
    physical = _number(fields, 1, "type")
    if physical is not None and not 0 <= physical < len(PHYSICAL_TYPES):
        raise BadElement(f"its physical type {physical} does not exist")
    repetition = _number(fields, 3, "repetition")
    if repetition is not None and not 0 <= repetition <= 2:
        raise BadElement(f"its repetition {repetition} does not exist")
    num_children = _number(fields, 5, "number of children") or 0
    if num_children < 0:
        raise BadElement(f"it claims {num_children} children")
    converted = _number(fields, 6, "converted type")
    logical, parameters = _logical(fields.get(10))
    field_id = _number(fields, 9, "field id")
    return SchemaElement(
        name=name.decode("utf-8", "backslashreplace"),
        physical=None if physical is None else PHYSICAL_TYPES[physical],
        repetition=None if repetition is None else Repetition(repetition),
        num_children=num_children,
        field_id=None if field_id is None or field_id < 0 else field_id,
        length=_number(fields, 2, "length"),
        converted=_CONVERTED.get(converted) if converted is not None else None,
        scale=_number(fields, 7, "scale"),
        precision=_number(fields, 8, "precision"),
        logical=logical,
        parameters=parameters,
    )


_CONVERTED: dict[int, Converted] = {int(c): c for c in Converted}
_LOGICAL: dict[int, Logical] = {int(member): member for member in Logical}


def _number(fields: dict[int, Value], field_id: int, what: str) -> int | None:
    value = fields.get(field_id)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not -(2**31) <= value < 2**31:
        raise BadElement(f"its {what} is not a 32-bit integer")
    return value


def _logical(value: Value | None) -> tuple[Logical | None, dict[int, Value]]:
    if value is None:
        return None, {}
    if not isinstance(value, dict):
        raise BadElement("its logical type is not a struct")
    if len(value) > 1:
        raise BadElement("it has more than one logical type")
    for member, parameters in value.items():
        if (known := _LOGICAL.get(member)) is not None:
            if not isinstance(parameters, dict):
                raise BadElement("the parameters of its logical type are not a struct")
            return known, parameters
    return None, {}


def leaf_type(element: SchemaElement) -> FileLeaf:
    """The type of a leaf column. Raises `BadElement` where the annotation does not fit the physical type."""
    physical = element.physical
    assert physical is not None
    length = None
    if physical == "fixed_len_byte_array":
        length = element.length
        if length is None or length < 1:
            raise BadElement(f"its values are of fixed length, but the length is {length}")
    if element.logical is not None:
        leaf = _from_logical(element, physical, length)
    elif element.converted is not None:
        leaf = _from_converted(element, physical, length)
    else:
        leaf = _plain(physical, length)
    return leaf


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


def _from_logical(element: SchemaElement, physical: str, length: int | None) -> FileLeaf:
    logical, parameters = element.logical, element.parameters
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
            member = next(iter(unit)) if isinstance(unit, dict) and len(unit) == 1 else None
            if not isinstance(utc, bool) or member not in _UNITS:
                raise BadElement(f"its annotation {logical.name} lacks a unit or the UTC flag, or has an unknown unit")
            return _temporal(logical is Logical.TIMESTAMP, _UNITS[member], utc, physical)
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


def _from_converted(element: SchemaElement, physical: str, length: int | None) -> FileLeaf:
    converted = element.converted
    match converted:
        case Converted.UTF8 | Converted.ENUM | Converted.JSON | Converted.BSON:
            _expect(converted.name, physical, "byte_array")
            return FileLeaf(_CONVERTED_BYTE_ARRAY_KINDS[converted], physical)
        case Converted.DECIMAL:
            return _decimal(element.precision, element.scale, physical, length)
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
