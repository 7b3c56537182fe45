"""Two forms of maps in DuckDB's SQL: as DuckDB maps, or in parts: a struct of two lists, the keys and the values.

DuckDB checks the keys of every map that it builds, one by one, which costs several times as much as reading them. Rows
that leave DuckDB as Arrow leave it in parts; `engines/arrow/conform.py` joins the parts to maps.
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
        Returns the type that represents an Iceberg type, maps inside it included.
    value_of:
        Returns a plain value of an Iceberg type as a value of the type that represents it.
    build:
        Returns the SQL of a map, from the SQL of its keys and of its values, both lists.
    keeps:
        Whether a map column of a file can be used as it is, without being rebuilt.
    """

    type_of: Callable[[IcebergType], IcebergType]
    value_of: Callable[[Any, IcebergType], Any]
    build: Callable[[str, str], str]
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
