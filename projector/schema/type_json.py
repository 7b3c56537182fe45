"""Read types and fields from the spec's JSON (Appendix C), and write them.

Reading checks what the spec says about a single type: the shapes, the kinds of ids, the names of a struct, what
`unknown` fields may be, and the defaults. Every error is an `InvalidMetadataError` that names the field.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from projector.errors import InvalidMetadataError, ParseError, ProjectorError
from projector.schema import single_values
from projector.schema.json_values import is_unicode, preview_json
from projector.schema.types import (
    MAX_NESTING,
    IcebergType,
    ListType,
    MapType,
    NestedField,
    StructType,
    UnknownType,
    parse_primitive,
)

MAX_INT = 2**31 - 1
"""Highest id that JSON may hold; ids above `MAX_FIELD_ID` are reserved."""


def load_json(text: str, what: str) -> Any:
    """Parse JSON text; `what` names it in the `InvalidMetadataError`."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise InvalidMetadataError(f"Cannot read {what}: JSON that is nested too deeply") from None
    except ValueError as e:
        raise InvalidMetadataError(f"Cannot parse {what} as JSON: {e}") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def type_from_json(value: str | Mapping[str, Any], where: str = "") -> IcebergType:
    """Return a type from its JSON form: `"long"`, or an object for a struct, list or map.

    Text may also be the JSON of a type, in quotes or as an object. Ids do not change. `where` is the dotted
    path of the field for messages. Raises `InvalidMetadataError`.
    """
    if isinstance(value, str) and value.lstrip().startswith(("{", '"')):
        value = load_json(value, "type")
    return _type_from_json(value, where, 0)


def _type_from_json(value: Any, where: str, depth: int) -> IcebergType:
    if isinstance(value, str):
        try:
            return parse_primitive(value)
        except (ParseError, InvalidMetadataError) as e:
            raise InvalidMetadataError(e.message, path=where or None) from None
    if depth > MAX_NESTING:
        where = where if len(where) < 60 else where[:60] + "..."
        raise InvalidMetadataError(f"Types nested more than {MAX_NESTING} levels deep are not supported", path=where)
    if isinstance(value, Mapping):
        match value.get("type"):
            case "struct":
                return _struct_from_json(value, where, depth + 1)
            case "list":
                element_id = _id(value, "element-id", where)
                required = _bool(value, "element-required", where)
                element = _child_from_json(value, "element", element_id, required, where, depth)
                return ListType(element_id, element, required)
            case "map":
                key_id, value_id = _id(value, "key-id", where), _id(value, "value-id", where)
                required = _bool(value, "value-required", where)
                key = _child_from_json(value, "key", key_id, True, where, depth)
                child = _child_from_json(value, "value", value_id, required, where, depth)
                return MapType(key_id, key, value_id, child, required)
    raise InvalidMetadataError(f"Cannot parse type from json: {preview_json(value)}", path=where or None)


def _child_from_json(
    value: Mapping[str, Any], key: str, child_id: int, required: bool, where: str, depth: int
) -> IcebergType:
    path = f"{where}.{key}" if where else key
    child = _type_from_json(_get(value, key, where), path, depth + 1)
    _check_unknown(child, required, path, child_id)
    return child


def _struct_from_json(value: Mapping[str, Any], where: str, depth: int) -> StructType:
    listed = _get(value, "fields", where)
    if not isinstance(listed, list):
        raise InvalidMetadataError(
            f"Cannot parse struct fields from non-array: {preview_json(listed)}", path=where or None
        )
    fields = tuple(_field_from_json(f, where, depth) for f in listed)
    first: dict[str, NestedField] = {}
    for field in fields:
        other = first.setdefault(field.name, field)
        if other is not field:
            path = f"{where}.{field.name}" if where else field.name
            raise InvalidMetadataError(
                f"Invalid schema: multiple fields for name {path}: {other.field_id} and {field.field_id}", path=path
            )
    return StructType(fields)


def field_from_json(value: Mapping[str, Any], where: str = "") -> NestedField:
    """Return a struct's field from its JSON object; `where` is the dotted path of the struct, for messages.

    Raises `InvalidMetadataError`.
    """
    return _field_from_json(value, where, 0)


def _field_from_json(value: Any, where: str, depth: int) -> NestedField:
    if not isinstance(value, Mapping):
        raise InvalidMetadataError(
            f"Cannot parse struct field from non-object: {preview_json(value)}", path=where or None
        )
    name = _get(value, "name", where)
    if not isinstance(name, str):
        raise InvalidMetadataError(
            f"Cannot parse field: name must be text, found {preview_json(name)}", path=where or None
        )
    if not is_unicode(name):
        raise InvalidMetadataError(f"Cannot parse field: name {name!a} is not Unicode text", path=where or None)
    path = f"{where}.{name}" if where else name
    field_id = _id(value, "id", path)
    field_type = _type_from_json(_get(value, "type", path), path, depth)
    required = _bool(value, "required", path)
    doc = value.get("doc")
    if doc is not None and not (isinstance(doc, str) and is_unicode(doc)):
        raise InvalidMetadataError(f"Cannot parse field: doc must be text, found {preview_json(doc)}", path=path)
    _check_unknown(field_type, required, path, field_id)
    initial = _default(value, "initial-default", field_type, path, field_id)
    write = _default(value, "write-default", field_type, path, field_id)
    return NestedField(field_id, name, field_type, required, doc, initial, write)


def _check_unknown(field_type: IcebergType, required: bool, path: str, field_id: int) -> None:
    if required and isinstance(field_type, UnknownType):
        raise InvalidMetadataError(
            f"Cannot create required field with unknown type: {path}", path=path, field_id=field_id
        )


def _default(value: Mapping[str, Any], key: str, field_type: IcebergType, path: str, field_id: int) -> Any:
    default = value.get(key)
    if default is None:
        return None
    if isinstance(field_type, StructType) and isinstance(default, Mapping) and default:
        raise InvalidMetadataError(
            f"Invalid {key}: the default of a struct is null or {{}}, found {preview_json(default)}",
            path=path,
            field_id=field_id,
            hint="defaults of its fields belong to the fields",
        )
    try:
        return single_values.from_json(default, field_type)
    except ProjectorError as e:
        raise InvalidMetadataError(f"Invalid {key}: {e.message}", path=path, field_id=field_id) from None


def _get(value: Mapping[str, Any], key: str, where: str) -> Any:
    if key not in value:
        raise InvalidMetadataError(f"Cannot parse missing {key}: {preview_json(value)}", path=where or None)
    return value[key]


def is_int(value: Any) -> bool:
    """Return whether a JSON value is an integer of 32 bits."""
    return isinstance(value, int) and not isinstance(value, bool) and -MAX_INT - 1 <= value <= MAX_INT


def _id(value: Mapping[str, Any], key: str, where: str) -> int:
    found = _get(value, key, where)
    if not is_int(found):
        raise InvalidMetadataError(
            f"Cannot parse to an integer value: {key}: {preview_json(found)}", path=where or None
        )
    return int(found)


def _bool(value: Mapping[str, Any], key: str, where: str) -> bool:
    found = _get(value, key, where)
    if not isinstance(found, bool):
        raise InvalidMetadataError(f"Cannot parse to a boolean value: {key}: {preview_json(found)}", path=where or None)
    return found


def type_to_json(iceberg_type: IcebergType) -> str | dict[str, Any]:
    """Return the JSON form of a type, spelled as Java spells it (`decimal(9, 2)`)."""
    match iceberg_type:
        case StructType(fields):
            return {"type": "struct", "fields": [field_to_json(f) for f in fields]}
        case ListType():
            return {
                "type": "list",
                "element-id": iceberg_type.element_id,
                "element": type_to_json(iceberg_type.element_type),
                "element-required": iceberg_type.element_required,
            }
        case MapType():
            return {
                "type": "map",
                "key-id": iceberg_type.key_id,
                "key": type_to_json(iceberg_type.key_type),
                "value-id": iceberg_type.value_id,
                "value": type_to_json(iceberg_type.value_type),
                "value-required": iceberg_type.value_required,
            }
        case _:
            return str(iceberg_type)


def field_to_json(field: NestedField) -> dict[str, Any]:
    """Return the JSON object of a struct's field; doc and defaults only if it has them."""
    value: dict[str, Any] = {
        "id": field.field_id,
        "name": field.name,
        "required": field.required,
        "type": type_to_json(field.field_type),
    }
    if field.doc is not None:
        value["doc"] = field.doc
    if field.initial_default is not None:
        value["initial-default"] = single_values.to_json(field.initial_default, field.field_type)
    if field.write_default is not None:
        value["write-default"] = single_values.to_json(field.write_default, field.field_type)
    return value
