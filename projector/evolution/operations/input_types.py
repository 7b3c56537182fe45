"""Convert types, schemas and default values from the forms in which operations hold them."""

from __future__ import annotations

from typing import Any

from projector.errors import ProjectorError, SchemaUpdateError
from projector.evolution.operations.schema import NOT_GIVEN, PlainValue, SqlText
from projector.schema.schema import Schema
from projector.schema.single_values import to_plain
from projector.schema.type_json import load_json, type_from_json
from projector.schema.types import (
    MAX_NESTING,
    BinaryType,
    FixedType,
    IcebergType,
    NestedField,
    StructType,
    UnknownType,
    nesting,
    walk,
)


def given_type(given: Any) -> IcebergType:
    """Return a type given as a type object or as JSON. Its ids are placeholders and may be missing."""
    if isinstance(given, IcebergType):
        found = given
    elif isinstance(given, str):
        found = _type_from_text(given)
    else:
        raise SchemaUpdateError(
            f"Not an Iceberg type: {given!r}",
            hint='give a type object or its JSON, such as "long" or {"type": "list", ...}',
        )
    _refuse_deep(found)
    for _, field in walk(found):
        if field.required:
            refuse_required_unknown(field.name, field.field_type)
    return found


def _type_from_text(text: str) -> IcebergType:
    is_object = text.lstrip().startswith("{")
    try:
        return type_from_json(_with_placeholder_ids(load_json(text, "type")) if is_object else text)
    except ProjectorError as error:
        raise SchemaUpdateError(error.message, path=error.path, hint=error.hint) from error


def _with_placeholder_ids(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    filled = {key: _with_placeholder_ids(value) for key, value in node.items()}
    match filled.get("type"):
        case "struct" if isinstance(filled.get("fields"), list):
            filled["fields"] = [
                {"id": place, "required": False, **_with_placeholder_ids(field)} if isinstance(field, dict) else field
                for place, field in enumerate(filled["fields"], 1)
            ]
        case "list":
            filled = {"element-id": 1, "element-required": False, **filled}
        case "map":
            filled = {"key-id": 1, "value-id": 2, "value-required": False, **filled}
    return filled


def given_schema(given: Any) -> Schema:
    """Return a schema given as a `Schema`, as JSON, or as an Arrow schema. Its ids are placeholders."""
    if isinstance(given, Schema):
        for field in given.fields:
            _refuse_deep(field.field_type)
        return given
    if isinstance(given, str):
        found = _type_from_text(given)
        if not isinstance(found, StructType):
            raise SchemaUpdateError(f"Cannot create schema, not a struct type: {found}")
        return Schema(found.fields)
    if hasattr(given, "__arrow_c_schema__"):
        from projector.schema.arrow_schema import schema_from_arrow

        return schema_from_arrow(given)
    raise SchemaUpdateError(f"Not a schema: {given!r}", hint="give a projector Schema, its JSON, or an Arrow schema")


def _refuse_deep(iceberg_type: IcebergType) -> None:
    """Raise for a type nested too deeply to be walked."""
    if nesting(iceberg_type) > MAX_NESTING:
        raise SchemaUpdateError(f"Types nested more than {MAX_NESTING} levels deep are not supported")


def given_default(given: Any, iceberg_type: IcebergType) -> Any:
    """Return the plain value of a default for a type; None if none was given. Conversions are exact, or raise."""
    match given:
        case _ if given is NOT_GIVEN or given is None:
            return None
        case PlainValue(value):
            return value
        case SqlText() if isinstance(iceberg_type, (BinaryType, FixedType)):
            # Spark and Trino refuse it, DuckDB reads escapes in it: no one reading would be right for all.
            raise SchemaUpdateError(
                f"Cannot cast default value to {iceberg_type}: {given!r}", hint="write the bytes as X'...'"
            )
        case _:
            return to_plain(given, iceberg_type)


def refuse_required_unknown(name: str, field_type: IcebergType) -> None:
    """Raise for a required field of type unknown, which could hold nothing but null."""
    if isinstance(field_type, UnknownType):
        raise SchemaUpdateError(f"Cannot create required field with unknown type: {name}")


def checked(field: NestedField) -> NestedField:
    """Return the field. Raises if it is required and of type unknown."""
    if field.required:
        refuse_required_unknown(field.name, field.field_type)
    return field
