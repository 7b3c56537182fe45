"""Update the table properties that follow a schema change: the name mapping, and properties that name a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from projector.errors import ProjectorError
from projector.evolution.apply.schema import Applied
from projector.schema.name_mapping import NAME_MAPPING_PROPERTY, NameMapping, update_mapping
from projector.schema.schema import Schema

COLUMN_PROPERTY_PREFIXES = (
    "write.metadata.metrics.column.",
    "write.parquet.bloom-filter-enabled.column.",
    "write.parquet.stats-enabled.column.",
)
"""The properties that Java moves to a column's new name, and drops with the column. It follows no others."""


def followed_properties(properties: Mapping[str, str], base: Schema, steps: Sequence[Applied]) -> dict[str, str]:
    """Return the table's properties after a schema update, as Java updates them.

    Only columns named in the change are followed: properties of fields inside a renamed or dropped struct do not
    change.
    """
    followed = dict(properties)
    mapping = _readable_mapping(properties)
    updated = mapping
    for step in steps:
        updated = None if updated is None else _followed_mapping(updated, step)
        followed = _follow_columns(followed, base, step)
        base = step.schema
    if updated is not None and updated != mapping:
        followed[NAME_MAPPING_PROPERTY] = updated.to_json()
    return followed


def _readable_mapping(properties: Mapping[str, str]) -> NameMapping | None:
    """Return the name mapping. One that cannot be read is left alone, as in Java; the check reports it."""
    text = properties.get(NAME_MAPPING_PROPERTY)
    try:
        return None if text is None else NameMapping.from_json(text)
    except ProjectorError:
        return None


def _followed_mapping(mapping: NameMapping, step: Applied) -> NameMapping:
    """Return the mapping after a step; unchanged if it cannot follow the step."""
    adds = {parent: [step.updated[field_id] for field_id in ids] for parent, ids in step.added.items()}
    try:
        return update_mapping(mapping, step.updated, adds)
    except ProjectorError:
        return mapping


def _follow_columns(properties: dict[str, str], base: Schema, step: Applied) -> dict[str, str]:
    dropped = {base.name_of(field_id) for field_id in step.deleted}
    renamed = {
        base.name_of(field_id): step.schema.name_of(field_id)
        for field_id in step.updated
        if field_id in base.fields_by_id and base.name_of(field_id) != step.schema.name_of(field_id)
    }
    followed: dict[str, str] = {}
    for key, value in properties.items():
        prefix = next((p for p in COLUMN_PROPERTY_PREFIXES if key.startswith(p)), None)
        column = None if prefix is None else key.removeprefix(prefix)
        if column in renamed:
            followed[f"{prefix}{renamed[column]}"] = value
        elif column is None or column not in dropped:
            followed[key] = value
    return followed
