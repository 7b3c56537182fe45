"""Evidence that several rules gather."""

from __future__ import annotations

from projector.check.evidence.state import TableState
from projector.check.report.findings import NO_EVIDENCE, Evidence
from projector.projection.plan import Fail
from projector.schema.schema import Schema
from projector.schema.types import IcebergType, NestedField, StructType, transform


def with_type(schema: Schema, field_id: int, new_type: IcebergType) -> Schema:
    """A schema in which one field has another type, whatever the rules say."""

    def changed(field: NestedField) -> NestedField:
        return field.with_type(new_type) if field.field_id == field_id else field

    struct = transform(schema.as_struct(), changed)
    assert isinstance(struct, StructType)
    return Schema(struct.fields, schema.schema_id, schema.identifier_field_ids)


def files_under_type(state: TableState, field_id: int | None, new_type: IcebergType) -> Evidence:
    """The files that store a field in a type that could not be read as the new one; what they store it as."""
    if field_id is None or not state.footers.groups:
        return NO_EVIDENCE
    groups, stored = [], set()
    for group, plan in state.plans_under(with_type(state.schema, field_id, new_type)):
        for node in plan.walk():
            if node.field.field_id == field_id and isinstance(node, Fail) and node.place is not None:
                groups.append(group)
                stored.add(str(group.schema.at(node.place).type))
    if not groups:
        return state.stored(field_id)
    fact = f"stored as {', '.join(sorted(stored))}; none of these files could be read"
    return state.footers.evidence(groups, fact)
