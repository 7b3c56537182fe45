"""Probes: columns that are read besides the selected ones to decide which rows to keep, and are then dropped.

A probe is one field at any struct depth, requested as a separate top-level column: its parents hold only this field,
and its name does not occur in the schema. So a filter or an equality delete finds its columns by place, however the
selection is pruned.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from projector.errors import InvalidMetadataError
from projector.schema.schema import Schema
from projector.schema.types import NestedField, StructType

_MARK = "\0"
_MARKED = re.compile(_MARK + r"\d+(?=\.|$)")


@dataclass(frozen=True, slots=True)
class Probe:
    """A field that is read to decide about rows.

    Parameters
    ----------
    field_id:
        The field.
    column:
        The top-level column to request: the field itself, or the structs down to it with no other children.
    path:
        Names of the structs' children from the column down to the field; empty if the column is the field.
    """

    field_id: int
    column: NestedField
    path: tuple[str, ...] = ()


def probe(schema: Schema, field_id: int, *, optional: bool = False) -> Probe:
    """Return a probe for a field of a schema.

    Parameters
    ----------
    optional:
        Whether the field may be null whatever the schema says, as for the keys of equality deletes.

    Raises `InvalidMetadataError` for a field inside a list or map.
    """
    chain = [schema.fields_by_id[field_id]]
    while (parent := schema.parents_by_id.get(chain[0].field_id)) is not None:
        chain.insert(0, schema.fields_by_id[parent])
    if any(not isinstance(f.field_type, StructType) for f in chain[:-1]):
        raise InvalidMetadataError(
            "A field inside a list or map does not decide about rows",
            path=schema.name_of(field_id),
            field_id=field_id,
        )
    leaf = chain[-1]
    column = leaf.with_type(StructType(())) if isinstance(leaf.field_type, StructType) else leaf
    if optional:
        column = replace(column, required=False)
    for parent_field in reversed(chain[:-1]):
        column = parent_field.with_type(StructType((column,)))
        if optional:
            column = replace(column, required=False)
    return Probe(field_id, replace(column, name=f"{column.name}{_MARK}{field_id}"), tuple(f.name for f in chain[1:]))


def user_path(path: str) -> str:
    """Return a path of a plan as users know it: without the suffix that makes a probe's column name unique."""
    return _MARKED.sub("", path)


def with_probes(schema: Schema, probes: Sequence[Probe]) -> Schema:
    """Return the columns of a schema, followed by those of the probes."""
    return replace(schema, fields=(*schema.fields, *(p.column for p in probes))) if probes else schema


def key_probe(schema: Schema, field_id: int, history: Mapping[int, Schema]) -> Probe:
    """Return a probe for a field that equality deletes compare.

    Parameters
    ----------
    schema:
        The schema of the scan before selection.
    history:
        Every schema of the table by id. A field that `schema` lacks was dropped, or does not exist yet: the newest
        schema
        that has it defines it.

    Raises `InvalidMetadataError` for a field that no schema has, or whose values cannot be compared.
    """
    having = (
        [schema] if field_id in schema.fields_by_id else [s for s in history.values() if field_id in s.fields_by_id]
    )
    if not having:
        raise InvalidMetadataError(
            f"An equality delete compares field id {field_id}, which no schema of the table has", field_id=field_id
        )
    newest = max(having, key=lambda s: s.schema_id)
    field_type = newest.fields_by_id[field_id].field_type
    if not field_type.is_primitive:
        raise InvalidMetadataError(
            f"An equality delete compares a {field_type}, but only primitive values are compared",
            path=newest.name_of(field_id),
            field_id=field_id,
        )
    return probe(newest, field_id, optional=True)
