"""`UpdateSchema`: records schema changes, and applies them to the schema that is current at the commit."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from projector.evolution.operations.schema import (
    NOT_GIVEN,
    AddColumn,
    DeleteColumn,
    FieldPath,
    MakeColumnOptional,
    MoveColumn,
    Operation,
    RenameColumn,
    RequireColumn,
    SetIdentifierFields,
    UnionByName,
    UpdateColumnDefault,
    UpdateColumnDoc,
    UpdateColumnType,
)
from projector.schema.schema import Schema

Names = str | Sequence[str]
"""A dotted name, or a sequence of literal names."""


class UpdateSchema:
    """Records schema changes.

    Every method records one operation and returns the update itself. Nothing is checked before `apply`: invalid names,
    types and values are reported there, and the same recording can be applied to another schema.

    Parameters
    ----------
    format_version:
        The format version of the table, which decides which promotions, types and defaults are legal. A commit uses the
        table's own.
    case_sensitive:
        Whether names must match in case.
    allow_incompatible_changes:
        Allow changes that old data may violate: required columns without a default, and optional to required.
    """

    def __init__(
        self, *, format_version: int = 2, case_sensitive: bool = True, allow_incompatible_changes: bool = False
    ) -> None:
        self.format_version = format_version
        self.case_sensitive = case_sensitive
        self.allow_incompatible_changes = allow_incompatible_changes
        self._operations: list[Operation] = []

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The recorded operations, in order."""
        return tuple(self._operations)

    def is_empty(self) -> bool:
        """Return whether nothing has been recorded."""
        return not self._operations

    def record(self, *operations: Operation) -> UpdateSchema:
        """Record operations that were made elsewhere: by a parser, or from a schema diff."""
        self._operations.extend(operations)
        return self

    # ---------------------------------------------------------------- adding and dropping

    def add_column(self, name: Names, type: Any, doc: str | None = "", default: Any = NOT_GIVEN) -> UpdateSchema:
        """Add an optional column.

        Parameters
        ----------
        name:
            The name at the top level; a dot in it is refused as ambiguous. A tuple is a path: its last name is added to
            the
            struct that the others name, and `("a.b",)` is a top-level column with a dot in its name.
        type:
            An Iceberg type, or its JSON spelling. Its ids are placeholders.
        doc:
            The documentation.
        default:
            The value of the column in rows written before (format version 3), and for writers that provide none.
        """
        return self._add(None, name, type, False, doc, default)

    def add_nested_column(
        self, parent: Names, name: str, type: Any, doc: str | None = "", default: Any = NOT_GIVEN
    ) -> UpdateSchema:
        """Add an optional field to a struct, to the elements of a list of structs, or to the values of a map."""
        return self._add(parent, name, type, False, doc, default)

    def add_required_column(
        self, name: Names, type: Any, default: Any = NOT_GIVEN, parent: Names | None = None, doc: str | None = ""
    ) -> UpdateSchema:
        """Add a required column. It needs a default, unless incompatible changes are allowed."""
        return self._add(parent, name, type, True, doc, default)

    def _add(
        self, parent: Names | None, name: Names, type: Any, required: bool, doc: str | None, default: Any
    ) -> UpdateSchema:
        where = None if parent is None else _path(parent)
        if not isinstance(name, str) and isinstance(name, Sequence):
            *above, name = name
            where = (*(() if where is None else (where,) if isinstance(where, str) else where), *above)
        recorded = AddColumn(where, name, _type(type), required, doc or None, copy.deepcopy(default))
        return self.record(recorded)

    def delete_column(self, path: Names) -> UpdateSchema:
        """Drop a column with all its children."""
        return self.record(DeleteColumn(_path(path)))

    # ---------------------------------------------------------------- changing

    def rename_column(self, path: Names, new_name: str) -> UpdateSchema:
        """Rename a column. `new_name` is one name, not a path."""
        return self.record(RenameColumn(_path(path), new_name))

    def make_column_optional(self, path: Names) -> UpdateSchema:
        """Allow nulls in a column, a list element or a map value."""
        return self.record(MakeColumnOptional(_path(path)))

    def require_column(self, path: Names) -> UpdateSchema:
        """Forbid nulls: an incompatible change, except for a column that the update adds with a default."""
        return self.record(RequireColumn(_path(path)))

    def update_column_type(self, path: Names, new_type: Any) -> UpdateSchema:
        """Promote a column to a wider type (spec: Schema Evolution)."""
        return self.record(UpdateColumnType(_path(path), _type(new_type)))

    def update_column_doc(self, path: Names, doc: str | None) -> UpdateSchema:
        """Set the documentation of a column; None removes it."""
        return self.record(UpdateColumnDoc(_path(path), doc))

    def update_column_default(self, path: Names, value: Any) -> UpdateSchema:
        """Set the write default of a column; None removes it. The initial default never changes."""
        return self.record(UpdateColumnDefault(_path(path), copy.deepcopy(value)))

    # ---------------------------------------------------------------- order

    def move_first(self, path: Names) -> UpdateSchema:
        """Move a column to the front of its struct."""
        return self.record(MoveColumn(_path(path), "first"))

    def move_before(self, path: Names, reference: Names) -> UpdateSchema:
        """Move a column before another of the same struct."""
        return self.record(MoveColumn(_path(path), "before", _path(reference)))

    def move_after(self, path: Names, reference: Names) -> UpdateSchema:
        """Move a column after another of the same struct."""
        return self.record(MoveColumn(_path(path), "after", _path(reference)))

    # ---------------------------------------------------------------- the whole schema

    def set_identifier_fields(self, *names: Names) -> UpdateSchema:
        """Set the identifier fields, by the names that they have after the update; no argument removes all."""
        return self.record(SetIdentifierFields(tuple(_path(name) for name in names)))

    def union_by_name(self, schema: Any, promote: bool = False) -> UpdateSchema:
        """Merge a schema by name, at every depth; the given schema's ids are ignored.

        Missing fields are added, fields that the given schema marks optional become optional, changed docs are taken
        over,
        and fields that it does not mention stay.

        Parameters
        ----------
        schema:
            A `Schema`, its JSON (text or parsed), or an Arrow schema.
        promote:
            False: a field whose type differs, or a new required field, is an error. True: types are promoted if the
            spec
            allows it, a narrower type changes nothing, and a new field is added as optional.
        """
        return self.record(UnionByName(_schema(schema), promote))

    # ---------------------------------------------------------------- applying

    def apply(self, base: Schema, last_column_id: int) -> tuple[Schema, int]:
        """Return the schema that the recorded changes make of `base`, and the highest field id after them.

        The schema keeps the id of `base`: a commit gives it the id of an equal schema of the table, or a new one.

        Parameters
        ----------
        base:
            The schema to change; it is not modified.
        last_column_id:
            The table's `last-column-id`: new fields get higher ids.

        Raises
        ------
        SchemaUpdateError
            An operation cannot be applied to this schema.
        """
        from projector.evolution.apply.schema import apply_operations

        schema, last = apply_operations(
            self.operations,
            base,
            last_column_id,
            format_version=self.format_version,
            case_sensitive=self.case_sensitive,
            allow_incompatible_changes=self.allow_incompatible_changes,
        )
        return schema if schema is base else replace(schema, schema_id=base.schema_id), last

    def __copy__(self) -> UpdateSchema:
        """Return an update with the same options and an independent record."""
        return self.with_operations(self._operations)

    def with_operations(self, operations: Iterable[Operation]) -> UpdateSchema:
        """Return an update with the same options and other operations."""
        return UpdateSchema(
            format_version=self.format_version,
            case_sensitive=self.case_sensitive,
            allow_incompatible_changes=self.allow_incompatible_changes,
        ).record(*operations)

    def __repr__(self) -> str:
        shown = ", ".join(str(replace(operation, source=None)) for operation in self._operations)
        return f"UpdateSchema(format_version={self.format_version}, operations=[{shown}])"


def _path(path: Any) -> FieldPath:
    """Return a path as it is recorded. An invalid path is recorded too, and reported on application."""
    return tuple(path) if isinstance(path, (tuple, list)) else path


def _type(given: Any) -> Any:
    """Return a type as it is recorded: parsed JSON and pyiceberg types become JSON text, which cannot change later."""
    if isinstance(given, Mapping):
        return json.dumps(given)
    if hasattr(given, "model_dump_json"):
        return given.model_dump_json()
    return given


def _schema(given: Any) -> Any:
    """Return a schema as it is recorded."""
    return given if isinstance(given, Schema) else _type(given)
