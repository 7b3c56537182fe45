"""Turn a schema diff into the operations of a schema update."""

from __future__ import annotations

from collections.abc import Iterator

from projector.errors import ProjectorError, SchemaUpdateError
from projector.evolution.diff.schema_diff import Change, SchemaDiff, longest_rise, same_kind
from projector.evolution.operations.schema import (
    NOT_GIVEN,
    AddColumn,
    DeleteColumn,
    MakeColumnOptional,
    MoveColumn,
    NextStatement,
    Operation,
    PlainValue,
    RenameColumn,
    RequireColumn,
    SetIdentifierFields,
    UpdateColumnDefault,
    UpdateColumnDoc,
    UpdateColumnType,
)
from projector.schema.promotions import promote_value
from projector.schema.schema import Path
from projector.schema.types import IcebergType, NestedField, StructType, children


def operations_of(diff: SchemaDiff) -> tuple[Operation, ...]:
    """Return the operations that turn the old schema into the new one; added fields get fresh ids.

    Drops come first, then changes, additions, moves and identifier fields. They are one statement, whose paths are
    those of the old schema, unless an added field takes a name that another field had: then additions and moves are a
    second statement.

    Raises `SchemaUpdateError` for a change that no update can make: a field under another parent, another initial
    default. What is illegal but can be asked for, such as a narrower type, is left to `UpdateSchema.apply`.
    """
    changed = [operation for change in diff.changes for operation in _of_change(diff, change)]
    in_two = _takes_a_known_name(diff)
    later = [*_additions(diff, in_two), *_moves(diff, in_two)]
    if not any(change.kind == "identifier_fields" for change in diff.changes):
        return (*changed, NextStatement(), *later) if in_two else (*changed, *later)
    ids = diff.new.identifier_field_ids
    whole = SetIdentifierFields(tuple(diff.new.paths_by_id[i] for i in ids))
    if not in_two:
        return (*changed, *later, whole)
    first = SetIdentifierFields(tuple(diff.new.paths_by_id[i] for i in ids if i in diff.old.fields_by_id))
    return (*changed, first, NextStatement(), *later, whole)


def _of_change(diff: SchemaDiff, change: Change) -> Iterator[Operation]:
    """Yield the operations on a field of the old schema, other than moves."""
    path = diff.old.paths_by_id.get(change.field_id, ()) if change.field_id is not None else ()
    match change.kind:
        case "dropped":
            yield DeleteColumn(path)
        case "renamed":
            yield RenameColumn(path, change.after)
        case "type":
            yield UpdateColumnType(path, change.after)
        case "made_optional":
            yield MakeColumnOptional(path)
        case "made_required":
            yield RequireColumn(path)
        case "doc":
            yield UpdateColumnDoc(path, change.after)
        case "write_default":
            yield UpdateColumnDefault(path, None if change.after is None else PlainValue(change.after))
        case "initial_default" if not _follows_promotion(diff, change):
            raise SchemaUpdateError(
                f"Cannot change the initial default of {'.'.join(change.path)}: {change.before!r} -> {change.after!r}",
                path=".".join(change.path),
                field_id=change.field_id,
                hint="it says what rows written before the column hold; change the write default instead",
            )
        case "to_other_struct":
            raise SchemaUpdateError(
                f"Cannot move {'.'.join(change.before)} to {'.'.join(change.after)}: another struct",
                path=".".join(change.path),
                field_id=change.field_id,
                hint="a field stays in its struct; add a new field there",
            )


def _follows_promotion(diff: SchemaDiff, change: Change) -> bool:
    """Return whether promoting the type already gives the new default: 1 becomes 1.0 under a wider type."""
    assert change.field_id is not None
    was, now = diff.old.fields_by_id[change.field_id], diff.new.fields_by_id[change.field_id]
    if was.field_type == now.field_type or change.before is None:
        return False
    try:
        return bool(promote_value(change.before, was.field_type, now.field_type) == change.after)
    except ProjectorError:
        return False


def _takes_a_known_name(diff: SchemaDiff) -> bool:
    """Return whether an added field has a name that the first statement would take for another field.

    That is the name of a field that is only renamed or, if identifier fields are set, of one that is dropped.
    """
    old, new = diff.old, diff.new
    for change in diff.changes:
        if change.kind == "added" and (parent := _parent_in_old(diff, change.path)) is not None:
            taken = old.ids_by_path.get((*parent, change.path[-1]))
            depth = len(change.path)
            identifies = any(new.paths_by_id[i][:depth] == change.path for i in new.identifier_field_ids)
            if taken is not None and (taken in new.fields_by_id or identifies):
                return True
    return False


def _parent_in_old(diff: SchemaDiff, path: Path) -> Path | None:
    """Return the path in the old schema of the struct of a field of the new one."""
    return () if len(path) == 1 else diff.old.paths_by_id.get(diff.new.ids_by_path[path[:-1]])


def _parent(diff: SchemaDiff, path: Path, in_two: bool) -> Path:
    """Return the path of the struct of a field of the new schema, as its statement knows it."""
    if in_two:
        return path[:-1]
    parent = _parent_in_old(diff, path)
    assert parent is not None, "what is inside an added field is added with it"
    return parent


def _additions(diff: SchemaDiff, in_two: bool) -> Iterator[Operation]:
    for change in diff.changes:
        if change.kind != "added":
            continue
        field: NestedField = change.after
        parent = _parent(diff, change.path, in_two)
        default = NOT_GIVEN if field.initial_default is None else PlainValue(field.initial_default)
        yield AddColumn(parent, field.name, field.field_type, field.required, field.doc, default)
        if field.write_default != field.initial_default:
            value = None if field.write_default is None else PlainValue(field.write_default)
            yield UpdateColumnDefault((*parent, field.name), value)


def _moves(diff: SchemaDiff, in_two: bool) -> Iterator[Operation]:
    yield from _struct_moves(diff, in_two, diff.old.as_struct(), diff.new.as_struct())


def _struct_moves(diff: SchemaDiff, in_two: bool, before: IcebergType, after: IcebergType) -> Iterator[Operation]:
    """Yield the fewest moves in each struct: added fields start at its end, fields of a longest rise stay."""
    if isinstance(before, StructType) and isinstance(after, StructType):
        survivors = [field.field_id for field in before.fields]
        added = [field.field_id for field in after.fields if field.field_id not in diff.old.fields_by_id]
        start = {field_id: place for place, field_id in enumerate((*survivors, *added))}
        here = [field for field in after.fields if field.field_id in start]
        stay = set(longest_rise([start[field.field_id] for field in here]))
        for place, field in enumerate(here):
            if place in stay:
                continue
            path = _known_path(diff, field, in_two)
            if place == 0:
                yield MoveColumn(path, "first")
            else:
                yield MoveColumn(path, "after", _known_path(diff, here[place - 1], in_two))
    pairs = {field.field_id: field for field in children(before)}
    for field in children(after):
        was = pairs.get(field.field_id)
        if was is not None and same_kind(was.field_type, field.field_type):
            yield from _struct_moves(diff, in_two, was.field_type, field.field_type)


def _known_path(diff: SchemaDiff, field: NestedField, in_two: bool) -> Path:
    """Return the path by which the statement that moves a field knows it."""
    path = diff.new.paths_by_id[field.field_id]
    if in_two:
        return path
    old = diff.old.paths_by_id.get(field.field_id)
    return old if old is not None else (*_parent(diff, path, in_two), field.name)
