"""Read, build and update name mappings (spec: Column Projection; Name Mapping Serialization)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from projector.errors import InvalidMetadataError
from projector.schema.json_values import preview_json
from projector.schema.schema import Schema
from projector.schema.type_json import load_json
from projector.schema.types import IcebergType, NestedField, children

NAME_MAPPING_PROPERTY = "schema.name-mapping.default"
"""The table property that holds a table's name mapping."""

ROOT_ID = -1
"""The parent id of top-level fields: the table itself."""

Path = tuple[str, ...]


@dataclass(frozen=True)
class MappedField:
    """The names that one field has in data files without ids.

    Parameters
    ----------
    names:
        Distinct literal names; a dot in them has no meaning. Empty if no file has the field.
    field_id:
        The field's id, or None for a column that files have and the table does not.
    fields:
        Mappings of the child fields.
    """

    names: tuple[str, ...]
    field_id: int | None = None
    fields: tuple[MappedField, ...] = ()

    @cached_property
    def _fields_by_name(self) -> Mapping[str, MappedField]:
        return {name: field for field in self.fields for name in field.names}

    def find(self, name: str) -> MappedField | None:
        """Return the child that has a name, or None."""
        return self._fields_by_name.get(name)


@dataclass(frozen=True)
class NameMapping:
    """A table's name mapping. Raises `InvalidMetadataError` if a name at one level, or an id, is mapped twice."""

    fields: tuple[MappedField, ...] = ()

    def __post_init__(self) -> None:
        _check_names(self.fields, ())
        self.fields_by_id  # noqa: B018 - raises if an id is mapped twice

    @cached_property
    def _fields_by_name(self) -> Mapping[str, MappedField]:
        return {name: field for field in self.fields for name in field.names}

    def find(self, name: str) -> MappedField | None:
        """Return the top-level field that has a name, or None. `MappedField.find` finds children."""
        return self._fields_by_name.get(name)

    def find_path(self, path: Sequence[str]) -> MappedField | None:
        """Return the field at a path of names, or None."""
        found: NameMapping | MappedField | None = self
        for name in path:
            if found is None:
                return None
            found = found.find(name)
        return found if isinstance(found, MappedField) else None

    @cached_property
    def fields_by_id(self) -> Mapping[int, MappedField]:
        """The mapped fields at every depth that have an id, by id."""
        found: dict[int, MappedField] = {}
        for path, field in self.walk():
            if field.field_id is None:
                continue
            if field.field_id in found:
                raise InvalidMetadataError(
                    f"Invalid name mapping: ID {field.field_id} is not unique",
                    path=".".join(path) or None,
                    field_id=field.field_id,
                )
            found[field.field_id] = field
        return found

    def find_by_id(self, field_id: int) -> MappedField | None:
        """Return the mapped field with an id, at any depth, or None."""
        return self.fields_by_id.get(field_id)

    def walk(self) -> Iterator[tuple[Path, MappedField]]:
        """Yield every mapped field with its path of first names, parents first."""
        return _walk(self.fields, ())

    @staticmethod
    def from_json(text: str | Sequence[Any]) -> NameMapping:
        """Return a name mapping from its JSON text, or from the parsed list. Raises `InvalidMetadataError`."""
        value = load_json(text, "name mapping") if isinstance(text, str) else text
        return NameMapping(_fields_from_json(value, ()))

    def to_json(self) -> str:
        """Return the JSON text, on one line."""
        return json.dumps([_field_to_json(f) for f in self.fields], ensure_ascii=False)


def mapped_fields_from_json(text: str | Sequence[Any]) -> tuple[MappedField, ...]:
    """Return the fields of a name mapping without checking for contradictions, so that it can be repaired.

    Raises `InvalidMetadataError` if the text is not a name mapping.
    """
    return _fields_from_json(load_json(text, "name mapping") if isinstance(text, str) else text, ())


def _walk(fields: tuple[MappedField, ...], path: Path) -> Iterator[tuple[Path, MappedField]]:
    for field in fields:
        here = (*path, field.names[0] if field.names else f"<id {field.field_id}>")
        yield here, field
        yield from _walk(field.fields, here)


def _check_names(fields: tuple[MappedField, ...], path: Path) -> None:
    owners: dict[str, MappedField] = {}
    for field in fields:
        for name in field.names:
            if name in owners:
                raise InvalidMetadataError(
                    f"Invalid name mapping: name {name!r} is mapped twice, to ids {owners[name].field_id} and"
                    f" {field.field_id}",
                    path=".".join((*path, name)),
                )
            owners[name] = field
        if field.fields:
            _check_names(field.fields, (*path, field.names[0] if field.names else f"<id {field.field_id}>"))


def _fields_from_json(value: Any, path: Path) -> tuple[MappedField, ...]:
    if not isinstance(value, list):
        raise _bad("mapping fields are a list", value, path)
    if len(path) > 100:
        raise InvalidMetadataError("Invalid name mapping: nested more than 100 levels deep")
    fields = []
    for item in value:
        if not isinstance(item, Mapping):
            raise _bad("a mapping field is an object", item, path)
        field_id = item.get("field-id")
        if field_id is not None and (isinstance(field_id, bool) or not isinstance(field_id, int)):
            raise _bad("field-id is an integer", field_id, path)
        names = item.get("names", [])
        if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
            raise _bad("names are a list of text", names, path)
        here = (*path, names[0] if names else f"<id {field_id}>")
        nested = _fields_from_json(item["fields"], here) if item.get("fields") is not None else ()
        fields.append(MappedField(tuple(dict.fromkeys(names)), field_id, nested))
    return tuple(fields)


def _bad(rule: str, value: Any, path: Path) -> InvalidMetadataError:
    return InvalidMetadataError(
        f"Invalid name mapping: {rule}, found {preview_json(value)}", path=".".join(path) or None
    )


def _field_to_json(field: MappedField) -> dict[str, Any]:
    value: dict[str, Any] = {} if field.field_id is None else {"field-id": field.field_id}
    value["names"] = list(field.names)
    if field.fields:
        value["fields"] = [_field_to_json(f) for f in field.fields]
    return value


def create_mapping(schema: Schema) -> NameMapping:
    """Return the mapping in which every field has its name in a schema, list and map children `element`, `key` and
    `value`."""
    return NameMapping(_mapped_children(schema.as_struct()))


def _mapped_children(iceberg_type: IcebergType) -> tuple[MappedField, ...]:
    return tuple(_mapped(f) for f in children(iceberg_type))


def _mapped(field: NestedField) -> MappedField:
    return MappedField((field.name,), field.field_id, _mapped_children(field.field_type))


def update_mapping(
    mapping: NameMapping, updates: Mapping[int, NestedField], adds: Mapping[int, Sequence[NestedField]]
) -> NameMapping:
    """Return a mapping that follows a schema update, as Java's does.

    A renamed field gets its new name and keeps the old ones; added fields are appended with their names; a name that a
    renamed or added field takes is removed from the field that had it before. Deleted fields stay mapped.
    If two names of one field are taken at once, Java fails and leaves the mapping as it is; here both are removed.

    Parameters
    ----------
    updates:
        Updated fields by id, with their new names. It may include added fields.
    adds:
        Added fields by the id of their parent field; `ROOT_ID` stands for the table.
    """
    return NameMapping(_with_added(_updated(mapping.fields, updates, adds), adds.get(ROOT_ID, ())))


def _updated(
    fields: tuple[MappedField, ...], updates: Mapping[int, NestedField], adds: Mapping[int, Sequence[NestedField]]
) -> tuple[MappedField, ...]:
    found = []
    for field in fields:
        names, nested = field.names, _updated(field.fields, updates, adds)
        if field.field_id is not None:
            if field.field_id in updates:
                names = tuple(dict.fromkeys((*names, updates[field.field_id].name)))
            nested = _with_added(nested, adds.get(field.field_id, ()))
        found.append(MappedField(names, field.field_id, nested))
    owners = {updates[f.field_id].name: f.field_id for f in found if f.field_id is not None and f.field_id in updates}
    return tuple(_without_taken(f, owners) for f in found)


def _with_added(fields: tuple[MappedField, ...], added: Sequence[NestedField]) -> tuple[MappedField, ...]:
    owners = {f.name: f.field_id for f in added}
    return (*(_without_taken(f, owners) for f in fields), *(_mapped(f) for f in added))


def _without_taken(field: MappedField, owners: Mapping[str, int]) -> MappedField:
    kept = tuple(n for n in field.names if owners.get(n, field.field_id) == field.field_id)
    return field if kept == field.names else MappedField(kept, field.field_id, field.fields)
