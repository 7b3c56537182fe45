"""Rebuild the schema's tree once, with all deletes, changes, additions and moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from projector.errors import SchemaUpdateError
from projector.evolution.apply.pending import ROOT, Move, Pending, raise_at
from projector.evolution.operations.schema import dotted
from projector.schema.types import IcebergType, ListType, MapType, NestedField, StructType


def rebuilt_fields(pending: Pending) -> tuple[NestedField, ...]:
    """Return the top-level fields of the base schema after the pending changes."""
    return _added_and_moved(ROOT, _kept(pending.base.fields, pending), pending)


def _kept(fields: Sequence[NestedField], pending: Pending) -> tuple[NestedField, ...]:
    """Return the remaining fields with their changes."""
    kept: list[NestedField] = []
    for field in fields:
        new_type = _type_of(field, pending)
        if new_type is not None:
            kept.append(pending.updates.get(field.field_id, field).with_type(new_type))
    return tuple(kept)


def _type_of(field: NestedField, pending: Pending) -> IcebergType | None:
    """Return the new type of a field; None if the field is dropped."""
    inside = _type(field.field_type, pending)
    if field.field_id in pending.deletes:
        return None
    update = pending.updates.get(field.field_id)
    if update is not None and update.field_type != field.field_type:
        return update.field_type
    if isinstance(inside, StructType):
        return StructType(_added_and_moved(field.field_id, inside.fields, pending))
    return inside


def _type(iceberg_type: IcebergType, pending: Pending) -> IcebergType:
    match iceberg_type:
        case StructType(fields):
            return StructType(_kept(fields, pending))
        case ListType():
            return _list(iceberg_type, pending)
        case MapType():
            return _map(iceberg_type, pending)
        case _:
            return iceberg_type


def _list(old: ListType, pending: Pending) -> ListType:
    element_type = _type_of(old.element, pending)
    if element_type is None:
        raise SchemaUpdateError(f"Cannot delete element type from list: {old}")
    update = pending.updates.get(old.element_id)
    required = old.element_required if update is None else update.required
    return ListType(old.element_id, element_type, required)


def _map(old: MapType, pending: Pending) -> MapType:
    key_type = _type(old.key_type, pending)
    value_type = _type_of(old.value, pending)
    if old.key_id in pending.deletes:
        raise SchemaUpdateError(f"Cannot delete map keys: {old}")
    if old.key_id in pending.updates:
        raise SchemaUpdateError(f"Cannot update map keys: {old}")
    if old.key_id in pending.additions:
        raise SchemaUpdateError(f"Cannot add fields to map keys: {old}")
    if key_type != old.key_type:
        raise SchemaUpdateError(f"Cannot alter map keys: {old}")
    if value_type is None:
        raise SchemaUpdateError(f"Cannot delete value type from map: {old}")
    update = pending.updates.get(old.value_id)
    required = old.value_required if update is None else update.required
    return replace(old, value_type=value_type, value_required=required)


def _added_and_moved(parent_id: int, fields: tuple[NestedField, ...], pending: Pending) -> tuple[NestedField, ...]:
    ordered = [*fields, *(pending.updates[added] for added in pending.additions.get(parent_id, ()))]
    for move in pending.moves.get(parent_id, ()):
        moved = ordered.pop(_place(move.field_id, ordered, move))
        match move.where:
            case "first":
                ordered.insert(0, moved)
            case "before":
                ordered.insert(_place(move.reference_id, ordered, move), moved)
            case "after":
                ordered.insert(_place(move.reference_id, ordered, move) + 1, moved)
    return tuple(ordered)


def _place(field_id: int | None, fields: Sequence[NestedField], move: Move) -> int:
    for place, field in enumerate(fields):
        if field.field_id == field_id:
            return place
    operation = move.operation
    if field_id == move.field_id:
        message = f"Cannot move {dotted(operation.path)}: the same update deletes it"
    else:
        reference = dotted(operation.reference or "")
        message = f"Cannot move {dotted(operation.path)} {move.where} {reference}: the same update deletes {reference}"
    return raise_at(operation, None, SchemaUpdateError(message))
