"""Render two schemas side by side, as trees with field ids."""

from __future__ import annotations

from collections.abc import Iterator

from projector.schema.schema import Schema
from projector.schema.single_values import format_value
from projector.schema.types import NestedField


def side_by_side(before: Schema, after: Schema) -> list[str]:
    """Return lines of two columns: the fields of `after` in order, each beside its old form, then the dropped fields.

    A sign in front marks a field as new (`+`), dropped (`-`) or changed (`~`).
    """
    old = {field.field_id: (depth, field) for depth, field in _tree(before)}
    rows: list[tuple[str, str, str]] = []
    seen = set()
    for depth, field in _tree(after):
        seen.add(field.field_id)
        now = _line(depth, field)
        if field.field_id not in old:
            rows.append(("+", "", now))
            continue
        was = _line(*old[field.field_id])
        rows.append((" " if was == now else "~", was, now))
    rows += [("-", _line(depth, field), "") for i, (depth, field) in old.items() if i not in seen]
    width = max((len(was) for _, was, _ in rows), default=0)
    return [f"{sign} {was.ljust(width)}   {now}".rstrip() for sign, was, now in rows]


def _tree(schema: Schema) -> Iterator[tuple[int, NestedField]]:
    return ((len(path) - 1, field) for path, field in schema.walk())


def _line(depth: int, field: NestedField) -> str:
    shape = field.field_type.short_name
    text = f"{'  ' * depth}{field.field_id}: {field.name} {'required ' if field.required else ''}{shape}"
    if field.initial_default is not None:
        text += f" initially {format_value(field.initial_default, field.field_type)}"
    if field.write_default is not None and field.write_default != field.initial_default:
        text += f" default {format_value(field.write_default, field.field_type)}"
    return text
