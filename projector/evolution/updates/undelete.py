"""Bring back a dropped column under its old id, so that the values in old files are visible again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from projector.errors import ProjectorError, SchemaUpdateError
from projector.evolution.apply.pending import ROOT, Move, Pending, raise_at
from projector.evolution.apply.rebuild import rebuilt_fields
from projector.evolution.apply.schema_checks import check_unique_names
from projector.evolution.operations.schema import FieldPath, MoveColumn, Operation, dotted
from projector.evolution.updates.schema_commit import SchemaCommit, with_schema
from projector.metadata.contradictions import id_above_last
from projector.metadata.table_metadata import TableMetadata
from projector.schema.name_mapping import NAME_MAPPING_PROPERTY, NameMapping, update_mapping
from projector.schema.schema import Schema
from projector.schema.types import NestedField, StructType, children


@dataclass(frozen=True, slots=True)
class UndeleteColumn(Operation):
    """Bring back a dropped column, with all its children, under its old ids.

    Parameters
    ----------
    path:
        The column, as an earlier schema names it. Of several dropped columns with this name, the last one comes back.
    new_name:
        Its new name; the old one by default.
    field_id:
        The column's id, if the name is ambiguous.
    as_optional:
        Whether a required column may come back as an optional one.
    """

    path: FieldPath
    new_name: str | None = None
    field_id: int | None = None
    as_optional: bool = False


@dataclass(frozen=True, slots=True)
class Dropped:
    """A column that an earlier schema has and the current one does not.

    Parameters
    ----------
    field:
        The column in its last form.
    schema:
        The last schema that has it.
    parent_id:
        The field that holds it, -1 for the table's root.
    """

    field: NestedField
    schema: Schema
    parent_id: int

    @property
    def name(self) -> str:
        """Its dotted name in the last schema that has it."""
        return self.schema.name_of(self.field.field_id)


def dropped_columns(metadata: TableMetadata) -> tuple[Dropped, ...]:
    """Return the columns that can be brought back: dropped ones whose parent still exists, the last dropped first."""
    current = metadata.current_schema.fields_by_id
    found: dict[int, Dropped] = {}
    for schema in sorted(metadata.schemas, key=lambda s: s.schema_id, reverse=True):
        for field_id, field in schema.fields_by_id.items():
            parent = schema.parents_by_id.get(field_id, ROOT)
            if field_id not in current and (parent == ROOT or parent in current):
                found.setdefault(field_id, Dropped(field, schema, parent))
    return tuple(found.values())


def undelete(metadata: TableMetadata, operation: UndeleteColumn) -> SchemaCommit:
    """Return a table's metadata with a dropped column back in its place, without commit time and log.

    Raises
    ------
    SchemaUpdateError
        No schema has the column, or it exists already, its parent is gone, its name is taken, or it was required and
        the
        table has been written to since (spec: Schema Evolution).
    """
    try:
        return _undelete(metadata, operation)
    except ProjectorError as error:
        raise_at(operation, None, error)


def _undelete(metadata: TableMetadata, operation: UndeleteColumn) -> SchemaCommit:
    if (error := id_above_last(metadata)) is not None:
        raise error
    base = metadata.current_schema
    dropped = _find(metadata, operation)
    field = dropped.field if operation.new_name is None else replace(dropped.field, name=operation.new_name)
    if field.required:
        if operation.as_optional:
            field = replace(field, required=False)
        elif _has_moved(metadata, field.field_id):
            raise SchemaUpdateError(
                f"Cannot undelete required column: {dropped.name}: the table has been written to since it was dropped",
                field_id=field.field_id,
                hint="rows written since have no value for it; bring it back as an optional column",
            )
    _check_parent(base, dropped)
    siblings = base.fields if dropped.parent_id == ROOT else children(base.fields_by_id[dropped.parent_id].field_type)
    if any(sibling.name == field.name for sibling in siblings):
        raise SchemaUpdateError(
            f"Cannot undelete column, name already exists: {field.name}",
            field_id=field.field_id,
            hint="give it another name, or rename the column that has taken its name",
        )
    schema = Schema(_with_field(base, dropped, field), base.schema_id + 1, base.identifier_field_ids)
    check_unique_names(schema, base)
    highest = max(metadata.last_column_id, schema.highest_field_id)
    return with_schema(metadata, schema, highest, _properties(metadata, dropped, field))


def _find(metadata: TableMetadata, operation: UndeleteColumn) -> Dropped:
    wanted, base = operation.path, metadata.current_schema
    there = base.find_id(wanted)
    if there is not None and operation.field_id in (None, there) and operation.new_name is None:
        raise SchemaUpdateError(f"Cannot undelete column, it is there: {dotted(wanted)}", field_id=there)
    for schema in sorted(metadata.schemas, key=lambda s: s.schema_id, reverse=True):
        field_id = schema.find_id(wanted)
        if field_id is None or field_id in base.fields_by_id or operation.field_id not in (None, field_id):
            continue
        return Dropped(schema.fields_by_id[field_id], schema, schema.parents_by_id.get(field_id, ROOT))
    known = ", ".join(d.name for d in dropped_columns(metadata)[:20]) or "none"
    raise SchemaUpdateError(
        f"Cannot undelete column that was never dropped: {dotted(wanted)}", hint=f"dropped columns: {known}"
    )


def _has_moved(metadata: TableMetadata, field_id: int) -> bool:
    """Return whether rows may have been written without the field: some branch's head was not written under it."""
    for ref in metadata.refs.values():
        if not ref.is_branch:
            continue
        schema_id = metadata.snapshot(ref.snapshot_id).schema_id
        if schema_id not in metadata.schema_ids or field_id not in metadata.schema(schema_id).fields_by_id:
            return True
    return False


def _check_parent(base: Schema, dropped: Dropped) -> None:
    if dropped.parent_id == ROOT:
        return
    parent = base.fields_by_id.get(dropped.parent_id)
    name = dropped.schema.name_of(dropped.parent_id)
    if parent is None:
        raise SchemaUpdateError(
            f"Cannot find parent struct: {name}", field_id=dropped.parent_id, hint=f"undelete {name} instead"
        )
    if not isinstance(parent.field_type, StructType):
        raise SchemaUpdateError(f"Cannot add to non-struct column: {name}: {parent.field_type}")


def _with_field(base: Schema, dropped: Dropped, field: NestedField) -> tuple[NestedField, ...]:
    """Return the columns of a schema with one more, after the columns that preceded it before."""
    pending = Pending(base, 0, 3, True, False, [])
    pending.updates[field.field_id] = field
    pending.additions[dropped.parent_id] = [field.field_id]
    pending.added_parents[field.field_id] = dropped.parent_id
    if dropped.parent_id == ROOT:
        before = dropped.schema.fields
    else:
        before = children(dropped.schema.fields_by_id[dropped.parent_id].field_type)
    place = next(i for i, sibling in enumerate(before) if sibling.field_id == field.field_id)
    reference = next((s.field_id for s in reversed(before[:place]) if s.field_id in base.fields_by_id), None)
    where = MoveColumn(dropped.name, "first" if reference is None else "after")
    pending.moves[dropped.parent_id] = [Move(field.field_id, where.where, reference, where)]
    return rebuilt_fields(pending)


def _properties(metadata: TableMetadata, dropped: Dropped, field: NestedField) -> Mapping[str, str]:
    """Return the table's properties. A mapping keeps dropped columns, so it seldom needs an addition."""
    text = metadata.properties.get(NAME_MAPPING_PROPERTY)
    if text is None:
        return metadata.properties
    try:
        mapping = NameMapping.from_json(text)
        if field.field_id in mapping.fields_by_id:
            return metadata.properties
        holder = None if dropped.parent_id == ROOT else mapping.find_by_id(dropped.parent_id)
        level = mapping if dropped.parent_id == ROOT else holder
        if level is None or level.find(field.name) is not None:
            return metadata.properties
        updated = update_mapping(mapping, {}, {dropped.parent_id: [field]})
    except ProjectorError:  # a mapping that cannot be read is left alone, as in every schema change
        return metadata.properties
    return {**metadata.properties, NAME_MAPPING_PROPERTY: updated.to_json()}
