"""Find the columns that a change can affect: those that differ in the schema or in the plan of some shape of file."""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.values.proof import proved_columns
from projector.schema.schema import Schema


def affected_columns(before: TableState, after: TableState) -> frozenset[int]:
    """Return the ids of the top-level columns that differ in the schema or in the plan of some shape of file."""
    both = {f.field_id for f in before.schema.fields} & {f.field_id for f in after.schema.fields}
    differing = set(_unequal(before.schema, after.schema))
    for (_, one), (_, other) in zip(before.plans, after.plans, strict=True):
        differing |= both - proved_columns(one, other)
    return frozenset(differing)


def _unequal(before: Schema, after: Schema) -> Iterator[int]:
    were = {field.field_id: field for field in before.fields}
    now = {field.field_id: field for field in after.fields}
    for field_id in were.keys() | now.keys():
        if were.get(field_id) != now.get(field_id):
            yield field_id
