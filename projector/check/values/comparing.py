"""What rows must be after a change, from the rows before it; and where two readings differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from projector.check.values.reading import ORACLE, Failed, Outcome, Row
from projector.engines.plain import same_value
from projector.errors import ProjectorError
from projector.planning.expressions import Expression
from projector.schema.promotions import promote_value
from projector.schema.schema import Schema
from projector.schema.types import IcebergType, ListType, MapType, NestedField, StructType

PLANNING = "planning"
"""Who is at fault where a file is passed over by its bounds or its partition."""

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


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One difference, and where it was seen.

    Parameters
    ----------
    engine:
        The engine that read the rows that are not as expected.
    file:
        The file; None for a filter over several.
    row_filter:
        The filter, as text.
    failure:
        Why rows could not be read at all; then there is no difference to show.
    """

    engine: str
    difference: Difference
    file: str | None = None
    row_filter: str | None = None
    failure: str | None = None


def failed(engine: str, reason: str, file: str | None = None, row_filter: str | None = None) -> Disagreement:
    """The disagreement of an engine that could not read rows that another one reads."""
    return Disagreement(engine, Difference(None, None, None, "rows", reason, 0), file, row_filter, reason)


def passed_over(file: str, row_filter: Expression) -> Disagreement:
    """The disagreement of planning, whatever the engine, that passes over a file with rows of a filter."""
    difference = Difference(None, None, None, "rows of the filter", "none, by the bounds or partition of the file", 1)
    return Disagreement(PLANNING, difference, file, str(row_filter))


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
    return _cut("null" if value is None else repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def engine_disagreements(
    expected: Outcome, found: Outcome, schema: Schema, engine: str, file: str
) -> Iterator[Disagreement]:
    """Where an engine gives other rows of a file than the oracle, or fails where that does not."""
    if isinstance(found, Failed):
        if not isinstance(expected, Failed):
            yield failed(engine, found.reason, file)
        return
    if isinstance(expected, Failed):
        refused = Difference(None, None, None, f"refused: {expected.reason}", f"{len(found)} rows", 0)
        yield Disagreement(engine, refused, file)
        return
    for difference in differences(expected, found, schema):
        yield Disagreement(engine, difference, file)


def change_disagreements(
    was: Outcome, now: Outcome, before: Schema, after: Schema, file: str
) -> Iterator[Disagreement]:
    """Where the oracle gives other rows after a change than those before it lead to."""
    if isinstance(was, Failed):
        return
    if isinstance(now, Failed):
        yield failed(ORACLE, now.reason, file)
        return
    try:
        expected = [expected_row(row, before, after) for row in was]
    except ProjectorError as error:
        yield failed(ORACLE, str(error), file)
        return
    for difference in differences(expected, now, after):
        yield Disagreement(ORACLE, difference, file)


def filter_disagreement(
    expected: Sequence[Row], found: Outcome, engine: str, row_filter: Expression
) -> Iterator[Disagreement]:
    """Where the rows of a filter that was pushed down are others than those of the same filter after a full read."""
    said = str(row_filter)
    if isinstance(found, Failed):
        yield failed(engine, found.reason, row_filter=said)
        return
    one, other = sorted(map(repr, expected)), sorted(map(repr, found))
    if one == other:
        return
    texts = f"{len(one)} rows", f"{len(other)} rows"
    if len(one) == len(other):
        texts = next((_cut(a), _cut(b)) for a, b in zip(one, other, strict=True) if a != b)
    count = abs(len(one) - len(other)) or 1
    yield Disagreement(engine, Difference(None, None, None, *texts, count), row_filter=said)
