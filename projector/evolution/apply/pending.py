"""Gather operations against a base schema by field id: what is deleted, changed, added and moved.

`gather` walks the recorded operations in order and resolves every name. Names are those of the base schema, or full
names of columns added before, as in Java. The changes are carried out afterwards, in one rebuild of the tree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn

from projector.errors import ProjectorError, SchemaUpdateError
from projector.evolution.apply.schema_checks import check_lower_case_names
from projector.evolution.operations.input_types import checked, given_default, given_schema, given_type
from projector.evolution.operations.schema import (
    NOT_GIVEN,
    AddColumn,
    DeleteColumn,
    DropIdentifierFields,
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
    dotted,
)
from projector.evolution.operations.union_by_name import union_operations
from projector.schema.fresh_ids import assign_fresh_ids
from projector.schema.promotions import is_promotion_allowed, promote_value
from projector.schema.schema import Schema
from projector.schema.types import MAX_FIELD_ID, IcebergType, ListType, MapType, NestedField, StructType

ROOT = -1
"""Stands for the table's root as the id of a parent field."""


@dataclass(frozen=True, slots=True)
class Move:
    """A field's new place among the fields of its struct."""

    field_id: int
    where: Literal["first", "before", "after"]
    reference_id: int | None
    operation: MoveColumn


@dataclass(frozen=True, slots=True)
class IdentifierName:
    """An identifier field by name; `field_id` is set if the base schema has it and nothing has renamed it."""

    name: FieldPath
    field_id: int | None = None


@dataclass(slots=True)
class Pending:
    """The changes gathered so far. Only `gather` fills one; it is read-only afterwards."""

    base: Schema
    last_column_id: int
    format_version: int
    case_sensitive: bool
    allow_incompatible_changes: bool
    identifiers: list[IdentifierName]
    deletes: set[int] = field(default_factory=set)
    updates: dict[int, NestedField] = field(default_factory=dict)
    """Changed and added fields, by id, in their final form."""
    additions: dict[int, list[int]] = field(default_factory=dict)
    """Ids of added fields, by the id of the field whose struct they are added to."""
    added_names: dict[str, int] = field(default_factory=dict)
    """Ids of added fields by full dotted name, always case-sensitive (as in Java 1.10)."""
    moves: dict[int, list[Move]] = field(default_factory=dict)
    added_parents: dict[int, int] = field(default_factory=dict)
    names_checked: bool = False
    added_by_operation: dict[int, int] = field(default_factory=dict)
    """Ids of added fields, by the place of the operation that adds them."""

    def copy(self) -> Pending:
        """Return a copy that records independently."""
        return replace(
            self,
            identifiers=list(self.identifiers),
            deletes=set(self.deletes),
            updates=dict(self.updates),
            additions={parent: list(ids) for parent, ids in self.additions.items()},
            added_names=dict(self.added_names),
            moves={parent: list(moves) for parent, moves in self.moves.items()},
            added_parents=dict(self.added_parents),
            added_by_operation=dict(self.added_by_operation),
        )

    def find(self, path: FieldPath) -> NestedField | None:
        """Return the base schema's field of a name."""
        check_path(path)
        if not path or path == ("",):
            raise SchemaUpdateError("Invalid column name: (empty)")
        if not self.case_sensitive and not self.names_checked:
            check_lower_case_names(self.base)
            self.names_checked = True
        field_id = self.base.find_id(path, self.case_sensitive)
        return None if field_id is None else self.base.fields_by_id[field_id]

    def find_for_update(self, path: FieldPath) -> NestedField:
        """Return a base field with its changes so far, or an added field."""
        existing = self.find(path)
        if existing is not None:
            return self.updates.get(existing.field_id, existing)
        if (added := self.added_names.get(dotted(path))) is not None:
            return self.updates[added]
        raise SchemaUpdateError(f"Cannot update missing column: {dotted(path)}", hint=self.why_missing(path))

    def find_for_move(self, path: FieldPath) -> int | None:
        """Return the id of an added field, or else of a base field."""
        if (added := self.added_names.get(dotted(path))) is not None:
            return added
        existing = self.find(path)
        return None if existing is None else existing.field_id

    def is_added(self, path: FieldPath) -> bool:
        """Return whether the update has added a column of this full name."""
        return dotted(path) in self.added_names

    def parent_of(self, field_id: int) -> int:
        """Return the id of the field that holds a field, or `ROOT`."""
        return self.added_parents.get(field_id, self.base.parents_by_id.get(field_id, ROOT))

    def next_id(self) -> int:
        """Return a field id that was never used."""
        self.last_column_id += 1
        if self.last_column_id > MAX_FIELD_ID:
            raise SchemaUpdateError(f"Cannot assign a field id above {MAX_FIELD_ID}: ids above it are reserved")
        return self.last_column_id

    def full_path(self, field_id: int) -> tuple[str, ...]:
        """Return the path of a base field, under the present names of it and its parents."""
        names: list[str] = []
        while field_id != ROOT:
            names.append(self.updates.get(field_id, self.base.fields_by_id[field_id]).name)
            field_id = self.parent_of(field_id)
        return tuple(reversed(names))

    def why_missing(self, path: FieldPath) -> str | None:
        """Return a hint for a missing name that the update itself creates."""
        name = dotted(path)
        for field_id in self.updates:
            if field_id in self.base.fields_by_id and name == ".".join(self.full_path(field_id)):
                old = self.base.name_of(field_id)
                return f"{name} is what this update makes of {old}: use {old} here" if name != old else None
        for added in self.added_names:
            if added.lower() == name.lower() and not self.case_sensitive:
                return f"this update adds {added}: spell it so"
            if added.endswith("." + name.rpartition(".")[2]) and name not in self.added_names:
                return f"this update adds {added}: name it in full"
        return None


def check_path(path: Any) -> None:
    """Raise for a path that is neither a dotted name nor a tuple of names."""
    if not isinstance(path, (str, tuple)) or not all(isinstance(part, str) for part in path):
        raise SchemaUpdateError(f"Not a column name: {path!r}", hint="give a dotted name or a tuple of names")


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides whether an operation is legal, besides the schema."""

    format_version: int
    case_sensitive: bool
    allow_incompatible_changes: bool


def gather(operations: Iterable[tuple[int, Operation]], base: Schema, last_column_id: int, rules: Rules) -> Pending:
    """Gather what the operations of one statement, given with their places among all, change in a base schema.

    Raises `SchemaUpdateError` for the first operation that cannot be applied.
    """
    pending = _empty(base, last_column_id, rules)
    for index, operation in operations:
        _record_at(pending, operation, index)
    return pending


def _empty(base: Schema, last_column_id: int, rules: Rules) -> Pending:
    identifiers = [IdentifierName(base.paths_by_id[i], i) for i in base.identifier_field_ids if i in base.paths_by_id]
    return Pending(
        base,
        last_column_id,
        rules.format_version,
        rules.case_sensitive,
        rules.allow_incompatible_changes,
        identifiers,
    )


@dataclass(frozen=True, slots=True)
class RefusedOperation:
    """An operation that cannot be applied, and why.

    Parameters
    ----------
    index:
        Its place among all operations; None for a schema that is refused as a whole.
    operation:
        The operation; None for a schema that is refused as a whole.
    base:
        The schema that its names refer to.
    incompatible:
        Whether the only reason is that incompatible changes are not allowed. Such an operation is applied nevertheless.
    """

    index: int | None
    operation: Operation | None
    error: SchemaUpdateError
    base: Schema
    incompatible: bool = False


def gather_leniently(
    operations: Iterable[tuple[int, Operation]], base: Schema, last_column_id: int, rules: Rules
) -> tuple[Pending, list[RefusedOperation]]:
    """Gather like `gather`, but skip the operations that cannot be applied, and return them."""
    pending, refused = _empty(base, last_column_id, rules), []
    for index, operation in operations:
        before = pending.copy()
        try:
            _record_at(pending, operation, index)
        except SchemaUpdateError as error:
            allowed = None if rules.allow_incompatible_changes else _recorded_if_allowed(before, operation, index)
            pending = before if allowed is None else allowed
            refused.append(RefusedOperation(index, operation, error, base, allowed is not None))
    return pending, refused


def _recorded_if_allowed(before: Pending, operation: Operation, index: int) -> Pending | None:
    """Return what was gathered with an operation that may be incompatible; None if it is refused in any case."""
    allowed = before.copy()
    allowed.allow_incompatible_changes = True
    try:
        _record_at(allowed, operation, index)
    except SchemaUpdateError:
        return None
    allowed.allow_incompatible_changes = False
    return allowed


def _record_at(pending: Pending, operation: Operation, index: int) -> None:
    """Record an operation. An error names the operation that caused it."""
    known = len(pending.added_parents)
    try:
        _record(pending, operation)
        if isinstance(operation, AddColumn) and len(pending.added_parents) > known:
            pending.added_by_operation[index] = next(reversed(pending.added_parents))
    except ProjectorError as error:
        raise_at(operation, index, error)


def raise_at(operation: Operation, index: int | None, error: ProjectorError) -> NoReturn:
    """Raise an error as a `SchemaUpdateError` that names the operation that caused it."""
    hints = [error.hint] if error.hint else []
    if operation.source is not None:
        hints.append(f"at {operation.source}")
    placed = SchemaUpdateError(error.message, path=error.path, field_id=error.field_id, hint="; ".join(hints) or None)
    placed.operation = operation
    placed.operation_index = index
    raise placed from error


def _record(pending: Pending, operation: Operation) -> None:
    match operation:
        case AddColumn():
            _add(pending, operation)
        case DeleteColumn(path=path, if_exists=if_exists):
            if not (if_exists and pending.find(path) is None):
                _delete(pending, path)
        case RenameColumn(path=path, if_exists=if_exists):
            if not (if_exists and pending.find(path) is None):
                _rename(pending, operation)
        case MakeColumnOptional(path=path):
            _set_required(pending, path, False)
        case RequireColumn(path=path):
            _set_required(pending, path, True)
        case UpdateColumnType(path=path, new_type=new_type):
            _set_type(pending, path, given_type(new_type))
        case UpdateColumnDoc(path=path, doc=doc):
            found = _updatable(pending, path)
            if found.doc != doc:
                pending.updates[found.field_id] = replace(found, doc=doc)
        case UpdateColumnDefault(path=path, default=default):
            found = _updatable(pending, path)
            value = given_default(default, found.field_type)
            if value is None or found.write_default != value:
                pending.updates[found.field_id] = replace(found, write_default=value)
        case MoveColumn():
            if pending.is_added(operation.path) or not operation.only_if_added:
                _move(pending, operation)
        case SetIdentifierFields(names=names):
            pending.identifiers = [IdentifierName(name) for name in names]
        case DropIdentifierFields(names=names):
            for name in names:
                _drop_identifier(pending, name)
        case UnionByName(schema=schema, promote=promote):
            given = given_schema(schema)
            for part in union_operations(
                pending.base,
                given,
                promote=promote,
                case_sensitive=pending.case_sensitive,
                format_version=pending.format_version,
            ):
                _record(pending, part)
        case _:
            raise SchemaUpdateError(f"Not a schema update operation: {operation!r}")


def _add(pending: Pending, operation: AddColumn) -> None:
    name, parent = operation.name, operation.parent
    if not isinstance(name, str):
        raise SchemaUpdateError(f"Not a column name: {name!r}", hint="give one name, as text")
    field_type = given_type(operation.field_type)
    if not parent and parent != "":
        if parent is None and "." in name:
            raise SchemaUpdateError(
                f"Cannot add column with ambiguous name: {name}, use addColumn(parent, name, type)",
                hint="give a parent, or the name as a tuple of one for a column with a dot in its name",
            )
        parent_id, full_name, taken = ROOT, name, name
        existing = pending.find(name)
    else:
        parent_id = _struct_to_add_to(pending, parent, operation)
        full_name = f"{pending.base.name_of(parent_id)}.{name}"
        taken = f"{dotted(parent)}.{name}"
        existing = pending.find(taken if isinstance(parent, str) else (*parent, name))
        if parent_id in pending.deletes:
            raise SchemaUpdateError(f"Cannot add to a column that will be deleted: {dotted(parent)}")
    if operation.if_not_exists and (existing is not None or full_name in pending.added_names):
        return
    if existing is not None and existing.field_id not in pending.deletes:
        raise SchemaUpdateError(f"Cannot add column, name already exists: {taken}")
    has_default = operation.default is not None and operation.default is not NOT_GIVEN
    if operation.required and not has_default and not pending.allow_incompatible_changes:
        raise SchemaUpdateError(
            f"Incompatible change: cannot add required column without a default value: {full_name}",
            hint="add it as optional, or with a default on a table of format version 3",
        )
    field_id = pending.next_id()
    fresh_type = assign_fresh_ids(field_type, pending.next_id)
    default = given_default(operation.default, fresh_type)
    added = checked(NestedField(field_id, name, fresh_type, operation.required, operation.doc, default, default))
    if field_id in pending.base.fields_by_id:
        raise SchemaUpdateError(
            f"Invalid schema: multiple fields for name {full_name}: {field_id} and {field_id}",
            hint=f"its id is that of {pending.base.name_of(field_id)}: last-column-id is below the ids in use",
        )
    pending.added_names[full_name] = field_id
    pending.added_parents[field_id] = parent_id
    pending.updates[field_id] = added
    pending.additions.setdefault(parent_id, []).append(field_id)


def _struct_to_add_to(pending: Pending, parent: FieldPath, operation: AddColumn) -> int:
    """Return the id of the field whose struct a parent's name stands for."""
    found = pending.find(parent)
    if found is None:
        raise SchemaUpdateError(f"Cannot find parent struct: {dotted(parent)}", hint=pending.why_missing(parent))
    if operation.named_in_full and isinstance(found.field_type, ListType | MapType):
        kind, part = ("list", "element") if isinstance(found.field_type, ListType) else ("map", "value")
        raise SchemaUpdateError(
            f"Cannot add {dotted(parent)}.{operation.name}: {dotted(parent)} is a {kind}, not a struct",
            field_id=found.field_id,
            hint=f"write {dotted(parent)}.{part}.{operation.name}, as Spark wants it",
        )
    match found.field_type:
        case ListType():
            found = found.field_type.element
        case MapType():
            found = found.field_type.value
    if not isinstance(found.field_type, StructType):
        raise SchemaUpdateError(f"Cannot add to non-struct column: {dotted(parent)}: {found.field_type}")
    return found.field_id


def _delete(pending: Pending, path: FieldPath) -> None:
    found = pending.find(path)
    if found is None:
        raise SchemaUpdateError(f"Cannot delete missing column: {dotted(path)}", hint=pending.why_missing(path))
    if found.field_id in pending.additions:
        raise SchemaUpdateError(f"Cannot delete a column that has additions: {dotted(path)}")
    if found.field_id in pending.updates:
        raise SchemaUpdateError(f"Cannot delete a column that has updates: {dotted(path)}")
    pending.deletes.add(found.field_id)


def _rename(pending: Pending, operation: RenameColumn) -> None:
    path, new_name = operation.path, operation.new_name
    found = pending.find(path)
    if found is None:
        raise SchemaUpdateError(f"Cannot rename missing column: {dotted(path)}", hint=pending.why_missing(path))
    if new_name is None:
        raise SchemaUpdateError("Cannot rename a column to null")
    if not isinstance(new_name, str):
        raise SchemaUpdateError(f"Not a column name: {new_name!r}", hint="give one name, as text")
    if not new_name:
        raise SchemaUpdateError("Invalid column name: (empty)")
    if found.field_id in pending.deletes:
        raise SchemaUpdateError(f"Cannot rename a column that will be deleted: {found.name}")
    if operation.struct_fields_only:
        _refuse_part_of_list_or_map(pending, path, found)
    old_path = pending.full_path(found.field_id)
    pending.updates[found.field_id] = replace(pending.updates.get(found.field_id, found), name=new_name)
    pending.identifiers = [
        _renamed(identifier, path, old_path, pending.full_path(found.field_id)) for identifier in pending.identifiers
    ]


def _refuse_part_of_list_or_map(pending: Pending, path: FieldPath, found: NestedField) -> None:
    parent = pending.parent_of(found.field_id)
    holder = None if parent == ROOT else pending.base.fields_by_id[parent].field_type
    if isinstance(holder, ListType | MapType):
        kind = "list" if isinstance(holder, ListType) else "map"
        raise SchemaUpdateError(
            f"Cannot rename {dotted(path)}: it is the {found.name} of a {kind}",
            field_id=found.field_id,
            hint="Spark renames only columns and fields of structs",
        )


def _renamed(
    identifier: IdentifierName, path: FieldPath, old_path: tuple[str, ...], new_path: tuple[str, ...]
) -> IdentifierName:
    """Return an identifier's name after a rename.

    Java follows a renamed top-level column by its name, and so does this. Java loses a nested one; here it is found
    again,
    by its id or under its new path.
    """
    if len(new_path) > 1:
        if identifier.field_id is not None:
            return identifier
        return IdentifierName(new_path) if dotted(identifier.name) in (dotted(path), dotted(old_path)) else identifier
    return IdentifierName(new_path[0]) if dotted(identifier.name) == dotted(path) else identifier


def _drop_identifier(pending: Pending, name: FieldPath) -> None:
    found = pending.find(name)
    kept = [
        identifier
        for identifier in pending.identifiers
        if dotted(identifier.name) != dotted(name) and (found is None or identifier.field_id != found.field_id)
    ]
    if len(kept) == len(pending.identifiers):
        known = ", ".join(dotted(identifier.name) for identifier in pending.identifiers) or "none"
        raise SchemaUpdateError(
            f"Cannot drop identifier field {dotted(name)}: it is not an identifier field",
            hint=f"the identifier fields are: {known}",
        )
    pending.identifiers = kept


def _updatable(pending: Pending, path: FieldPath) -> NestedField:
    found = pending.find_for_update(path)
    if found.field_id in pending.deletes:
        raise SchemaUpdateError(f"Cannot update a column that will be deleted: {found.name}")
    return found


def _set_required(pending: Pending, path: FieldPath, required: bool) -> None:
    found = pending.find_for_update(path)
    if found.required == required:
        return
    defaulted_addition = pending.is_added(path) and found.initial_default is not None
    if required and not defaulted_addition and not pending.allow_incompatible_changes:
        raise SchemaUpdateError(f"Cannot change column nullability: {dotted(path)}: optional -> required")
    found = _updatable(pending, path)
    pending.updates[found.field_id] = checked(replace(found, required=required))


def _set_type(pending: Pending, path: FieldPath, new_type: IcebergType) -> None:
    found = _updatable(pending, path)
    old_type = found.field_type
    if old_type == new_type:
        return
    if not is_promotion_allowed(old_type, new_type, pending.format_version):
        raise SchemaUpdateError(f"Cannot change column type: {dotted(path)}: {old_type} -> {new_type}")
    pending.updates[found.field_id] = checked(
        replace(
            found,
            field_type=new_type,
            initial_default=promote_value(found.initial_default, old_type, new_type),
            write_default=promote_value(found.write_default, old_type, new_type),
        )
    )


def _move(pending: Pending, operation: MoveColumn) -> None:
    name = dotted(operation.path)
    field_id = pending.find_for_move(operation.path)
    if field_id is None:
        raise SchemaUpdateError(f"Cannot move missing column: {name}", hint=pending.why_missing(operation.path))
    reference_id: int | None = None
    if operation.where != "first":
        reference = operation.reference
        if reference is None:
            raise SchemaUpdateError(f"Cannot move {name} {operation.where} nothing: no reference column is given")
        reference_id = pending.find_for_move(reference)
        if reference_id is None:
            raise SchemaUpdateError(
                f"Cannot move {name} {operation.where} missing column: {dotted(reference)}",
                hint=pending.why_missing(reference),
            )
        if reference_id == field_id:
            raise SchemaUpdateError(f"Cannot move {name} {operation.where} itself")
    parent_id = pending.parent_of(field_id)
    if parent_id != ROOT:
        parent_type = pending.base.fields_by_id[parent_id].field_type
        if not isinstance(parent_type, StructType):
            raise SchemaUpdateError(f"Cannot move fields in non-struct type: {parent_type}")
    if reference_id is not None and pending.parent_of(reference_id) != parent_id:
        raise SchemaUpdateError(f"Cannot move field {name} to a different struct")
    pending.moves.setdefault(parent_id, []).append(Move(field_id, operation.where, reference_id, operation))
