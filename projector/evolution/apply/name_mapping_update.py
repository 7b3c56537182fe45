"""Create, check and repair a table's name mapping, against the columns that its files have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from projector.errors import ProjectorError
from projector.evolution.operations.schema import Operation
from projector.files.parquet.file_schema import FileColumn, FileList, FileMap, FileSchema
from projector.metadata.table_metadata import TableMetadata
from projector.schema.name_mapping import (
    NAME_MAPPING_PROPERTY,
    MappedField,
    NameMapping,
    create_mapping,
    mapped_fields_from_json,
)
from projector.schema.schema import Schema
from projector.schema.types import IcebergType, NestedField, children

Path = tuple[str, ...]
Kind = Literal[
    "unreadable",
    "field_without_entry",
    "column_without_entry",
    "case_only",
    "name_unused",
    "name_twice",
    "nested_missing",
]
"""What can be wrong with a mapping:

- `unreadable`: it is not a name mapping; readers ignore it.
- `field_without_entry`: a field of the schema without an entry, or with one without names: it reads as null or its
  default.
- `column_without_entry`: a column of the files that no entry names: no field reads it.
- `case_only`: such a column whose name differs from an entry's only in case.
- `name_unused`: a name of no column in the files, and of no field of the schema.
- `name_twice`: a name that two entries of one level list.
- `nested_missing`: an entry for a struct, list or map without entries for its children.
"""


@dataclass(frozen=True, slots=True)
class SetNameMapping(Operation):
    """Set the table's name mapping; None is the mapping of every column by its present name."""

    mapping: NameMapping | None = None


def change_name_mapping(metadata: TableMetadata, mapping: NameMapping | None) -> TableMetadata:
    """Return a table's metadata with a name mapping, without commit time and log; the same object if unchanged."""
    wanted = create_mapping(metadata.current_schema) if mapping is None else mapping
    text = metadata.properties.get(NAME_MAPPING_PROPERTY)
    if text is not None:
        try:
            if NameMapping.from_json(text) == wanted:
                return metadata
        except ProjectorError:
            pass
    properties = {**metadata.properties, NAME_MAPPING_PROPERTY: wanted.to_json()}
    return TableMetadata.from_json({**metadata.raw, "properties": properties})


@dataclass(frozen=True, slots=True)
class MappingProblem:
    """A problem of a name mapping.

    Parameters
    ----------
    kind:
        What is wrong; see `Kind`.
    path:
        The names down to it: of the field in the schema, or of the column in the files.
    field_id:
        The field that it concerns, if there is one.
    detail:
        The other name, the other field, or the parser's message.
    """

    kind: Kind
    path: Path
    field_id: int | None = None
    detail: str = ""


@dataclass(frozen=True)
class _Column:
    """The columns of one name at one place, over all files without ids: the names below it."""

    below: dict[str, _Column]


def check_name_mapping(text: str | None, schema: Schema, files: Iterable[FileSchema]) -> tuple[MappingProblem, ...]:
    """Return the problems of a table's name mapping.

    Parameters
    ----------
    text:
        The property's text; None for a table without a mapping, in which every field is without entry.
    schema:
        The current schema.
    files:
        The physical schemas of the live files. Those with field ids do not use the mapping and are skipped.
    """
    try:
        mapped = () if text is None else mapped_fields_from_json(text)
    except ProjectorError as error:
        return (MappingProblem("unreadable", (), detail=error.message),)
    return tuple(_problems(mapped, schema.as_struct(), _columns(files), ()))


def proposed_name_mapping(schema: Schema, history: Iterable[Schema]) -> NameMapping:
    """Return a mapping of every column by its present name, and by its former names that no other column had.

    Parameters
    ----------
    history:
        All schemas of the table. A file without ids may be older than a rename.
    """
    current = create_mapping(schema)
    return NameMapping(_with_former_names(current.fields, schema.as_struct(), _former_names(schema, history)))


def _former_names(schema: Schema, history: Iterable[Schema]) -> dict[int, tuple[str, ...]]:
    """Return, by field id, the names that only one field of its level ever had, without its present name."""
    owners: dict[tuple[int | None, str], set[int]] = {}
    for each in (*history, schema):
        for field_id, field in each.fields_by_id.items():
            owners.setdefault((each.parents_by_id.get(field_id), field.name), set()).add(field_id)
    found: dict[int, tuple[str, ...]] = {}
    for (_, name), ids in owners.items():
        (field_id, *others) = ids
        now = schema.fields_by_id.get(field_id)
        if not others and now is not None and now.name != name:
            found[field_id] = (*found.get(field_id, ()), name)
    return found


def _with_former_names(
    mapped: Sequence[MappedField], inside: IcebergType, former: dict[int, tuple[str, ...]]
) -> tuple[MappedField, ...]:
    """Yield entries with the former names of their fields, and new entries for fields that have only such names."""
    made = []
    for field in children(inside):
        found = _entry(mapped, field) or MappedField((), field.field_id)
        older = former.get(field.field_id, ())
        own = found.names or ((field.name,) if older else ())
        names = tuple(dict.fromkeys((*own, *older)))
        fields = _with_former_names(found.fields, field.field_type, former)
        if names or fields:
            made.append(MappedField(names, field.field_id, fields))
    ids = {field.field_id for field in children(inside)}
    return (*made, *(entry for entry in mapped if entry.field_id not in ids))


def repaired_name_mapping(
    text: str | None, schema: Schema, files: Iterable[FileSchema], history: Iterable[Schema] = ()
) -> NameMapping:
    """Return a proposal for a mapping in which `check_name_mapping` finds nothing that a mapping can repair.

    Every field of the schema gets an entry with its name, and entries for its children. A former name that no other
    field
    ever had is listed if files have a column of it. Spellings in the files that differ only in case are added. A name
    listed twice stays with the field of that name, else with the first entry. Names that neither a file nor the schema
    has
    are left out if there are files. Entries of dropped columns stay while files have them. A column that no field ever
    had stays without an entry.
    """
    try:
        mapped = () if text is None else mapped_fields_from_json(text)
    except ProjectorError:
        mapped = ()
    known = tuple(files)
    struct = schema.as_struct()
    named = _with_former_names(mapped, struct, _former_names(schema, history)) if known else tuple(mapped)
    return NameMapping(_repaired(named, struct, _columns(known), bool(known)))


def _columns(files: Iterable[FileSchema]) -> dict[str, _Column]:
    found: dict[str, _Column] = {}
    for file in files:
        if not file.has_field_ids:
            _gather(found, ((column.name, column) for column in file.columns))
    return found


def _gather(level: dict[str, _Column], columns: Iterable[tuple[str, FileColumn]]) -> None:
    for name, column in columns:
        _gather(level.setdefault(name, _Column({})).below, _named(column))


def _named(column: FileColumn) -> list[tuple[str, FileColumn]]:
    """Return the children of a column by the names that a mapping has for them, whatever the file calls them."""
    match column.type:
        case FileList():
            return list(zip(("element",), column.children, strict=True))
        case FileMap():
            return list(zip(("key", "value"), column.children, strict=True))
    return [(child.name, child) for child in column.children]


def _problems(
    mapped: Sequence[MappedField], inside: IcebergType, columns: dict[str, _Column], path: Path
) -> Iterator[MappingProblem]:
    fields = children(inside)
    names = {field.name for field in fields}
    owners: dict[str, MappedField] = {}
    for entry in mapped:
        for name in entry.names:
            if name in owners:
                both = f"ids {owners[name].field_id} and {entry.field_id}"
                yield MappingProblem("name_twice", (*path, name), entry.field_id, both)
            owners.setdefault(name, entry)
            if columns and name not in columns and name not in names:
                yield MappingProblem("name_unused", (*path, name), entry.field_id)
    for name in columns:
        if name not in owners:
            near = next((known for known in owners if known.lower() == name.lower()), None)
            if near is not None:
                yield MappingProblem("case_only", (*path, name), owners[near].field_id, near)
            else:
                yield MappingProblem("column_without_entry", (*path, name))
    for field in fields:
        found = _entry(mapped, field)
        here = (*path, field.name)
        if found is None or not found.names:
            yield MappingProblem("field_without_entry", here, field.field_id)
        elif children(field.field_type) and not found.fields:
            yield MappingProblem("nested_missing", here, field.field_id)
        else:
            yield from _problems(found.fields, field.field_type, _below(columns, found), here)


def _entry(mapped: Sequence[MappedField], field: NestedField) -> MappedField | None:
    return next((entry for entry in mapped if entry.field_id == field.field_id), None)


def _below(columns: dict[str, _Column], entry: MappedField | None) -> dict[str, _Column]:
    """Return the columns below those that an entry names."""
    found: dict[str, _Column] = {}
    for name in () if entry is None else entry.names:
        if name in columns:
            _merge(found, columns[name].below)
    return found


def _merge(level: dict[str, _Column], other: dict[str, _Column]) -> None:
    for name, column in other.items():
        _merge(level.setdefault(name, _Column({})).below, column.below)


def _repaired(
    mapped: Sequence[MappedField], inside: IcebergType, columns: dict[str, _Column], looked: bool
) -> tuple[MappedField, ...]:
    fields = children(inside)
    called = {field.name: field.field_id for field in fields}
    owners: dict[str, int | None] = dict(called)
    for entry in mapped:
        for name in entry.names:
            owners.setdefault(name, entry.field_id)
    lower: dict[str, set[int | None]] = {}
    for name, owner in owners.items():
        lower.setdefault(name.lower(), set()).add(owner)
    for name in columns:
        near = lower.get(name.lower(), set())
        if name not in owners and len(near) == 1:
            owners[name] = next(iter(near))

    def names_of(field_id: int | None, listed: Sequence[str]) -> tuple[str, ...]:
        mine = dict.fromkeys((*listed, *(name for name, owner in owners.items() if owner == field_id)))
        kept = [name for name in mine if owners.get(name) == field_id]
        return tuple(name for name in kept if not looked or not columns or name in columns or name in called)

    repaired = []
    for field in fields:
        found = _entry(mapped, field)
        names = names_of(field.field_id, () if found is None else found.names)
        below = _below(columns, MappedField(names, field.field_id))
        nested = _repaired(() if found is None else found.fields, field.field_type, below, looked)
        repaired.append(MappedField(names, field.field_id, nested))
    ids = {field.field_id for field in fields}
    for entry in mapped:
        if entry.field_id is not None and entry.field_id not in ids:
            names = names_of(entry.field_id, entry.names)
            if names:
                ids.add(entry.field_id)
                repaired.append(MappedField(names, entry.field_id, entry.fields))
    return tuple(repaired)
