"""The plan: where every requested field of a file comes from.

A small immutable tree, compiled once per shape from schemas alone. Requested on the left, the file in the middle, the
plan on the right:

    1: id      long             1: id   int32           Read(place=(0,), cast=WIDEN_INTEGER)
    7: region  string           -                       PartitionValue(field_id 7)
    3: addr    struct           3: address struct       StructOf(place=(1,),
       4: zip    string            4: zip  byte_array       Read(place=(1, 0), cast=NONE),
       9: city   string = '?'      5: old  string           Constant('?'))
    8: note    string           -                       Null()
    6: qty     int              6: qty  double          Fail(code=TYPE, ...)

What differs from file to file (partition values, path, positions) is named here and bound later, by `Binding`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from projector.files.parquet.file_schema import FileSchema, Place
from projector.schema.schema import Schema
from projector.schema.types import NestedField


class Origin(StrEnum):
    """Which rule of the spec's Column Projection gives a field its value."""

    FILE = "file"
    PARTITION = "partition"
    NAME_MAPPING = "name mapping"
    INITIAL_DEFAULT = "initial default"
    NULL = "null"
    METADATA = "metadata"
    NONE = "none"


class Cast(StrEnum):
    """How the stored values of a leaf become values of the requested type."""

    NONE = "none"
    WIDEN_INTEGER = "widen integer"
    CHECKED_INTEGER = "unsigned integer, checked to fit"
    WIDEN_FLOAT = "widen float"
    WIDEN_DECIMAL = "widen decimal"
    DATE_TO_TIMESTAMP = "date to timestamp"
    RESCALE_TIMESTAMP = "rescale timestamp, exactly"
    RESCALE_TIME = "rescale time, exactly"
    INT96_TO_TIMESTAMP = "int96 to timestamp, exactly"
    BYTES_TO_STRING = "bytes to string, checked UTF-8"
    STRING_TO_BYTES = "string to bytes"
    BYTES_TO_UUID = "16 bytes to uuid"


class Matching(StrEnum):
    """How the columns of a file are matched with the requested fields."""

    BY_ID = "field ids"
    BY_NAME_MAPPING = "name mapping"


class FailCode(StrEnum):
    """Why a field cannot be projected."""

    TYPE = "type"
    KIND = "kind"
    REQUIRED = "required"
    DUPLICATE_ID = "duplicate id"
    DUPLICATE_NAME = "duplicate name"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Node:
    """The part that all nodes have.

    Parameters
    ----------
    field:
        The requested field: id, name, requested type, whether it is required.
    path:
        Dotted path of the requested field from the top of the requested schema.
    origin:
        The rule that applies.
    """

    field: NestedField
    path: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Unplaced(Node):
    """A node that reads no column of the file."""

    @property
    def place(self) -> Place | None:
        """None: the file has no column for it."""
        return None


@dataclass(frozen=True, slots=True)
class Read(Node):
    """A leaf of the file and its cast. `check_null`: the field is required, but the file's column is optional."""

    place: Place
    cast: Cast = Cast.NONE
    check_null: bool = False


@dataclass(frozen=True, slots=True)
class StructOf(Node):
    """A struct of the file: null where the file's struct is null; `fields` hold its children."""

    place: Place
    fields: tuple[PlanNode, ...]
    check_null: bool = False


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    """A list of the file, with the nulls and lengths of the file."""

    place: Place
    element: PlanNode
    check_null: bool = False


@dataclass(frozen=True, slots=True)
class MapOf(Node):
    """A map of the file, with the nulls and entries of the file."""

    place: Place
    key: PlanNode
    value: PlanNode
    check_null: bool = False


@dataclass(frozen=True, slots=True)
class Constant(Unplaced):
    """One plain value for every row: an initial default that is not null."""

    value: Any = field(hash=False)


@dataclass(frozen=True, slots=True)
class NewStruct(Unplaced):
    """A struct that the file lacks: never null, because its initial default is `{}`. No child reads the file."""

    fields: tuple[PlanNode, ...]


@dataclass(frozen=True, slots=True)
class PartitionValue(Unplaced):
    """The identity partition value of the file's own spec, bound per file. It may be null."""


@dataclass(frozen=True, slots=True)
class MetadataColumn(Node):
    """A reserved field, for example `_file` or `_pos`: bound per file, or counted per row.

    `place` is the file's own column of that id if it has one (`_row_id`, `_last_updated_sequence_number`), and `cast`
    what happens to its values; its nulls become the inherited value.
    """

    place: Place | None = None
    cast: Cast = Cast.NONE


@dataclass(frozen=True, slots=True)
class Null(Unplaced):
    """Null in every row."""


@dataclass(frozen=True, slots=True)
class Fail(Node):
    """A field that cannot be projected. Executors raise it, checks collect it."""

    code: FailCode
    message: str
    place: Place | None = None


Stored = Read | StructOf | ListOf | MapOf
"""Nodes whose nulls are those of a column of the file."""

PlanNode = Read | StructOf | ListOf | MapOf | Constant | NewStruct | PartitionValue | MetadataColumn | Null | Fail


def children(node: PlanNode) -> tuple[PlanNode, ...]:
    """Return the direct children of a node, in order."""
    match node:
        case StructOf(fields=fields) | NewStruct(fields=fields):
            return fields
        case ListOf(element=element):
            return (element,)
        case MapOf(key=key, value=value):
            return (key, value)
        case _:
            return ()


@dataclass(frozen=True, slots=True)
class Note:
    """A warning about a file that can be read, for example one without field ids if the table has no name mapping."""

    path: str
    message: str


@dataclass(frozen=True)
class Plan:
    """A requested schema compiled against one shape of file.

    Parameters
    ----------
    schema:
        The requested schema.
    file_schema:
        The shape.
    fields:
        One node per top-level field of `schema`, in its order.
    notes:
        Warnings about files of this shape.
    """

    schema: Schema
    file_schema: FileSchema
    fields: tuple[PlanNode, ...]
    notes: tuple[Note, ...] = ()

    def walk(self) -> Iterator[PlanNode]:
        """Yield every node, parents first."""

        def below(node: PlanNode) -> Iterator[PlanNode]:
            yield node
            for child in children(node):
                yield from below(child)

        for node in self.fields:
            yield from below(node)

    @cached_property
    def failures(self) -> tuple[Fail, ...]:
        """The fields that cannot be projected."""
        return tuple(node for node in self.walk() if isinstance(node, Fail))


@dataclass(frozen=True, slots=True)
class Binding:
    """The values that one file adds to the plan of its shape.

    Parameters
    ----------
    file:
        The path of the file as the manifest spells it.
    partition:
        Identity partition values of the file's own spec: {source field id: plain value}.
    spec_id:
        Id of that spec.
    partition_struct:
        The whole partition tuple by partition field id, for `_partition`.
    first_row_id, sequence_number:
        For row lineage; None if the table's format version has none.
    """

    file: str
    partition: Mapping[int, Any] = field(default_factory=dict)
    spec_id: int | None = None
    partition_struct: Mapping[int, Any] = field(default_factory=dict)
    first_row_id: int | None = None
    sequence_number: int | None = None
