"""A table's schema: a struct with an id, and its fields indexed by id, by name and by path."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from projector.errors import InvalidMetadataError, NotFoundError
from projector.schema.json_values import preview_json
from projector.schema.type_json import field_to_json, is_int, load_json, type_from_json
from projector.schema.types import (
    MAX_FIELD_ID,
    IcebergType,
    ListType,
    MapType,
    NestedField,
    StructType,
    children,
    walk,
)

Path = tuple[str, ...]


@dataclass(frozen=True)
class Schema:
    """The columns of a table at one time (spec: Schemas and Data Types).

    Parameters
    ----------
    fields:
        Top-level fields in order.
    schema_id:
        Id of the schema in its table.
    identifier_field_ids:
        Ids of the fields that identify a row, in the order of the metadata.
    """

    fields: tuple[NestedField, ...]
    schema_id: int = 0
    identifier_field_ids: tuple[int, ...] = ()

    def as_struct(self) -> StructType:
        """Return the schema as a struct type."""
        return StructType(self.fields)

    def walk(self) -> Iterator[tuple[Path, NestedField]]:
        """Yield every field at every depth with its path of names, parents first."""
        return walk(self.as_struct())

    @cached_property
    def fields_by_id(self) -> Mapping[int, NestedField]:
        """The fields at every depth by id. Raises `InvalidMetadataError` if two fields have the same id."""
        found: dict[int, NestedField] = {}
        for path, field in self.walk():
            if field.field_id in found:
                raise InvalidMetadataError(
                    f"Two fields of schema {self.schema_id} have one id: {self._first_path(field.field_id)}"
                    f" and {'.'.join(path)}",
                    field_id=field.field_id,
                    path=".".join(path),
                )
            found[field.field_id] = field
        return found

    def _first_path(self, field_id: int) -> str:
        """Return the dotted path of the first field with an id, for messages."""
        return next(".".join(path) for path, field in self.walk() if field.field_id == field_id)

    @cached_property
    def paths_by_id(self) -> Mapping[int, Path]:
        """The path of names to every field, by id; list and map children are `element`, `key` and `value`."""
        self.fields_by_id  # noqa: B018 - raises on duplicate ids
        return {field.field_id: path for path, field in self.walk()}

    @cached_property
    def ids_by_path(self) -> Mapping[Path, int]:
        """The id of every field by its path of names."""
        return {path: field.field_id for path, field in self.walk()}

    @cached_property
    def ids_by_name(self) -> Mapping[str, int]:
        """The id of every field by its dotted name.

        As in Java, `l.x` also names field x of the structs in a list l (or of the values of a map l), beside
        `l.element.x`. If two fields share a dotted name, a literal top-level name wins over a path and the full path
        over the short one; Java refuses a schema in which two fields have the same full name.
        """
        found: dict[str, int] = {}
        for path, field in self.walk():
            name = ".".join(path)
            if name not in found or len(path) == 1:
                found[name] = field.field_id
        for short, field_id in self._short_ids_by_path.items():
            found.setdefault(".".join(short), field_id)
        return found

    @cached_property
    def _short_ids_by_path(self) -> Mapping[Path, int]:
        """Field ids by paths without the `element` and `value` above structs; the innermost field wins, as in Java."""
        found: dict[Path, int] = {}
        for field in self.fields:
            if not field.field_type.is_primitive:
                for path, field_id in _short_paths(field.field_type, (field.name,)):
                    found.setdefault(path, field_id)
        return found

    @cached_property
    def _ids_by_lower_name(self) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, list[int]] = {}
        for name, field_id in self.ids_by_name.items():
            ids = found.setdefault(name.lower(), [])
            if field_id not in ids:
                ids.append(field_id)
        return {name: tuple(ids) for name, ids in found.items()}

    @cached_property
    def has_names_equal_but_for_case(self) -> bool:
        """Whether two fields have full names that differ in case alone, so that names must be spelled exactly."""
        return any(len(ids) > 1 for ids in self._ids_by_lower_name.values())

    @cached_property
    def parents_by_id(self) -> Mapping[int, int]:
        """The id of the field that directly holds each nested field; top-level fields are not in it."""
        by_path = self.ids_by_path
        return {fid: by_path[path[:-1]] for path, fid in by_path.items() if len(path) > 1}

    @cached_property
    def highest_field_id(self) -> int:
        """The highest id of any field at any depth; 0 for a schema without fields."""
        return max(self.fields_by_id, default=0)

    def find_field(self, name_or_id: str | int | Sequence[str], case_sensitive: bool = True) -> NestedField:
        """Return the field of an id, a dotted name, or a path of names.

        Raises `NotFoundError` if there is none, or if a name matches several fields when case is ignored.
        """
        field_id = self.find_id(name_or_id, case_sensitive)
        if field_id is None:
            name = name_or_id if isinstance(name_or_id, (str, int)) else ".".join(name_or_id)
            raise NotFoundError(
                f"Cannot find field {name!r} in schema {self.schema_id}",
                hint=self.suggestion(str(name)),
            )
        return self.fields_by_id[field_id]

    def suggestion(self, name: str) -> str:
        """Return a hint for a name that the schema does not have: similar names, or the names of its columns."""
        by_lower: dict[str, str] = {}
        for candidate in self.ids_by_name:
            by_lower.setdefault(candidate.lower(), candidate)
        close = difflib.get_close_matches(name.lower(), by_lower, n=3)
        if close:
            return f"did you mean {' or '.join(by_lower[c] for c in close)}?"
        if not self.fields:
            return "it has no columns"
        return (
            f"the schema has: {', '.join(f.name for f in self.fields[:20])}{', ...' if len(self.fields) > 20 else ''}"
        )

    def find_id(self, name_or_id: str | int | Sequence[str], case_sensitive: bool = True) -> int | None:
        """Return the id of a field, or None if the schema does not have it."""
        if isinstance(name_or_id, int):
            return name_or_id if name_or_id in self.fields_by_id else None
        if not isinstance(name_or_id, str):
            return self._find_path(tuple(name_or_id), case_sensitive)
        if case_sensitive:
            return self.ids_by_name.get(name_or_id)
        ids = self._ids_by_lower_name.get(name_or_id.lower(), ())
        if len(ids) > 1:
            exact = self.ids_by_name.get(name_or_id)
            if exact is not None:
                return exact
            literal = [i for i in ids if i not in self.parents_by_id]
            if len(literal) == 1:
                return literal[0]
            names = ", ".join(".".join(self.paths_by_id[i]) for i in ids)
            raise NotFoundError(f"Name {name_or_id!r} is ambiguous without regard to case: {names}")
        return ids[0] if ids else None

    def _find_path(self, path: Path, case_sensitive: bool) -> int | None:
        if path in self.ids_by_path:
            return self.ids_by_path[path]
        short = self._short_ids_by_path
        if path in short:
            return short[path]
        if case_sensitive:
            return None
        ids = self._ids_by_lower_path.get(_lower(path), frozenset())
        if len(ids) > 1:
            raise NotFoundError(f"Path {'.'.join(path)!r} is ambiguous without regard to case")
        return next(iter(ids), None)

    @cached_property
    def _ids_by_lower_path(self) -> Mapping[Path, frozenset[int]]:
        found: dict[Path, frozenset[int]] = {}
        for path, field_id in (*self.ids_by_path.items(), *self._short_ids_by_path.items()):
            low = _lower(path)
            found[low] = found.get(low, frozenset()) | {field_id}
        return found

    def name_of(self, field_id: int) -> str:
        """Return the dotted name of a field. Raises `NotFoundError` if the schema does not have it."""
        try:
            return ".".join(self.paths_by_id[field_id])
        except KeyError:
            raise NotFoundError(f"Schema {self.schema_id} has no field with id {field_id}", field_id=field_id) from None

    def same_columns(self, other: Schema) -> bool:
        """Return whether two schemas are equal but for their schema id (Java's `sameSchema`)."""
        return self.fields == other.fields and set(self.identifier_field_ids) == set(other.identifier_field_ids)

    @staticmethod
    def from_json(text: str | Mapping[str, Any], highest_id: int = MAX_FIELD_ID) -> Schema:
        """Return a schema from the spec's JSON (Appendix C), as text or parsed.

        `schema-id` may be missing (format version 1) and is then 0. Raises `InvalidMetadataError`, for ids above
        `highest_id` too.
        """
        value = load_json(text, "schema") if isinstance(text, str) else text
        schema_type = type_from_json(value)
        if not isinstance(schema_type, StructType) or not isinstance(value, Mapping):
            raise InvalidMetadataError(f"Cannot create schema, not a struct type: {schema_type}")
        schema_id = value.get("schema-id")
        if schema_id is not None and not is_int(schema_id):
            raise InvalidMetadataError(
                f"Cannot parse schema: schema-id must be an integer, found {preview_json(schema_id)}"
            )
        identifiers = value.get("identifier-field-ids")
        if identifiers is None:
            identifiers = []
        elif not isinstance(identifiers, list) or not all(is_int(i) for i in identifiers):
            raise InvalidMetadataError(
                "Cannot parse schema: identifier-field-ids must be a list of integers,"
                f" found {preview_json(identifiers)}"
            )
        schema = Schema(schema_type.fields, schema_id or 0, tuple(identifiers))
        schema.check_ids(highest_id)
        return schema

    def check_ids(self, highest_id: int = MAX_FIELD_ID) -> None:
        """Check that each field id is used once, that none is negative or too high, and that identifier fields exist.

        Raises `InvalidMetadataError`.
        """
        for field_id, field in self.fields_by_id.items():
            if not 0 <= field_id <= highest_id:
                why = "a field id cannot be negative" if field_id < 0 else f"ids above {MAX_FIELD_ID} are reserved"
                message = f"Invalid field id {field_id} of {field.name}: {why}"
                raise InvalidMetadataError(message, path=self.name_of(field_id), field_id=field_id)
        for field_id in self.identifier_field_ids:
            if field_id not in self.fields_by_id:
                raise InvalidMetadataError(
                    f"Cannot add fieldId {field_id} as an identifier field: field does not exist", field_id=field_id
                )

    def to_json_dict(self) -> dict[str, Any]:
        """Return the spec's JSON as an object; `identifier-field-ids` only if there are any."""
        value: dict[str, Any] = {"type": "struct", "schema-id": self.schema_id}
        if self.identifier_field_ids:
            value["identifier-field-ids"] = list(self.identifier_field_ids)
        value["fields"] = [field_to_json(f) for f in self.fields]
        return value

    def to_json(self) -> str:
        """Return the spec's JSON, on one line, without spaces."""
        return json.dumps(self.to_json_dict(), ensure_ascii=False, separators=(",", ":"))

    def __str__(self) -> str:
        return "table {\n" + "".join(f"  {field}\n" for field in self.fields) + "}"


def _lower(path: Path) -> Path:
    return tuple(part.lower() for part in path)


def _short_paths(iceberg_type: IcebergType, path: Path) -> Iterator[tuple[Path, int]]:
    """Yield every field below a type by its short path, children before their parents."""
    for child in children(iceberg_type):
        inside = path if _is_left_out(iceberg_type, child) else (*path, child.name)
        yield from _short_paths(child.field_type, inside)
        yield (*path, child.name), child.field_id


def _is_left_out(parent: IcebergType, child: NestedField) -> bool:
    """Return whether short paths leave out a field's name: a list's element or a map's value that is a struct."""
    if not isinstance(child.field_type, StructType):
        return False
    return isinstance(parent, ListType) or (isinstance(parent, MapType) and child.field_id == parent.value_id)
