"""Prove that a change cannot alter columns: the plans before and after yield them from the same place in the same way.

This is a proof, not a sample: nothing has to be read. It uses the very plans that files are read with.
"""

from __future__ import annotations

from typing import Any

from projector.projection.plan import Constant, MetadataColumn, Null, Plan, Read


def proved_columns(before: Plan, after: Plan) -> frozenset[int]:
    """Return the ids of the top-level columns of both plans that read the same values, under any name."""
    were, now = _sources(before), _sources(after)
    return frozenset(top for top in were.keys() & now.keys() if were[top] == now[top])


def _sources(plan: Plan) -> dict[int, list[Any]]:
    """Return, for each top-level column, where it and the fields inside come from, without names."""
    found: dict[int, list[Any]] = {}
    tops = {field.field_id for field in plan.schema.fields}
    current: list[Any] = []
    for node in plan.walk():
        if node.field.field_id in tops:
            current = found.setdefault(node.field.field_id, [])
        cast = node.cast if isinstance(node, Read | MetadataColumn) else None
        kind = None if isinstance(node, Null) else node.field.field_type.short_name
        value = repr(node.value) if isinstance(node, Constant) else None
        current.append((node.field.field_id, type(node), node.origin, kind, node.place, cast, value))
    return found
