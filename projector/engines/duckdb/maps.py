"""Two forms of maps in DuckDB's SQL: as maps, or in parts, which are a struct of the keys and the values as lists.

DuckDB checks the keys of every map that it makes, one by one, which costs several times the reading of it. Where the
rows leave DuckDB as Arrow anyway they leave it in parts, and are joined there (`arrow_conform`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from projector.engines.duckdb.types import packed
from projector.schema.types import IcebergType, ListType, MapType, NestedField, StructType, UnknownType


@dataclass(frozen=True, slots=True)
class MapForm:
    """How maps are spelled.

    Parameters
    ----------
    type_of:
        The type that stands for a type, maps and all.
    value_of:
        A plain value of a type, as one of the type that stands for it.
    made:
        A map out of the SQL of its keys and of its values, both lists.
    keeps:
        Whether a map of a file is what it should be without being made anew.
    """

    type_of: Callable[[IcebergType], IcebergType]
    value_of: Callable[[Any, IcebergType], Any]
    made: Callable[[str, str], str]
    keeps: bool


_KEYS, _VALUES = "key", "value"


def _in_parts(iceberg_type: IcebergType) -> IcebergType:
    match iceberg_type:
        case StructType(fields):
            return StructType(tuple(replace(f, field_type=_in_parts(f.field_type)) for f in fields))
        case ListType(element_type=element_type):
            return replace(iceberg_type, element_type=_in_parts(element_type))
        case MapType():
            lists = _parts(
                ListType(0, _in_parts(iceberg_type.key_type)), ListType(0, _in_parts(iceberg_type.value_type))
            )
            return StructType(lists)
        case _:
            return iceberg_type


def _parts(keys: IcebergType, values: IcebergType) -> tuple[NestedField, NestedField]:
    return NestedField(1, _KEYS, keys), NestedField(2, _VALUES, values)


def _value_in_parts(value: Any, iceberg_type: IcebergType) -> Any:
    match iceberg_type:
        case _ if value is None:
            return None
        case StructType(fields):
            return {f.name: _value_in_parts(value.get(f.name), f.field_type) for f in fields}
        case ListType():
            return [_value_in_parts(item, iceberg_type.element_type) for item in value]
        case MapType():
            return {
                _KEYS: [_value_in_parts(key, iceberg_type.key_type) for key, _ in value],
                _VALUES: [_value_in_parts(item, iceberg_type.value_type) for _, item in value],
            }
        case _:
            return value


AS_MAPS = MapForm(lambda t: t, lambda value, _: value, lambda keys, values: f"map({keys}, {values})", keeps=True)
"""Maps as DuckDB's maps."""

IN_PARTS = MapForm(
    _in_parts,
    _value_in_parts,
    lambda keys, values: packed(_parts(UnknownType(), UnknownType()), [keys, values]),
    keeps=False,
)
"""Maps as structs of two lists."""
