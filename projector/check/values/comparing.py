"""What rows must be after a change, from the rows before it; and where two readings differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from projector.check.values.reading import Row
from projector.engines.plain import same_value
from projector.schema.promotions import promote_value
from projector.schema.schema import Schema
from projector.schema.types import IcebergType, ListType, MapType, NestedField, StructType

_LONGEST = 120


def expected_row(row: Row, before: Schema, after: Schema) -> Row:
    """A row under the schema after, from the row under the schema before: by field id, promoted, with defaults.

    Raises `ProjectionError` for a value outside the range of the type it is promoted to.
    """
    found = _struct(row, before.as_struct(), after.as_struct())
    assert found is not None
    return found


def _struct(value: Row | None, before: StructType, after: StructType) -> Row | None:
    if value is None:
        return None
    were = {field.field_id: field for field in before.fields}
    return {
        field.name: _value(value[was.name], was.field_type, field.field_type)
        if (was := were.get(field.field_id)) is not None
        else default_of(field)
        for field in after.fields
    }


def _value(value: Any, before: IcebergType, after: IcebergType) -> Any:
    if value is None:
        return None
    match before, after:
        case StructType(), StructType():
            return _struct(value, before, after)
        case ListType(), ListType():
            return [_value(item, before.element_type, after.element_type) for item in value]
        case MapType(), MapType():
            keys = ((_value(k, before.key_type, after.key_type), v) for k, v in value)
            return [(k, _value(v, before.value_type, after.value_type)) for k, v in keys]
        case _:
            return promote_value(value, before, after)


def default_of(field: NestedField) -> Any:
    """What a row that was written before a field has in it (spec: Default values)."""
    if isinstance(field.field_type, StructType) and field.initial_default is not None:
        return {child.name: default_of(child) for child in field.field_type.fields}
    return field.initial_default


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two readings of a column differ.

    Parameters
    ----------
    field_id, path:
        The top-level column; None where the number of rows differs.
    row:
        The row in the file, from 0.
    expected, found:
        The two values as text.
    count:
        Rows in which the column differs.
    """

    field_id: int | None
    path: str | None
    row: int | None
    expected: str
    found: str
    count: int


def differences(expected: Sequence[Row], found: Sequence[Row], schema: Schema) -> Iterator[Difference]:
    """Where rows under one schema differ, a column each; the order of the rows counts unless only it differs."""
    if len(expected) != len(found):
        yield Difference(
            None, None, None, f"{len(expected)} rows", f"{len(found)} rows", abs(len(expected) - len(found))
        )
        return
    wrong = [i for i, (one, other) in enumerate(zip(expected, found, strict=True)) if not same_value(one, other)]
    if not wrong or sorted(map(repr, expected)) == sorted(map(repr, found)):
        return
    for field in schema.fields:
        places = [i for i in wrong if not same_value(expected[i].get(field.name), found[i].get(field.name))]
        if places:
            one, other = expected[places[0]].get(field.name), found[places[0]].get(field.name)
            yield Difference(field.field_id, field.name, places[0], shown(one), shown(other), len(places))


def shown(value: Any) -> str:
    """A plain value as text, cut to a length that a report can show."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
