"""The operations of a schema update: recorded as data, and applied later to the schema that is current then.

A *field path* names a field. A string is a dotted name, looked up as Java does (`l.x` also reaches field x of the
structs in a list l). A tuple is a path of literal names, so `("a.b",)` is the top-level column called `a.b`. Paths name
fields of the schema that the operations are applied to, or columns added earlier in the same update.

Operations check nothing: types and schemas may still be JSON text, and errors in them are reported on application.
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
"""Marks a default that was not given, as opposed to a default of None."""


@dataclass(frozen=True, slots=True)
class PlainValue:
    """A default that already is a plain value of the field's type (see `projector.schema.types`): not converted."""

    value: Any


def dotted(path: FieldPath) -> str:
    """Return a field path as a dotted name, for messages."""
    return path if isinstance(path, str) else ".".join(path)


@dataclass(frozen=True, slots=True)
class Source:
    """Where an operation was written: the text and its span, in characters from 0; `file` if it has its own."""

    text: str
    position: int
    end: int | None = None
    file: str | None = None

    def __str__(self) -> str:
        before = self.text[: self.position]
        return f"line {before.count(chr(10)) + 1}, column {self.position - (before.rfind(chr(10)) + 1) + 1}"


@dataclass(frozen=True, slots=True)
class Operation:
    """The base class of all operations. `source` serves messages only, and does not take part in equality."""

    source: Source | None = field(default=None, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class AddColumn(Operation):
    """Add a column.

    Parameters
    ----------
    parent:
        The struct to add to (a list stands for its element, a map for its value). `()` is the table's root. None is the
        root too, but then a name that contains a dot is refused as ambiguous.
    default:
        The initial and write default, as a Python value or a JSON single value (spec: Default values).
    if_not_exists:
        Do nothing if the struct already has a field of this name.
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
    """Drop a column with all its children. With `if_exists`, do nothing if it does not exist."""

    path: FieldPath
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn(Operation):
    """Rename a column without moving it.

    With `if_exists`, do nothing if it does not exist. With `struct_fields_only`, refuse a list's element and a map's
    key
    or value.
    """

    path: FieldPath
    new_name: str
    if_exists: bool = False
    struct_fields_only: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class MakeColumnOptional(Operation):
    """Allow nulls in a column, a list element or a map value."""

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
    """Move a column within its struct: to the front, or before or after another field of the struct.

    With `only_if_added`, leave a column that existed before where it is: SQL gives a position to a column that it adds
    only if it does not exist.
    """

    path: FieldPath
    where: Literal["first", "before", "after"]
    reference: FieldPath | None = None
    only_if_added: bool = False


@dataclass(frozen=True, slots=True)
class SetIdentifierFields(Operation):
    """Set the identifier fields, by the names that they have after the update."""

    names: tuple[FieldPath, ...]


@dataclass(frozen=True, slots=True)
class DropIdentifierFields(Operation):
    """Remove fields from the identifier fields. A field that is not one of them is an error."""

    names: tuple[FieldPath, ...]


@dataclass(frozen=True, slots=True)
class UnionByName(Operation):
    """Merge a schema by name. With `promote`, differing types are promoted if the spec allows it."""

    schema: SchemaSpec
    promote: bool = False


@dataclass(frozen=True, slots=True)
class NextStatement(Operation):
    """End a statement: the operations after it see the outcome of those before it, and name its fields.

    Without it an update is one change, whose paths name fields of the base schema: after a rename, the new name is not
    known yet. Each statement of a SQL script sees the outcome of the statements before it.
    """


class SqlText(str):
    """Text from a SQL literal: as a default for binary or fixed it is not read as hexadecimal digits."""

    __slots__ = ()
