"""Assign fresh field ids, in Java's order, to types whose ids are placeholders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from projector.schema.types import IcebergType, NestedField, children, rebuild


def assign_fresh_ids(iceberg_type: IcebergType, next_id: Callable[[], int]) -> IcebergType:
    """Return the type with every id replaced by one of `next_id`.

    All fields of a struct come first, then their children, in order; a list's element, a map's key and then its
    value come before their children. A type without child fields stays as it is.
    """
    fields = children(iceberg_type)
    if not fields:
        return iceberg_type
    ids = [next_id() for _ in fields]
    return rebuild(iceberg_type, tuple(_assigned(f, i, next_id) for f, i in zip(fields, ids, strict=True)))


def _assigned(field: NestedField, field_id: int, next_id: Callable[[], int]) -> NestedField:
    return replace(field, field_id=field_id, field_type=assign_fresh_ids(field.field_type, next_id))
