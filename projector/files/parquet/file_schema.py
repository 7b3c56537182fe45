"""The columns of a Parquet file, as its footer describes them. Nothing here is specific to Iceberg but the field ids.

A `FileSchema` comes from the footer's own schema elements, so a writer's hints (`ARROW:schema`) cannot change it.
Lists and maps are recognised in all their layouts, and the repeated groups that only carry the layout are left out. A
column is addressed by its place: the index of the top-level column, then of the child in each struct (a list's element
is child 0; a map's key and value are 0 and 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

Place = tuple[int, ...]


class FileKind(StrEnum):
    """The kind of the values of a leaf column."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    FLOAT16 = "float16"
    FLOAT = "float"
    DOUBLE = "double"
    DECIMAL = "decimal"
    DATE = "date"
    TIME = "time"
    TIMESTAMP = "timestamp"
    INT96 = "int96"
    STRING = "string"
    ENUM = "enum"
    JSON = "json"
    BSON = "bson"
    BYTES = "bytes"
    FIXED = "fixed"
    UUID = "uuid"
    INTERVAL = "interval"
    NULL = "null"
    GEOMETRY = "geometry"
    GEOGRAPHY = "geography"


class TimeUnit(StrEnum):
    """The unit of a time or timestamp column."""

    MILLIS = "ms"
    MICROS = "us"
    NANOS = "ns"


@dataclass(frozen=True, slots=True)
class FileLeaf:
    """The type of a leaf column. Only the parameters that apply to `kind` are set.

    Parameters
    ----------
    kind:
        The kind of the values.
    physical:
        Parquet's physical type in lower case: `int32`, `int64`, `byte_array`, `fixed_len_byte_array`, ...
    bits, signed:
        Width (8 to 64) and signedness of an integer.
    precision, scale:
        Of a decimal.
    unit, utc:
        Of a time or timestamp: its unit, and whether it is adjusted to UTC.
    length:
        Bytes in a fixed-length value.
    """

    kind: FileKind
    physical: str
    bits: int | None = None
    signed: bool = True
    precision: int | None = None
    scale: int | None = None
    unit: TimeUnit | None = None
    utc: bool = False
    length: int | None = None

    def __str__(self) -> str:
        match self.kind:
            case FileKind.INTEGER:
                return f"{'' if self.signed else 'u'}int{self.bits}"
            case FileKind.DECIMAL:
                return f"decimal({self.precision}, {self.scale}) as {self.physical}"
            case FileKind.TIME | FileKind.TIMESTAMP:
                return f"{self.kind}[{self.unit}{', UTC' if self.utc else ''}]"
            case FileKind.FIXED:
                return f"fixed[{self.length}]"
            case _:
                return str(self.kind)


@dataclass(frozen=True, slots=True)
class FileStruct:
    """A group with named children."""

    fields: tuple[FileColumn, ...]

    def __str__(self) -> str:
        return f"struct<{', '.join(f'{f.name}: {f.type}' for f in self.fields)}>"


@dataclass(frozen=True, slots=True)
class FileList:
    """A list. `layout` says how it is stored.

    `three-level` follows the standard; in `two-level` the repeated column is the element; `repeated` has no annotation;
    `set` is a group annotated as a map whose entries have a key but no value.
    """

    element: FileColumn
    layout: str = "three-level"

    def __str__(self) -> str:
        return f"list<{self.element.type}>"


@dataclass(frozen=True, slots=True)
class FileMap:
    """A map. `layout` is the name of its repeated group: `key_value` in the standard."""

    key: FileColumn
    value: FileColumn
    layout: str = "key_value"

    def __str__(self) -> str:
        return f"map<{self.key.type}, {self.value.type}>"


@dataclass(frozen=True, slots=True)
class FileVariant:
    """A group annotated as VARIANT, shredded or not; its children are not columns of the table."""

    leaf_count: int = 2

    def __str__(self) -> str:
        return "variant"


FileType = FileLeaf | FileStruct | FileList | FileMap | FileVariant


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column, or a child of one.

    Parameters
    ----------
    name:
        The name in the footer, whatever it holds. An element, key or value keeps the name its writer gave it.
    type:
        Its type.
    optional:
        Whether nulls are possible at this level.
    field_id:
        The Parquet field id; None if the writer set none.
    """

    name: str
    type: FileType
    optional: bool = True
    field_id: int | None = None

    @property
    def children(self) -> tuple[FileColumn, ...]:
        """The direct children, in the order of their places."""
        match self.type:
            case FileStruct(fields):
                return fields
            case FileList():
                return (self.type.element,)
            case FileMap():
                return (self.type.key, self.type.value)
            case _:
                return ()

    @property
    def leaf_count(self) -> int:
        """The number of Parquet leaf columns at and below this column."""
        match self.type:
            case FileLeaf():
                return 1
            case FileVariant(leaf_count):
                return leaf_count
            case _:
                return sum(c.leaf_count for c in self.children)


@dataclass(frozen=True, slots=True)
class FileSchema:
    """The columns of a Parquet file. Two files with equal schemas have the same *shape*."""

    columns: tuple[FileColumn, ...]

    def walk(self) -> Iterator[tuple[Place, FileColumn]]:
        """Yield every column at every depth with its place, parents first."""

        def below(column: FileColumn, place: Place) -> Iterator[tuple[Place, FileColumn]]:
            yield place, column
            for i, child in enumerate(column.children):
                yield from below(child, (*place, i))

        for i, column in enumerate(self.columns):
            yield from below(column, (i,))

    def at(self, place: Place) -> FileColumn:
        """Return the column at a place."""
        column = self.columns[place[0]]
        for i in place[1:]:
            column = column.children[i]
        return column

    def name_path(self, place: Place) -> tuple[str, ...]:
        """Return the names in the footer from the root to a place."""
        return tuple(self.at(place[: n + 1]).name for n in range(len(place)))

    @property
    def has_field_ids(self) -> bool:
        """Whether any column at any depth has a field id. Only files without any use the name mapping."""
        return any(column.field_id is not None for _, column in self.walk())

    def first_leaf(self, place: Place) -> int:
        """Return the index in the file of the first Parquet leaf column at or below a place."""
        leaf = sum(c.leaf_count for c in self.columns[: place[0]])
        column = self.columns[place[0]]
        for i in place[1:]:
            leaf += sum(c.leaf_count for c in column.children[:i])
            column = column.children[i]
        return leaf
