"""Which columns a change can touch: those it names, and those that some shape of file now gives from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from projector.check.state import TableState
from projector.projection.plan import Plan
from projector.schema.schema import Schema


def involved_columns(before: TableState, after: TableState) -> frozenset[int]:
    """Ids of the top-level columns, before or after, that differ in the schema or in the plan of some shape."""
    differing = set(_unequal(before.schema, after.schema))
    for (_, one), (_, other) in zip(before.plans, after.plans, strict=True):
        was, now = _sources(one), _sources(other)
        differing |= {top for top in was.keys() & now.keys() if was[top] != now[top]}
    return frozenset(differing)


def _unequal(before: Schema, after: Schema) -> Iterator[int]:
    were = {field.field_id: field for field in before.fields}
    now = {field.field_id: field for field in after.fields}
    for field_id in were.keys() | now.keys():
        if were.get(field_id) != now.get(field_id):
            yield field_id


def _sources(plan: Plan) -> dict[int, list[Any]]:
    """For each top-level column, where it and all in it come from, whatever they are called."""
    found: dict[int, list[Any]] = {}
    tops = {field.field_id for field in plan.schema.fields}
    current: list[Any] = []
    for node in plan.walk():
        if node.field.field_id in tops:
            current = found.setdefault(node.field.field_id, [])
        place, cast = getattr(node, "place", None), getattr(node, "cast", None)
        current.append((node.field.field_id, type(node), node.origin, place, cast, repr(getattr(node, "value", None))))
    return found
