"""Find the type changes of a proposal, refused and applied, and the files that they affect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from projector.check.change.change import Change
from projector.check.evidence.state import TableState
from projector.check.report.findings import NO_EVIDENCE, Evidence
from projector.check.report.refusal import Refusal
from projector.errors import ProjectorError
from projector.evolution.operations.input_types import given_type
from projector.evolution.operations.schema import UpdateColumnType
from projector.projection.plan import Fail
from projector.schema.promotions import promotions_from
from projector.schema.schema import Schema
from projector.schema.types import DecimalType, IcebergType, NestedField, StructType, transform


@dataclass(frozen=True, slots=True)
class RefusedType:
    """A type change that cannot be applied."""

    refusal: Refusal
    old: IcebergType
    new: IcebergType


@dataclass(frozen=True, slots=True)
class AppliedType:
    """A field whose type differs after the change."""

    before: NestedField
    after: NestedField


def refused_type_changes(change: Change) -> Iterator[RefusedType]:
    """Yield the type changes that cannot be applied because of the types; another rule reports map keys."""
    for refusal in change.refusals:
        if not isinstance(refusal.operation, UpdateColumnType) or refusal.field_id is None:
            continue
        if not refusal.error.message.startswith("Cannot change column type"):
            continue
        try:
            new = given_type(refusal.operation.new_type)
        except ProjectorError:
            continue
        yield RefusedType(refusal, refusal.schema.fields_by_id[refusal.field_id].field_type, new)


def applied_type_changes(change: Change) -> Iterator[AppliedType]:
    """Yield the promotions that a change makes."""
    for difference in change.changes("type"):
        if difference.field_id is not None:
            before = change.before.schema.fields_by_id[difference.field_id]
            yield AppliedType(before, change.after.schema.fields_by_id[difference.field_id])


def decimal_scale_differs(old: IcebergType, new: IcebergType) -> bool:
    """Return whether both are decimals, of different scale."""
    return isinstance(old, DecimalType) and isinstance(new, DecimalType) and old.scale != new.scale


def ways_out(old: IcebergType, format_version: int) -> str:
    """Return what to do instead of an illegal type change."""
    found = [str(row) for row in promotions_from(old, format_version)]
    if isinstance(old, DecimalType):
        found = [f"decimal(P, {old.scale}) with P from {old.precision + 1} to 38"] if old.precision < 38 else []
    possible = f"possible: {', or '.join(found)}; or " if found else ""
    return f"{possible}add a column of the new type and backfill it"


def _with_type(schema: Schema, field_id: int, new_type: IcebergType) -> Schema:
    """Return a schema in which one field has another type, whether or not that is a legal change."""

    def changed(field: NestedField) -> NestedField:
        return field.with_type(new_type) if field.field_id == field_id else field

    struct = transform(schema.as_struct(), changed)
    assert isinstance(struct, StructType)
    return Schema(struct.fields, schema.schema_id, schema.identifier_field_ids)


def files_under_type(state: TableState, field_id: int | None, new_type: IcebergType) -> Evidence:
    """Return the files that could not be read if a field had a new type, and the types that they store."""
    if field_id is None or not state.footers.groups:
        return NO_EVIDENCE
    groups, stored = [], set()
    for group, plan in state.plans_under(_with_type(state.schema, field_id, new_type)):
        for node in plan.walk():
            if node.field.field_id == field_id and isinstance(node, Fail) and node.place is not None:
                groups.append(group)
                stored.add(str(group.schema.at(node.place).type))
    if not groups:
        return state.stored(field_id)
    fact = f"stored as {', '.join(sorted(stored))}; none of these files could be read"
    return state.footers.evidence(groups, fact)
