"""Maps that leave DuckDB in parts: the same maps as any other executor gives, keys that come twice among them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from projector.engines.arrow.conform import conform
from projector.engines.duckdb.maps import IN_PARTS
from projector.engines.duckdb.types import duckdb_type
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, ListType, LongType, MapType, NestedField, StringType, StructType
from tests.planning.tables import TableBuilder

PARTS = pa.struct([("key", pa.list_(pa.string())), ("value", pa.list_(pa.int32()))])
MAP = pa.map_(pa.string(), pa.int32())


def item(kind: type[IntegerType] | type[LongType], name: str) -> StructType:
    return StructType((NestedField(11, name, kind()),))


def schema(kind: type[IntegerType] | type[LongType], name: str) -> Schema:
    inner = MapType(5, StringType(), 6, item(kind, name))
    return Schema(
        (
            NestedField(1, "m", MapType(2, StringType(), 3, IntegerType() if kind is IntegerType else LongType())),
            NestedField(4, "lists", ListType(7, inner)),
            NestedField(
                8, "deep", StructType((NestedField(9, "m", MapType(20, StringType(), 21, inner_of(kind, name))),))
            ),
        )
    )


def inner_of(kind: type[IntegerType] | type[LongType], name: str) -> MapType:
    return MapType(22, StringType(), 23, StructType((NestedField(24, name, kind()),)))


ROWS = [
    {
        "m": [("a", 1), ("a", 2), ("b", None)],
        "lists": [[("k", {"old": 1}), ("k", {"old": 2})], None, []],
        "deep": {"m": [("x", [("y", {"old": 3})]), ("z", None)]},
    },
    {"m": None, "lists": None, "deep": None},
    {"m": [], "lists": [], "deep": {"m": None}},
]


def test_changed_maps_keep_keys_that_come_twice(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, schema(IntegerType, "old"), 2)
    table.append(ROWS)
    table.evolve(schema(LongType, "new"))
    scan = table.load().scan()
    assert scan.to_arrow("duckdb") == scan.to_arrow("rows")
    assert scan.to_arrow("duckdb")["m"].to_pylist()[0] == [("a", 1), ("a", 2), ("b", None)]


def test_types() -> None:
    kind = MapType(1, StringType(), 2, ListType(3, MapType(4, IntegerType(), 5, LongType())))
    inner = 'STRUCT("key" INTEGER[], "value" BIGINT[])'
    assert duckdb_type(IN_PARTS.type_of(kind)) == f'STRUCT("key" VARCHAR[], "value" {inner}[][])'
    assert IN_PARTS.value_of([("a", [[(1, 2)]])], kind) == {"key": ["a"], "value": [[{"key": [1], "value": [2]}]]}
    assert IN_PARTS.value_of(None, kind) is None


def test_keys_and_values_become_a_map() -> None:
    parts = pa.array(
        [None, {"key": [], "value": []}, {"key": ["a", "a"], "value": [1, None]}, {"key": ["b"], "value": [3]}], PARTS
    )
    want = [None, [], [("a", 1), ("a", None)], [("b", 3)]]
    assert conform(parts, MAP).to_pylist() == want
    assert conform(parts.slice(2), MAP).to_pylist() == want[2:]
    assert conform(parts.slice(0, 0), MAP).to_pylist() == []


@pytest.mark.parametrize("value", [{"key": ["a"], "value": [1, 2]}, {"key": [None], "value": [1]}])
def test_what_is_no_map_is_refused(value: object) -> None:
    with pytest.raises(pa.ArrowInvalid):
        conform(pa.array([value], PARTS), MAP)
