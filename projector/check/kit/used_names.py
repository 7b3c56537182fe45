"""Which columns have gone by which names, in every schema that a table has had."""

from __future__ import annotations

from projector.check.evidence.state import TableState
from projector.schema.schema import Schema

Level = int | None
"""The id of the field whose struct, list or map holds a field; None for the top."""


def level_of(schema: Schema, field_id: int) -> Level:
    """The level that a field is at in a schema."""
    return schema.parents_by_id.get(field_id)


def last_path(state: TableState, field_id: int) -> str | None:
    """The dotted path that a field has, or had in the last schema that has it; None where no schema knows it."""
    for schema in (state.schema, *reversed(tuple(state.history.values()))):
        if field_id in schema.paths_by_id:
            return ".".join(schema.paths_by_id[field_id])
    return None


def sanitized(name: str) -> str:
    """A name as Iceberg's writers spell it in Avro and Parquet: letters, digits and underscores, no digit first.

    Java goes by UTF-16 units, so what lies beyond 16 bits is spelt as two of them.
    """
    data = name.encode("utf-16-be", "surrogatepass")
    units = [int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2)]
    return "".join(_spelt(unit, first=i == 0) for i, unit in enumerate(units))


def _spelt(unit: int, *, first: bool) -> str:
    character = chr(unit)
    if character == "_" or character.isalpha() or (character.isdecimal() and not first):
        return character
    return f"_{character}" if character.isdecimal() else f"_x{unit:X}"
