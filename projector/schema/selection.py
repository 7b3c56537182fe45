"""Select columns: prune a schema to names and paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from projector.errors import NotFoundError
from projector.schema.schema import Schema
from projector.schema.types import IcebergType, ListType, MapType, NestedField, StructType

ALL = "*"


def select(schema: Schema, selected_fields: Sequence[str | Sequence[str]], case_sensitive: bool = True) -> Schema:
    """Return the selected part of a schema, in the schema's order and spelling.

    Parameters
    ----------
    selected_fields:
        Dotted names (a literal name with a dot in it wins over a path) and tuples, which are always paths. `"*"`
        is every column. `l.x` and `l.element.x` are field x of the structs in a list l, and `m.x` and `m.value.x` of
        those in a map m. Selecting a nested field keeps only it in its parents; selecting a parent keeps
        all of it. A map always keeps its whole key; selecting from the key alone keeps the whole map.
    case_sensitive:
        Whether names match with regard to case.

    Raises `NotFoundError` for a name that the schema does not have, or has more than once without regard to case.
    """
    if isinstance(selected_fields, str):
        selected_fields = (selected_fields,)
    if ALL in selected_fields:
        return schema
    chosen = {_find(schema, name, case_sensitive) for name in selected_fields}
    fields = tuple(kept for f in schema.fields if (kept := _pruned(f, chosen)) is not None)
    pruned = Schema(fields, schema.schema_id)
    identifiers = tuple(i for i in schema.identifier_field_ids if i in pruned.fields_by_id)
    return replace(pruned, identifier_field_ids=identifiers)


def _find(schema: Schema, name: str | Sequence[str], case_sensitive: bool) -> int:
    field_id = schema.find_id(name if isinstance(name, str) else tuple(name), case_sensitive)
    if field_id is not None:
        return field_id
    shown = name if isinstance(name, str) else ".".join(name)
    raise NotFoundError(f"Cannot find column {shown!r} in schema {schema.schema_id}", hint=schema.suggestion(shown))


def _pruned(field: NestedField, chosen: set[int]) -> NestedField | None:
    """Return the field with its selected children, or None if nothing in it is selected."""
    if field.field_id in chosen:
        return field
    pruned_type = _pruned_type(field.field_type, chosen)
    if pruned_type is None:
        return None
    return field if pruned_type is field.field_type else field.with_type(pruned_type)


def _pruned_type(iceberg_type: IcebergType, chosen: set[int]) -> IcebergType | None:
    match iceberg_type:
        case StructType(fields):
            kept = tuple(k for f in fields if (k := _pruned(f, chosen)) is not None)
            return StructType(kept) if kept else None
        case ListType():
            element = _pruned(iceberg_type.element, chosen)
            return replace(iceberg_type, element_type=element.field_type) if element else None
        case MapType():
            value = _pruned(iceberg_type.value, chosen)
            if value is not None:
                return replace(iceberg_type, value_type=value.field_type)
            return iceberg_type if _pruned(iceberg_type.key, chosen) is not None else None
        case _:
            return None
