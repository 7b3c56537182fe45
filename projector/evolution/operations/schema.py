"""The operations a schema update is made of: recorded as data, applied later to whatever schema is current.

A *field path* names a field. A string is a dotted name, looked up as Java does (`l.x` also reaches field x of the
structs in a list l); a tuple is a path of literal names, so `("a.b",)` is the top-level column called `a.b`. Paths name
fields of the schema the operations are applied to, or columns added earlier in the same update.

Nothing is looked at here: types and schemas may still be JSON text, and a wrong one is reported when it is applied.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from projector.schema.schema import Schema
from projector.schema.types import IcebergType

FieldPath = str | tuple[str, ...]
TypeSpec = IcebergType | str
"""An Iceberg type, or its JSON: `long`, `"long"`, or the text of a struct, list or map whose ids are placeholders."""
SchemaSpec = Schema | str
"""A schema, or its JSON text. Its ids are placeholders."""


class NotGiven(enum.Enum):
    """The type of `NOT_GIVEN`."""

    NOT_GIVEN = "not given"

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN: Final = NotGiven.NOT_GIVEN
"""Stands for a default that was not given, which is not the same as a default of None."""


@dataclass(frozen=True, slots=True)
class PlainValue:
    """A default that is a plain value of the field's type already (projector.schema.types) and needs no conversion."""

    value: Any


def dotted(path: FieldPath) -> str:
    """A field path as a dotted name, for messages."""
    return path if isinstance(path, str) else ".".join(path)


@dataclass(frozen=True, slots=True)
class Source:
    """Where an operation was written: the text, and its span in it, in characters from 0; `file` if it has its own."""

    text: str
    position: int
    end: int | None = None
    file: str | None = None

    def __str__(self) -> str:
        before = self.text[: self.position]
        return f"line {before.count(chr(10)) + 1}, column {self.position - (before.rfind(chr(10)) + 1) + 1}"


@dataclass(frozen=True, slots=True)
class Operation:
    """Root of all operations. `source` is kept for messages and takes no part in equality."""

    source: Source | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class AddColumn(Operation):
    """Add a column.

    Parameters
    ----------
    parent:
        The struct to add to (a list stands for its element, a map for its value). `()` is the table's root; None is the
        root too, but then a name with a dot in it is refused as ambiguous.
    default:
        Initial and write default, as a Python value or a JSON single value (spec: Default values).
    if_not_exists:
        Do nothing where the struct has a field of this name.
    named_in_full:
        Refuse a parent that stands for its element or value: `l.element` and `m.value` must be written out.
    """

    parent: FieldPath | None
    name: str
    field_type: TypeSpec
    required: bool = False
    doc: str | None = None
    default: Any = field(default=NOT_GIVEN, hash=False)
    if_not_exists: bool = False
    named_in_full: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class DeleteColumn(Operation):
    """Drop a column with everything in it; with `if_exists`, do nothing where there is none."""

    path: FieldPath
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn(Operation):
    """Give a column another name, in the place it has.

    With `if_exists`, do nothing if there is none. With `struct_fields_only`, refuse a list's element and a map's key or
    value.
    """

    path: FieldPath
    new_name: str
    if_exists: bool = False
    struct_fields_only: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class MakeColumnOptional(Operation):
    """Let a column, a list element or a map value be null."""

    path: FieldPath


@dataclass(frozen=True, slots=True)
class RequireColumn(Operation):
    """Forbid nulls in a column, a list element or a map value."""

    path: FieldPath


@dataclass(frozen=True, slots=True)
class UpdateColumnType(Operation):
    """Promote a column to a wider type (spec: Schema Evolution)."""

    path: FieldPath
    new_type: TypeSpec


@dataclass(frozen=True, slots=True)
class UpdateColumnDoc(Operation):
    """Set the documentation of a column; None removes it."""

    path: FieldPath
    doc: str | None


@dataclass(frozen=True, slots=True)
class UpdateColumnDefault(Operation):
    """Set the write default of a column; None removes it. The initial default never changes."""

    path: FieldPath
    default: Any = field(hash=False)


@dataclass(frozen=True, slots=True)
class MoveColumn(Operation):
    """Move a column within its struct: to the front, or before or after a field of the same struct.

    With `only_if_added`, do nothing to a column that was there before: the place given to a column that is added if it
    does not exist.
    """

    path: FieldPath
    where: Literal["first", "before", "after"]
    reference: FieldPath | None = None
    only_if_added: bool = False


@dataclass(frozen=True, slots=True)
class SetIdentifierFields(Operation):
    """Set the fields that identify a row, by the names they have after the update."""

    names: tuple[FieldPath, ...]


@dataclass(frozen=True, slots=True)
class DropIdentifierFields(Operation):
    """Take fields out of those that identify a row; one that is not among them is an error."""

    names: tuple[FieldPath, ...]


@dataclass(frozen=True, slots=True)
class UnionByName(Operation):
    """Merge a schema in by names; with `promote`, types that differ are promoted where the spec allows it."""

    schema: SchemaSpec
    promote: bool = False


@dataclass(frozen=True, slots=True)
class NextStatement(Operation):
    """Ends a statement: what follows is applied to the outcome of what precedes, and its paths name fields of that.

    Without it an update is one change, whose paths name fields of the base schema: after a rename the new name is not
    known yet. The statements of a SQL script see what the ones before them did.
    """


class SqlText(str):
    """Text that was written in SQL: in a default for binary or fixed it is not taken for hexadecimal digits."""

    __slots__ = ()
