"""Where in a schema a field is, for rules that care."""

from __future__ import annotations

from projector.schema.schema import Schema
from projector.schema.types import MapType


def in_map_key(schema: Schema, field_id: int) -> bool:
    """Whether a field is the key of a map, or inside one."""
    while field_id in schema.parents_by_id:
        above = schema.parents_by_id[field_id]
        holder = schema.fields_by_id[above].field_type
        if isinstance(holder, MapType) and holder.key_id == field_id:
            return True
        field_id = above
    return False
