"""Ask where a field is in a schema: in a map key, in a list or map, in nested ones."""

from __future__ import annotations

from projector.schema.schema import Schema
from projector.schema.types import ListType, MapType, StructType


def in_map_key(schema: Schema, field_id: int) -> bool:
    """Return whether a field is the key of a map, or inside one."""
    while field_id in schema.parents_by_id:
        above = schema.parents_by_id[field_id]
        holder = schema.fields_by_id[above].field_type
        if isinstance(holder, MapType) and holder.key_id == field_id:
            return True
        field_id = above
    return False


def in_collection(schema: Schema, field_id: int) -> bool:
    """Return whether a field is inside a list or map, at any depth."""
    while field_id in schema.parents_by_id:
        field_id = schema.parents_by_id[field_id]
        if not isinstance(schema.fields_by_id[field_id].field_type, StructType):
            return True
    return False


def in_nested_collections(schema: Schema, field_id: int) -> bool:
    """Return whether a field is inside a list or map that is itself the element of a list or map."""
    while field_id in schema.parents_by_id:
        above = schema.parents_by_id[field_id]
        if all(isinstance(schema.fields_by_id[i].field_type, ListType | MapType) for i in (field_id, above)):
            return True
        field_id = above
    return False
