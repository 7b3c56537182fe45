"""Look up names that columns have had, in every schema of a table."""

from __future__ import annotations

from projector.check.evidence.state import TableState
from projector.schema.schema import Schema


def level_of(schema: Schema, field_id: int) -> int | None:
    """Return the id of the field whose struct, list or map holds a field; None for a top-level column."""
    return schema.parents_by_id.get(field_id)


def last_path(state: TableState, field_id: int) -> str | None:
    """Return the dotted path of a field in the newest schema that has it; None if no schema has it."""
    for schema in (state.schema, *reversed(tuple(state.history.values()))):
        if field_id in schema.paths_by_id:
            return ".".join(schema.paths_by_id[field_id])
    return None


def sanitized(name: str) -> str:
    """Return a name as Iceberg's writers spell it in Avro and Parquet: letters, digits, underscores; no digit first.

    Java works on UTF-16 units, so a character beyond 16 bits is spelled as two of them.
    """
    data = name.encode("utf-16-be", "surrogatepass")
    units = [int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2)]
    return "".join(_spelled(unit, first=i == 0) for i, unit in enumerate(units))


def _spelled(unit: int, *, first: bool) -> str:
    character = chr(unit)
    if character == "_" or character.isalpha() or (character.isdecimal() and not first):
        return character
    return f"_{character}" if character.isdecimal() else f"_x{unit:X}"
