"""Reduce a schema update that lost a race to what is left to do on the schema that won."""

from __future__ import annotations

from dataclasses import replace

from projector.evolution.apply.pending import ROOT
from projector.evolution.apply.schema import Applied
from projector.evolution.operations.schema import Operation
from projector.evolution.updates.update_schema import UpdateSchema
from projector.schema.fresh_ids import assign_fresh_ids
from projector.schema.schema import Schema
from projector.schema.types import NestedField, children


def without_columns_that_others_added(
    update: UpdateSchema, first: tuple[Applied, ...], base: Schema, winner: Schema
) -> UpdateSchema:
    """Return the update without columns that the winner added identically: with the same name, type, doc and defaults.

    Adding a column twice is an error, but here two writers made the same change, and one was first. A column that
    existed
    before the race, or that the winner added differently, stays in the update and is reported as existing.

    Parameters
    ----------
    first:
        What the update did to `base`, the schema that it was first applied to.
    winner:
        The schema that is current now.
    """
    done = {
        place
        for step in first
        for place, field_id in step.added_by_operation.items()
        if _is_there(step, field_id, base, winner)
    }
    if not done:
        return update
    kept: list[Operation] = [operation for place, operation in enumerate(update.operations) if place not in done]
    return update.with_operations(kept)


def _is_there(step: Applied, field_id: int, base: Schema, winner: Schema) -> bool:
    parent = next(parent for parent, ids in step.added.items() if field_id in ids)
    added = step.schema.fields_by_id.get(field_id)
    theirs = _child(winner, parent, step.updated[field_id].name)
    before = _child(base, parent, step.updated[field_id].name)
    return added is not None and theirs is not None and before != theirs and _without_ids(added) == _without_ids(theirs)


def _child(schema: Schema, parent: int, name: str) -> NestedField | None:
    """Return the field of a name in the struct that a field holds."""
    if parent == ROOT:
        fields = schema.fields
    elif parent in schema.fields_by_id:
        fields = children(schema.fields_by_id[parent].field_type)
    else:
        return None
    return next((field for field in fields if field.name == name), None)


def _without_ids(field: NestedField) -> NestedField:
    return replace(field, field_id=0, field_type=assign_fresh_ids(field.field_type, lambda: 0))
