"""Check a schema as a whole: unique names, valid identifier fields, types that the format version allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from projector.errors import SchemaUpdateError
from projector.schema.schema import Schema
from projector.schema.types import (
    MAX_NESTING,
    DoubleType,
    FloatType,
    IcebergType,
    MapType,
    NestedField,
    StructType,
    children,
    nesting,
)

DEFAULTS_SINCE_FORMAT_VERSION = 3


def _names_inside_out(iceberg_type: IcebergType, path: tuple[str, ...] = ()) -> Iterator[tuple[str, NestedField]]:
    """Yield every dotted name with its field, children before their parents: Java's order, for equal messages."""
    below = children(iceberg_type)
    both_first = isinstance(iceberg_type, MapType)
    for child in below:
        yield from _names_inside_out(child.field_type, (*path, child.name))
        if not both_first:
            yield ".".join((*path, child.name)), child
    if both_first:
        for child in below:
            yield ".".join((*path, child.name)), child


def check_unique_names(schema: Schema, base: Schema) -> None:
    """Raise for two fields with the same dotted name, unless the base schema has the same two."""
    found: dict[str, int] = {}
    for name, field in _names_inside_out(schema.as_struct()):
        if name in found:
            existing = found[name]
            clash = {existing, field.field_id}
            if clash <= {f.field_id for n, f in _names_inside_out(base.as_struct()) if n == name} and len(clash) > 1:
                continue
            raise SchemaUpdateError(
                f"Invalid schema: multiple fields for name {name}: {existing} and {field.field_id}",
                hint="give one of them another name",
            )
        found[name] = field.field_id


def check_lower_case_names(schema: Schema) -> None:
    """Raise for names that differ only in case."""
    found: dict[str, int] = {}
    for name, field_id in schema.ids_by_name.items():
        existing = found.setdefault(name.lower(), field_id)
        if existing != field_id:
            raise SchemaUpdateError(
                f"Cannot build lower case index: {schema.name_of(existing)} and {schema.name_of(field_id)} collide",
                hint="update the schema with case_sensitive=True, or give one of them another name",
            )


def check_identifier_field(field_id: int, schema: Schema) -> None:
    """Raise for an identifier field that is not a required primitive in required structs (spec: Identifier Fields)."""
    field = schema.fields_by_id[field_id]
    cannot = f"Cannot add field {field.name} as an identifier field"
    if not field.field_type.is_primitive:
        raise SchemaUpdateError(f"{cannot}: not a primitive type field")
    if not field.required:
        raise SchemaUpdateError(f"{cannot}: not a required field")
    if isinstance(field.field_type, (FloatType, DoubleType)):
        raise SchemaUpdateError(f"{cannot}: must not be float or double field")
    for parent in _parents_from_root(field_id, schema):
        if not isinstance(parent.field_type, StructType):
            raise SchemaUpdateError(f"{cannot}: must not be nested in {parent}")
        if not parent.required:
            raise SchemaUpdateError(f"{cannot}: must not be nested in an optional field {parent}")


def _parents_from_root(field_id: int, schema: Schema) -> list[NestedField]:
    parents: list[NestedField] = []
    above = schema.parents_by_id.get(field_id)
    while above is not None:
        parents.append(schema.fields_by_id[above])
        above = schema.parents_by_id.get(above)
    return parents[::-1]


def check_nesting(schema: Schema) -> None:
    """Raise for a column nested deeper than is read: its table could not be loaded again."""
    for field in schema.fields:
        if nesting(field.field_type) > MAX_NESTING:
            raise SchemaUpdateError(
                f"Invalid schema: types nested more than {MAX_NESTING} levels deep are not supported",
                path=field.name,
                field_id=field.field_id,
            )


def check_format_version(schema: Schema, format_version: int) -> None:
    """Raise for types and initial defaults that are newer than a format version (spec: Appendix E)."""
    problems: Mapping[int, str] = {
        field.field_id: problem
        for path, field in schema.walk()
        if (problem := _newer_than(format_version, ".".join(path), field)) is not None
    }
    if problems:
        listed = "; ".join(problems[field_id] for field_id in sorted(problems))
        raise SchemaUpdateError(
            f"Invalid schema for v{format_version}: {listed}",
            hint="upgrade the table's format version first",
        )


def _newer_than(format_version: int, name: str, field: NestedField) -> str | None:
    if field.initial_default is not None and format_version < DEFAULTS_SINCE_FORMAT_VERSION:
        return (
            f"Invalid initial default for {name}: non-null default ({field.initial_default})"
            f" is not supported until v{DEFAULTS_SINCE_FORMAT_VERSION}"
        )
    since = field.field_type.minimum_format_version
    if since > format_version:
        return f"Invalid type for {name}: {field.field_type} is not supported until v{since}"
    return None
