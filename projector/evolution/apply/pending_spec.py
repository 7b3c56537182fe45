"""Gather operations against the current partition spec as Java does: additions, deletions and renames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from projector.errors import ProjectorError, SchemaUpdateError
from projector.evolution.apply.pending import raise_at
from projector.evolution.operations.spec import (
    AddPartitionField,
    RemovePartitionField,
    RemovePartitionTerm,
    RenamePartitionField,
    SpecOperation,
)
from projector.evolution.operations.terms import Term, bound_term
from projector.metadata.partitioning import PartitionField, PartitionSpec
from projector.metadata.transforms import (
    Bucket,
    Day,
    Hour,
    Identity,
    Month,
    Transform,
    Truncate,
    UnknownTransform,
    Year,
    parse_transform,
)
from projector.schema.schema import Schema

Key = tuple[int, str]


def field_text(field: PartitionField | None) -> str:
    """Return a partition field as messages spell it."""
    if field is None:
        return "null"
    return f"{field.field_id}: {field.name}: {field.transform}({', '.join(map(str, field.source_ids))})"


def _key(field: PartitionField) -> Key:
    return field.source_id, str(parse_transform(field.transform))


@dataclass(slots=True)
class PendingSpec:
    """The changes gathered so far. Only `gather_spec` fills one; it is read-only afterwards.

    Parameters
    ----------
    spec:
        The spec to change.
    earlier:
        The fields of all specs of the table, the newest spec's last. In version 1 none of them is reused.
    last_partition_id:
        The highest partition field id ever assigned.
    """

    schema: Schema
    spec: PartitionSpec
    earlier: tuple[PartitionField, ...]
    last_partition_id: int
    case_sensitive: bool
    by_name: Mapping[str, PartitionField]
    by_term: Mapping[Key, PartitionField]
    adds: list[PartitionField] = field(default_factory=list)
    added_by_name: dict[str, PartitionField] = field(default_factory=dict)
    added_by_term: dict[Key, PartitionField] = field(default_factory=dict)
    added_times: dict[int, PartitionField] = field(default_factory=dict)
    deletes: set[int] = field(default_factory=set)
    renames: dict[str, str] = field(default_factory=dict)

    def term(self, column: str | tuple[str, ...], transform: str) -> Term:
        """Return a term of the current schema."""
        return bound_term(self.schema, column, transform, self.case_sensitive)

    def next_id(self) -> int:
        """Return a partition field id that was never used."""
        self.last_partition_id += 1
        return self.last_partition_id


def gather_spec(
    operations: Iterable[SpecOperation],
    schema: Schema,
    spec: PartitionSpec,
    earlier: tuple[PartitionField, ...],
    last_partition_id: int,
    case_sensitive: bool,
) -> PendingSpec:
    """Gather what operations change in a spec. Raises `SchemaUpdateError` for the first that cannot be applied."""
    for known in spec.fields:
        if len(known.source_ids) > 1 or isinstance(parse_transform(known.transform), UnknownTransform):
            raise SchemaUpdateError(f"Cannot update partition spec with unknown transform: {field_text(known)}")
    pending = PendingSpec(
        schema,
        spec,
        earlier,
        last_partition_id,
        case_sensitive,
        {known.name: known for known in spec.fields},
        {_key(known): known for known in spec.fields},
    )
    for index, operation in enumerate(operations):
        try:
            _record(pending, operation)
        except ProjectorError as error:
            raise_at(operation, index, error)
    return pending


def _record(pending: PendingSpec, operation: SpecOperation) -> None:
    match operation:
        case AddPartitionField(column=column, transform=transform, name=name):
            _add(pending, pending.term(column, transform), name)
        case RemovePartitionField(name=name):
            _remove(pending, name)
        case RemovePartitionTerm(column=column, transform=transform, or_name=or_name):
            alone = column if isinstance(column, str) else column[0] if len(column) == 1 else None
            is_name = alone is not None and pending.schema.find_id(alone, pending.case_sensitive) is None
            if or_name and is_name and alone is not None and transform == "identity":
                _remove(pending, alone)
            else:
                _remove_term(pending, pending.term(column, transform))
        case RenamePartitionField(name=name, new_name=new_name):
            _rename(pending, name, new_name)


def _add(pending: PendingSpec, term: Term, name: str | None) -> None:
    shown = "null" if name is None else name
    if name is not None and name in pending.added_by_name:
        raise SchemaUpdateError(f"Cannot add duplicate partition field: {field_text(pending.added_by_name[name])}")
    existing = pending.by_term.get(term.key)
    if existing is not None and existing.field_id in pending.deletes:
        pending.deletes.remove(existing.field_id)
        if name is not None and name != existing.name:
            _rename(pending, existing.name, name)
        return
    if existing is not None:
        raise SchemaUpdateError(
            f"Cannot add duplicate partition field {shown}={term}, conflicts with {field_text(existing)}"
        )
    if (added := pending.added_by_term.get(term.key)) is not None:
        raise SchemaUpdateError(
            f"Cannot add duplicate partition field {shown}={term}, already added: {field_text(added)}"
        )
    new = _earlier_or_new(pending, term, name)
    if isinstance(term.transform, (Year, Month, Day, Hour)):
        if (other := pending.added_times.get(term.source_id)) is not None:
            raise SchemaUpdateError(
                f"Cannot add redundant partition field: {field_text(other)} conflicts with {field_text(new)}"
            )
        pending.added_times[term.source_id] = new
    pending.added_by_term[term.key] = new
    _make_room(pending, new.name, shown)
    pending.added_by_name[new.name] = new
    pending.adds.append(new)


def _earlier_or_new(pending: PendingSpec, term: Term, name: str | None) -> PartitionField:
    """Return an equivalent field of an earlier spec with its id, the newest of several; else a field with a new id."""
    # An id is not reused if version 1 left a void field under it, or assigned it to two fields.
    in_use = {known.field_id for known in (*pending.spec.fields, *pending.adds)} - pending.deletes
    for known in reversed(pending.earlier):
        same = len(known.source_ids) == 1 and _key(known) == term.key and name in (None, known.name)
        if same and known.field_id not in in_use:
            return known
    made = default_name(pending.schema.name_of(term.source_id), term.transform) if name is None else name
    return PartitionField((term.source_id,), pending.next_id(), made, str(term.transform))


def _make_room(pending: PendingSpec, name: str, shown: str) -> None:
    """Rename a dropped or void field whose name a new field takes (version 1)."""
    holder = pending.by_name.get(name)
    if holder is None:
        return
    aside = f"{holder.name}_{holder.field_id}"
    if holder.field_id in pending.deletes:
        pending.renames[holder.name] = aside
    elif holder.is_void:
        _rename(pending, holder.name, aside)
    else:
        raise SchemaUpdateError(
            f"Cannot add duplicate partition field name: {shown}",
            hint=f"{field_text(holder)} is called {name}; give another name, or remove it first",
        )


def _remove(pending: PendingSpec, name: str) -> None:
    if name in pending.added_by_name:
        raise SchemaUpdateError(f"Cannot delete newly added field: {field_text(pending.added_by_name[name])}")
    if name in pending.renames:
        raise SchemaUpdateError(f"Cannot rename and delete partition field: {name}")
    found = pending.by_name.get(name)
    if found is None:
        raise SchemaUpdateError(f"Cannot find partition field to remove: {name}", hint=_known(pending))
    pending.deletes.add(found.field_id)


def _remove_term(pending: PendingSpec, term: Term) -> None:
    if (added := pending.added_by_term.get(term.key)) is not None:
        raise SchemaUpdateError(f"Cannot delete newly added field: {field_text(added)}")
    found = pending.by_term.get(term.key)
    if found is None:
        raise SchemaUpdateError(f"Cannot find partition field to remove: {term}", hint=_known(pending))
    if found.name in pending.renames:
        raise SchemaUpdateError(f"Cannot rename and delete partition field: {found.name}")
    pending.deletes.add(found.field_id)


def _rename(pending: PendingSpec, name: str, new_name: str) -> None:
    holder = pending.by_name.get(new_name)
    if holder is not None and holder.is_void:
        _rename(pending, holder.name, f"{holder.name}_{holder.field_id}")
    if name in pending.added_by_name:
        raise SchemaUpdateError(f"Cannot rename newly added partition field: {name}")
    found = pending.by_name.get(name)
    if found is None:
        raise SchemaUpdateError(f"Cannot find partition field to rename: {name}", hint=_known(pending))
    if found.field_id in pending.deletes:
        raise SchemaUpdateError(f"Cannot delete and rename partition field: {name}")
    pending.renames[name] = new_name


def _known(pending: PendingSpec) -> str:
    fields = ", ".join(field_text(known) for known in pending.spec.fields)
    return f"the spec has {fields}" if fields else "the table is not partitioned"


def default_name(column: str, transform: Transform) -> str:
    """Return the name of a partition field that was given none."""
    match transform:
        case Identity():
            return column
        case Bucket(count):
            return f"{column}_bucket_{count}"
        case Truncate(width):
            return f"{column}_trunc_{width}"
        case Year() | Month() | Day() | Hour():
            return f"{column}_{transform}"
        case _:
            return f"{column}_null"


def fields_after(pending: PendingSpec, format_version: int) -> tuple[PartitionField, ...]:
    """Return the fields of the new spec. In version 1 a dropped field becomes a void one, which keeps ids in order."""
    kept: list[PartitionField] = []
    for known in pending.spec.fields:
        named = replace(known, name=pending.renames.get(known.name, known.name))
        if known.field_id not in pending.deletes:
            kept.append(named)
        elif format_version == 1:
            kept.append(replace(named, transform="void"))
    return (*kept, *pending.adds)
