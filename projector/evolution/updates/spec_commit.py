"""Apply a change of the partition spec to a table's metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from projector.errors import SchemaUpdateError
from projector.evolution.apply.pending_spec import field_text, fields_after, gather_spec
from projector.evolution.updates.update_spec import UpdateSpec
from projector.metadata.partitioning import (
    PARTITION_FIELD_ID_START,
    PartitionField,
    PartitionSpec,
    spec_fields_to_json,
    spec_to_json,
)
from projector.metadata.table_metadata import TableMetadata
from projector.metadata.transforms import accepts, parse_transform
from projector.schema.schema import Schema
from projector.schema.types import StructType


@dataclass(frozen=True, slots=True)
class SpecChange:
    """A change of the partition spec, without commit time and log.

    Parameters
    ----------
    metadata:
        The metadata after the change; the given object itself if nothing changes.
    spec:
        The requested spec, with its id in the table.
    added:
        Whether the spec is new. False if the table already has an equal one, whose id is reused.
    is_default:
        Whether the change makes it the table's default spec, which it was not before.
    """

    metadata: TableMetadata
    spec: PartitionSpec
    added: bool
    is_default: bool

    @property
    def changed(self) -> bool:
        """Whether there is anything to commit."""
        return self.added or self.is_default


def change_spec(metadata: TableMetadata, update: UpdateSpec) -> SpecChange:
    """Apply an update to a table's default spec.

    Raises `SchemaUpdateError` for an operation that cannot be applied, or a spec that the schema does not allow.
    """
    version, specs = metadata.format_version, metadata.specs
    pending = gather_spec(
        update.operations,
        metadata.current_schema,
        metadata.spec(),
        tuple(f for spec in specs.values() for f in spec.fields) if version > 1 else (),
        max(metadata.last_partition_id, *(spec.highest_field_id for spec in specs.values())),
        update.case_sensitive,
    )
    fields = fields_after(pending, version)
    check_fields(fields, metadata.current_schema)
    _check_names_are_no_columns([f for f in fields if f not in metadata.spec().fields], metadata.current_schema)
    spec = next((known for known in specs.values() if _same_fields(known.fields, fields)), None)
    added = spec is None
    if spec is None:
        if version == 1:
            _check_ids_in_order(fields)
        spec = PartitionSpec(max(specs, default=-1) + 1, fields)
    is_default = update.set_as_default and spec.spec_id != metadata.default_spec_id
    if not added and not is_default:
        return SpecChange(metadata, spec, added=False, is_default=False)
    raw = dict(metadata.raw)
    if added:
        raw["partition-specs"] = [*specs_json(metadata), spec_to_json(spec)]
        raw["last-partition-id"] = max(metadata.last_partition_id, spec.highest_field_id)
    if is_default:
        raw["default-spec-id"] = spec.spec_id
        if version == 1:
            raw["partition-spec"] = spec_fields_to_json(spec)
    raw.setdefault("default-spec-id", metadata.default_spec_id)
    return SpecChange(TableMetadata.from_json(raw), spec, added, is_default)


def specs_json(metadata: TableMetadata) -> list[Any]:
    """Return the JSON of all specs. Metadata of version 1 may have its only spec under `partition-spec`."""
    listed = metadata.raw.get("partition-specs")
    return [spec_to_json(spec) for spec in metadata.specs.values()] if listed is None else list(listed)


def _same_fields(one: Sequence[PartitionField], other: Sequence[PartitionField]) -> bool:
    """Return whether two specs make the same tuples under the same names; field ids do not count."""
    return [_without_id(f) for f in one] == [_without_id(f) for f in other]


def _without_id(field: PartitionField) -> PartitionField:
    return replace(field, field_id=0, transform=str(parse_transform(field.transform)))


def _check_ids_in_order(fields: Sequence[PartitionField]) -> None:
    if [f.field_id for f in fields] != list(range(PARTITION_FIELD_ID_START, PARTITION_FIELD_ID_START + len(fields))):
        shown = " ".join(field_text(f) for f in fields)
        raise SchemaUpdateError(f"Spec does not use sequential IDs that are required in v1: [ {shown} ]")


def _check_names_are_no_columns(new: Sequence[PartitionField], schema: Schema) -> None:
    """Raise if a partition field has a column's name and is not its own value. Java ignores a field's own column."""
    for field in new:
        if field.name in schema.ids_by_name and not field.is_identity and not field.is_void:
            raise SchemaUpdateError(
                f"Cannot create partition from name that exists in schema: {field.name}",
                hint=f"give partition field {field_text(field)} another name",
            )


def check_fields(fields: Sequence[PartitionField], schema: Schema) -> None:
    """Raise `SchemaUpdateError` for partition fields that a schema does not allow."""
    names: set[str] = set()
    for field in fields:
        taken = schema.ids_by_name.get(field.name)
        if taken is not None and taken != field.source_id:
            raise SchemaUpdateError(
                f"Cannot create identity partition sourced from different field in schema: {field.name}",
                hint=f"a column is called so; give partition field {field_text(field)} another name",
            )
        if not field.name:
            raise SchemaUpdateError(f"Cannot use empty partition name: {field.name}".rstrip())
        if field.name in names:
            raise SchemaUpdateError(f"Cannot use partition name more than once: {field.name}")
        names.add(field.name)
    for field in fields:
        if not field.is_void:
            _check_source(field, schema)


def _check_source(field: PartitionField, schema: Schema) -> None:
    source = schema.fields_by_id.get(field.source_id)
    if source is None:
        raise SchemaUpdateError(
            f"Cannot find source column for partition field: {field_text(field)}",
            field_id=field.source_id,
            hint="remove the partition field",
        )
    if not source.field_type.is_primitive:
        raise SchemaUpdateError(f"Cannot partition by non-primitive source field: {source.field_type}")
    if not accepts(parse_transform(field.transform), source.field_type):
        raise SchemaUpdateError(f"Invalid source type {source.field_type} for transform: {field.transform}")
    above = schema.parents_by_id.get(field.source_id)
    while above is not None:
        parent = schema.fields_by_id[above].field_type
        if not isinstance(parent, StructType):
            raise SchemaUpdateError(f"Invalid partition field parent: {parent}")
        above = schema.parents_by_id.get(above)
