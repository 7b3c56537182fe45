"""Iceberg types of format versions 1 to 3, as frozen values (spec: Schemas and Data Types).

`NestedField.initial_default` and `write_default` hold *plain values*: the form in which every value of a table is held
outside Arrow. One form per type, exact and comparable:

| type | plain value |
|---|---|
| boolean, int, long, float, double, string | bool, int, int, float, float, str |
| decimal | decimal.Decimal with the type's scale |
| date | int, days from 1970-01-01 |
| time | int, microseconds from midnight |
| timestamp, timestamptz | int, microseconds from 1970-01-01 (UTC) |
| timestamp_ns, timestamptz_ns | int, nanoseconds from 1970-01-01 (UTC) |
| uuid | uuid.UUID |
| fixed, binary, geometry, geography | bytes (WKB for the last two) |
| struct | dict, by field name (a default: `{}` or None) |
| list | list |
| map | list of (key, value) tuples, in the order of the file |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar

from projector.errors import InvalidMetadataError, ParseError

MAX_FIELD_ID = 2147483447
"""Highest id of a field of a table; higher ids are reserved (spec: Reserved Field IDs)."""

MAX_NESTING = 100
"""How deep structs, lists and maps may be nested in a column; it keeps recursive functions far below Python's recursion
limit."""

EDGE_ALGORITHMS = ("spherical", "vincenty", "thomas", "andoyer", "karney")
"""How the edges of a geography may be interpolated (spec: Edge-Interpolation Algorithm)."""


@dataclass(frozen=True, slots=True)
class IcebergType:
    """Root of all types. Types are equal if all parameters, field ids, names and defaults are equal."""

    minimum_format_version: ClassVar[int] = 1
    """First format version in which the type is legal."""

    @property
    def is_primitive(self) -> bool:
        """True for types without child fields; variant counts as one."""
        return not isinstance(self, (StructType, ListType, MapType))

    @property
    def short_name(self) -> str:
        """The type as text without its child fields: `struct`, `list` or `map`; a primitive type in full."""
        return str(self) if self.is_primitive else type(self).__name__.removesuffix("Type").lower()


@dataclass(frozen=True, slots=True)
class PrimitiveType(IcebergType):
    """A type without child fields."""

    keyword: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.keyword


@dataclass(frozen=True, slots=True)
class UnknownType(PrimitiveType):
    """Always null; never stored in data files (v3)."""

    keyword: ClassVar[str] = "unknown"
    minimum_format_version: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class BooleanType(PrimitiveType):
    """True or false."""

    keyword: ClassVar[str] = "boolean"


@dataclass(frozen=True, slots=True)
class IntegerType(PrimitiveType):
    """32-bit signed integer."""

    keyword: ClassVar[str] = "int"


@dataclass(frozen=True, slots=True)
class LongType(PrimitiveType):
    """64-bit signed integer."""

    keyword: ClassVar[str] = "long"


@dataclass(frozen=True, slots=True)
class FloatType(PrimitiveType):
    """32-bit IEEE 754."""

    keyword: ClassVar[str] = "float"


@dataclass(frozen=True, slots=True)
class DoubleType(PrimitiveType):
    """64-bit IEEE 754."""

    keyword: ClassVar[str] = "double"


@dataclass(frozen=True, slots=True)
class DecimalType(PrimitiveType):
    """Fixed-point decimal: `precision` digits in all, `scale` of them after the point."""

    precision: int
    scale: int

    def __post_init__(self) -> None:
        if not 1 <= self.precision <= 38:
            raise InvalidMetadataError(f"Invalid decimal precision: {self.precision} (must be 1 to 38)")
        if not 0 <= self.scale <= self.precision:
            raise InvalidMetadataError(f"Invalid decimal scale: {self.scale} (must be 0 to {self.precision})")

    def __str__(self) -> str:
        return f"decimal({self.precision}, {self.scale})"


@dataclass(frozen=True, slots=True)
class DateType(PrimitiveType):
    """Calendar date."""

    keyword: ClassVar[str] = "date"


@dataclass(frozen=True, slots=True)
class TimeType(PrimitiveType):
    """Time of day in microseconds."""

    keyword: ClassVar[str] = "time"


@dataclass(frozen=True, slots=True)
class TimestampType(PrimitiveType):
    """Microseconds, without zone."""

    keyword: ClassVar[str] = "timestamp"


@dataclass(frozen=True, slots=True)
class TimestamptzType(PrimitiveType):
    """Microseconds, a point in time."""

    keyword: ClassVar[str] = "timestamptz"


@dataclass(frozen=True, slots=True)
class TimestampNanoType(PrimitiveType):
    """Nanoseconds, without zone (v3)."""

    keyword: ClassVar[str] = "timestamp_ns"
    minimum_format_version: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class TimestamptzNanoType(PrimitiveType):
    """Nanoseconds, a point in time (v3)."""

    keyword: ClassVar[str] = "timestamptz_ns"
    minimum_format_version: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class StringType(PrimitiveType):
    """UTF-8 text."""

    keyword: ClassVar[str] = "string"


@dataclass(frozen=True, slots=True)
class UUIDType(PrimitiveType):
    """Universally unique identifier, 16 bytes."""

    keyword: ClassVar[str] = "uuid"


@dataclass(frozen=True, slots=True)
class FixedType(PrimitiveType):
    """`length` bytes."""

    length: int

    def __post_init__(self) -> None:
        if self.length < 0:
            raise InvalidMetadataError(f"Invalid fixed length: {self.length}")

    def __str__(self) -> str:
        return f"fixed[{self.length}]"


@dataclass(frozen=True, slots=True)
class BinaryType(PrimitiveType):
    """Bytes of any length."""

    keyword: ClassVar[str] = "binary"


@dataclass(frozen=True, slots=True)
class VariantType(PrimitiveType):
    """Semi-structured value (v3). Neither primitive nor nested in the spec; here it has no child fields."""

    keyword: ClassVar[str] = "variant"
    minimum_format_version: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class GeometryType(PrimitiveType):
    """Planar geospatial features in the reference system `crs` (v3)."""

    crs: str = "OGC:CRS84"
    minimum_format_version: ClassVar[int] = 3

    def __post_init__(self) -> None:
        if not self.crs:
            raise InvalidMetadataError("Invalid CRS: (empty string)")

    def __str__(self) -> str:
        return "geometry" if self.crs == "OGC:CRS84" else f"geometry({self.crs})"


@dataclass(frozen=True, slots=True)
class GeographyType(PrimitiveType):
    """Geospatial features on a sphere or spheroid: reference system `crs`, edges by `algorithm` (v3)."""

    crs: str = "OGC:CRS84"
    algorithm: str = "spherical"
    minimum_format_version: ClassVar[int] = 3

    def __post_init__(self) -> None:
        if not self.crs:
            raise InvalidMetadataError("Invalid CRS: (empty string)")
        if self.algorithm not in EDGE_ALGORITHMS:
            raise InvalidMetadataError(
                f"Invalid edge interpolation algorithm: {self.algorithm} (must be one of {', '.join(EDGE_ALGORITHMS)})"
            )

    def __str__(self) -> str:
        if self.algorithm != "spherical":
            return f"geography({self.crs}, {self.algorithm})"
        return "geography" if self.crs == "OGC:CRS84" else f"geography({self.crs})"


@dataclass(frozen=True, slots=True)
class NestedField:
    """A field of a struct, or the element, key or value of a list or map.

    None stands for a missing default, which reads the same as a null default. Defaults are plain values (see
    the module's table).
    """

    field_id: int
    name: str
    field_type: IcebergType
    required: bool = False
    doc: str | None = None
    initial_default: Any = field(default=None, hash=False)
    write_default: Any = field(default=None, hash=False)

    @property
    def optional(self) -> bool:
        """The opposite of `required`."""
        return not self.required

    def with_type(self, field_type: IcebergType) -> NestedField:
        """Return the field with another type."""
        return replace(self, field_type=field_type)

    def __str__(self) -> str:
        need = "required" if self.required else "optional"
        return f"{self.field_id}: {self.name}: {need} {self.field_type}" + (f" ({self.doc})" if self.doc else "")


@dataclass(frozen=True, slots=True)
class StructType(IcebergType):
    """A tuple of named fields."""

    fields: tuple[NestedField, ...] = ()

    def __str__(self) -> str:
        return f"struct<{', '.join(str(f) for f in self.fields)}>"


@dataclass(frozen=True, slots=True)
class ListType(IcebergType):
    """A list; its only child is called `element`."""

    element_id: int
    element_type: IcebergType
    element_required: bool = False

    @property
    def element(self) -> NestedField:
        """The element as a field."""
        return NestedField(self.element_id, "element", self.element_type, self.element_required)

    def __str__(self) -> str:
        return f"list<{self.element_type}>"


@dataclass(frozen=True, slots=True)
class MapType(IcebergType):
    """A map; its children are called `key` (always required) and `value`."""

    key_id: int
    key_type: IcebergType
    value_id: int
    value_type: IcebergType
    value_required: bool = False

    @property
    def key(self) -> NestedField:
        """The key as a field."""
        return NestedField(self.key_id, "key", self.key_type, True)

    @property
    def value(self) -> NestedField:
        """The value as a field."""
        return NestedField(self.value_id, "value", self.value_type, self.value_required)

    def __str__(self) -> str:
        return f"map<{self.key_type}, {self.value_type}>"


def children(iceberg_type: IcebergType) -> tuple[NestedField, ...]:
    """Return the child fields of a type, in order: a struct's fields, a list's element, a map's key and value."""
    match iceberg_type:
        case StructType(fields):
            return fields
        case ListType():
            return (iceberg_type.element,)
        case MapType():
            return (iceberg_type.key, iceberg_type.value)
        case _:
            return ()


def walk(iceberg_type: IcebergType, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], NestedField]]:
    """Yield every field below a type with its path of names, parents before their children."""
    for child in children(iceberg_type):
        child_path = (*path, child.name)
        yield child_path, child
        yield from walk(child.field_type, child_path)


def has_variant(iceberg_type: IcebergType) -> bool:
    """Return whether a type is a variant or contains one."""
    return isinstance(iceberg_type, VariantType) or any(
        isinstance(field.field_type, VariantType) for _, field in walk(iceberg_type)
    )


def nesting(iceberg_type: IcebergType) -> int:
    """Return how many levels of structs, lists and maps a type has, 0 for a primitive. Takes types of any depth."""
    deepest, left = 0, [(iceberg_type, 0)]
    while left:
        below, depth = left.pop()
        if not below.is_primitive:
            deepest = max(deepest, depth + 1)
            left.extend((child.field_type, depth + 1) for child in children(below))
    return deepest


def rebuild(iceberg_type: IcebergType, fields: tuple[NestedField, ...]) -> IcebergType:
    """Return the same kind of type with other child fields, the reverse of `children`."""
    match iceberg_type:
        case StructType():
            return StructType(fields)
        case ListType():
            (element,) = fields
            return ListType(element.field_id, element.field_type, element.required)
        case MapType():
            key, value = fields
            return MapType(key.field_id, key.field_type, value.field_id, value.field_type, value.required)
        case _:
            return iceberg_type


def transform(iceberg_type: IcebergType, change: Callable[[NestedField], NestedField]) -> IcebergType:
    """Return a type with `change` applied to every field at every depth, children before their parents."""
    below = tuple(change(f.with_type(transform(f.field_type, change))) for f in children(iceberg_type))
    return rebuild(iceberg_type, below) if below else iceberg_type


_SIMPLE: dict[str, PrimitiveType] = {
    t.keyword: t
    for t in (
        UnknownType(), BooleanType(), IntegerType(), LongType(), FloatType(), DoubleType(), DateType(), TimeType(),
        TimestampType(), TimestamptzType(), TimestampNanoType(), TimestamptzNanoType(), StringType(), UUIDType(),
        BinaryType(), VariantType(),
    )
}  # fmt: skip
_DECIMAL = re.compile(r"decimal\s*\(\s*([0-9]{1,9})\s*,\s*([0-9]{1,9})\s*\)")
_FIXED = re.compile(r"fixed\s*(?:\[\s*([0-9]{1,9})\s*\]|\(\s*([0-9]{1,9})\s*\))")
_GEOMETRY = re.compile(r"geometry\s*(?:\(\s*([^)]*?)\s*\))?", re.IGNORECASE)
_GEOGRAPHY = re.compile(r"geography\s*(?:\(\s*([^),]*?)\s*(?:,\s*(\w*)\s*)?\))?", re.IGNORECASE)


@lru_cache(maxsize=256)
def parse_primitive(text: str) -> PrimitiveType:
    """Return the primitive type that `text` spells in the spec's JSON form, such as `long` or `decimal(10, 2)`.

    Upper case and white space around parameters are accepted, and `fixed(16)` beside `fixed[16]`. Raises `ParseError`
    for a spelling that the spec does not know, and `InvalidMetadataError` for parameters out of range.
    """
    spelled = text.strip()
    low = spelled.lower()
    if low in _SIMPLE:
        return _SIMPLE[low]
    if m := _DECIMAL.fullmatch(low):
        return DecimalType(int(m[1]), int(m[2]))
    if m := _FIXED.fullmatch(low):
        return FixedType(int(m[1] or m[2]))
    if m := _GEOMETRY.fullmatch(spelled):
        return GeometryType() if m[1] is None else GeometryType(m[1])
    if m := _GEOGRAPHY.fullmatch(spelled):
        return GeographyType() if m[1] is None else GeographyType(m[1], (m[2] or "spherical").lower())
    raise ParseError(f"Cannot parse type string to primitive: {text}", text=text)
