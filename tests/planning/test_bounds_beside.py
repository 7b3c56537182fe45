"""What bounds alone tell of a file, its facts tell too, whatever a manifest says of it."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projector.metadata.manifests.model import DataFile, FileContent, Metrics
from projector.planning.filters.bind import bind
from projector.planning.filters.parser import parse_filter
from projector.planning.pruning.metrics_facts import file_facts
from projector.planning.pruning.metrics_fast import told_by_bounds
from projector.planning.pruning.outcomes import might_match
from projector.planning.pruning.unread_columns import or_unread
from projector.schema.binary_values import encode_bound
from projector.schema.schema import Schema
from projector.schema.types import (
    DoubleType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    UUIDType,
)
from tests.planning import filters

IDS = (1, 3)


def schema(column_type: IcebergType, default: Any = None) -> Schema:
    """`c`, and the same type in an optional struct: `s.x`."""
    inside = StructType((NestedField(3, "x", column_type),))
    return Schema((NestedField(1, "c", column_type, initial_default=default), NestedField(2, "s", inside)))


def data_file(rows: int, maps: Mapping[str, Mapping[int, Any]]) -> DataFile:
    stored = {name: [{"key": i, "value": value} for i, value in pairs.items()] for name, pairs in maps.items()}
    return DataFile(FileContent.DATA, "f.parquet", "PARQUET", 0, {}, {}, rows, 100, Metrics(stored))


@st.composite
def data_files(draw: st.DrawFn, column_type: IcebergType) -> DataFile:
    """Files whose counts and bounds mostly make sense, in pairs or alone."""
    value = filters.values(column_type).map(lambda v: encode_bound(v, column_type))
    bound = value | value | st.none() | st.binary(max_size=8)
    rows = draw(st.integers(0, 3))
    count = st.sampled_from([None, 0, 0, rows, rows]) | st.integers(-1, 4)
    of = {"value_counts": count, "null_value_counts": count, "nan_value_counts": count}
    of |= {"lower_bounds": bound, "upper_bounds": bound}
    drawn = {name: {i: draw(what) for i in IDS} for name, what in of.items()}
    return data_file(rows, {name: {i: v for i, v in pairs.items() if v is not None} for name, pairs in drawn.items()})


@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_the_facts_tell_it_too(data: st.DataObject) -> None:
    column_type = data.draw(st.sampled_from(filters.TYPES), "type")
    column = schema(column_type, data.draw(st.none() | filters.values(column_type), "default"))
    bound = bind(data.draw(filters.filters(column_type), "filter"), column)
    lies_beside = told_by_bounds(bound, column, ())
    for file in data.draw(st.lists(data_files(column_type), min_size=1, max_size=4), "files"):
        if lies_beside(file):
            facts = file_facts(file)
            assert not might_match(bound, facts)
            assert not might_match(bound, or_unread(facts, column))


SOME_VALUES = {
    LongType(): (1, 2, 3),
    DoubleType(): (1.0, 2.0, float("inf")),
    StringType(): ("a" * 16, "a" * 17, "b"),
}
FILTERS = ("c {op} {x}", "c {op} {x} AND s.x >= {y}", "c {op} {x} OR c = {y}", "c IN ({x}, {y})")


@pytest.mark.parametrize("with_default", [False, True])
@pytest.mark.parametrize("column_type", SOME_VALUES, ids=str)
def test_the_facts_tell_it_too_of_every_small_file(column_type: IcebergType, with_default: bool) -> None:
    some = SOME_VALUES[column_type]
    column = schema(column_type, some[1] if with_default else None)
    spelled = [f"'{value}'" if isinstance(value, str) else str(value) for value in (some[0], some[1], some[-1])]
    spelled = [text.replace("inf", "9.0") for text in spelled]
    texts = {f.format(op=op, x=x, y=spelled[1]) for f in FILTERS for op in ("=", "!=", "<", ">=", ">") for x in spelled}
    bounds = [encode_bound(value, column_type) for value in some]
    count = (None, 0, 1, 2)
    names = ("lower_bounds", "upper_bounds", "value_counts", "null_value_counts", "nan_value_counts")
    files = [
        data_file(
            2, {name: dict.fromkeys(IDS, value) for name, value in zip(names, each, strict=True) if value is not None}
        )
        for each in itertools.product(
            bounds, bounds, (None, 1, 2), count, count[: 3 if column_type == DoubleType() else 1]
        )
    ]
    told_of = 0
    for bound in (bind(parse_filter(text), column) for text in sorted(texts)):
        lies_beside = told_by_bounds(bound, column, ())
        for file in filter(lies_beside, files):
            told_of += 1
            assert not might_match(bound, or_unread(file_facts(file), column)), (str(bound), file.metrics)
    assert with_default or told_of > 100


def told(
    row_filter: str,
    column_type: IcebergType,
    low: Any,
    high: Any,
    *,
    default: Any = None,
    untold: Collection[int] = (),
    **counts: int,
) -> bool:
    """What bounds tell of a file of four rows."""
    column = schema(column_type, default)
    maps = {"lower_bounds": low, "upper_bounds": high}
    pairs = {name: dict.fromkeys(IDS, encode_bound(value, column_type)) for name, value in maps.items()}
    file = data_file(4, {**pairs, **{name: dict.fromkeys(IDS, count) for name, count in counts.items()}})
    return told_by_bounds(bind(parse_filter(row_filter), column), column, untold)(file)


@pytest.mark.parametrize(
    "row_filter", ["c = 9", "c < 10 AND c < 9", "c > 21", "c >= 21", "c IN (1, 9)", "s.x = 21", "c > 11 AND s.x <= 9"]
)
def test_values_that_bounds_lie_beside(row_filter: str) -> None:
    assert told(row_filter, LongType(), 10, 20)


@pytest.mark.parametrize("row_filter", ["c = 10", "c != 30", "c <= 10", "c IN (9, 21)", "c = 9 OR c = 8", "c IS NULL"])
def test_what_is_left_to_the_facts(row_filter: str) -> None:
    assert not told(row_filter, IntegerType(), 10, 20)


def test_bounds_that_are_not_all_there_is() -> None:
    assert told("c = 9", LongType(), 10, 20, value_counts=4, null_value_counts=3)
    assert not told("c = 9", LongType(), 10, 20, untold={1})
    assert not told("c = 9", LongType(), 10, 20, default=9)  # which a file may turn out to read as
    assert not told("c = 9", LongType(), 10, 20, value_counts=4, null_value_counts=4)  # no value, yet bounds
    assert not told("c = 9", LongType(), 20, 10)


def test_nan_is_greater_than_a_bound() -> None:
    assert told("c > 3.0", DoubleType(), 1.0, 2.0, nan_value_counts=0)
    assert not told("c > 3.0", DoubleType(), 1.0, 2.0, nan_value_counts=1)
    assert not told("c > 3.0", DoubleType(), 1.0, 2.0)


def test_a_bound_may_be_the_beginning_of_a_value() -> None:
    assert told(f"c = '{'b' * 17}'", StringType(), "a" * 16, "a" * 16)
    assert not told(f"c = '{'a' * 17}'", StringType(), "a" * 16, "a" * 16)


def test_uuids_have_two_orders() -> None:
    low, high = UUID(int=1), UUID(int=2)
    assert not told(f"c = '{UUID(int=2**127)}'", UUIDType(), low, high)
