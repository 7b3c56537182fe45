"""Arrays as other writers may hand them over: sliced, with bitmaps from anywhere, with values under nulls."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projector.engines.arrow.compile import compile_plan
from projector.engines.arrow.constants import Bound
from projector.engines.arrow.project import project_batch
from projector.engines.arrow.visibility import Rows, UnderList, UnderStruct, first_bad, visible
from projector.engines.plain_rows import same_value, to_plain_rows
from projector.engines.reference.project import project_row
from projector.errors import ProjectionError
from projector.files.parquet.file_schema import (
    FileColumn,
    FileKind,
    FileLeaf,
    FileList,
    FileMap,
    FileSchema,
    FileStruct,
)
from projector.projection.plan import Binding
from projector.projection.resolve import resolve
from projector.schema.schema import Schema
from projector.schema.types import IntegerType as Int
from projector.schema.types import ListType, LongType, MapType, NestedField, StringType, StructType
from projector.schema.types import TimestampNanoType as Nanos

UINT32 = FileLeaf(FileKind.INTEGER, "int32", bits=32, signed=False)
BYTES = FileLeaf(FileKind.BYTES, "byte_array")
DATE = FileLeaf(FileKind.DATE, "int32")
BIG = 2**32 - 1  # no int
FAR = 10**6  # days that no timestamp_ns holds


def projected(columns: list[pa.Array], shape: FileSchema, requested: Schema, kept: Any = None) -> pa.RecordBatch:
    compiled = compile_plan(resolve(requested, shape))
    batch = project_batch(compiled, columns, [], 0, len(columns[0]), kept, Bound(Binding("f")))
    batch.validate(full=True)
    return batch


STRUCT_SHAPE = FileSchema((FileColumn("s", FileStruct((FileColumn("x", UINT32, True, 2),)), True, 1),))
STRUCT = Schema((NestedField(1, "s", StructType((NestedField(2, "x", Int()),))),))


def test_a_value_under_a_null_struct_is_no_value() -> None:
    x = pa.array([1, BIG, 3], pa.uint32())
    s = pa.StructArray.from_arrays([x], names=["x"], mask=pa.array([False, True, False]))
    for array in (s, pa.concat_arrays([s, s])[1:4]):
        rows = to_plain_rows(projected([array], STRUCT_SHAPE, STRUCT), STRUCT)
        assert rows == to_plain_rows(pa.record_batch([array.cast(pa.struct([("x", pa.int64())]))], ["s"]), STRUCT)
    with pytest.raises(ProjectionError, match="4294967295"):
        projected([pa.StructArray.from_arrays([x], names=["x"])], STRUCT_SHAPE, STRUCT)


def test_a_value_of_a_row_that_is_not_read_is_no_value() -> None:
    s = pa.StructArray.from_arrays([pa.array([1, BIG, 3], pa.uint32())], names=["x"])
    batch = projected([s], STRUCT_SHAPE, STRUCT, kept=pa.array([True, False, True]))
    assert batch.column(0).to_pylist() == [{"x": 1}, {"x": 3}]


def test_text_under_a_null_struct_need_not_be_utf8() -> None:
    shape = FileSchema((FileColumn("s", FileStruct((FileColumn("x", BYTES, True, 2),)), True, 1),))
    schema = Schema((NestedField(1, "s", StructType((NestedField(2, "x", StringType()),))),))
    x = pa.array([b"a", b"\xff", b"c"])
    s = pa.StructArray.from_arrays([x], names=["x"], mask=pa.array([False, True, False]))
    assert projected([s], shape, schema).column(0).to_pylist() == [{"x": "a"}, None, {"x": "c"}]
    with pytest.raises(ProjectionError, match="invalid UTF-8"):
        projected([pa.StructArray.from_arrays([x], names=["x"])], shape, schema)


def test_elements_under_a_null_list_are_no_values() -> None:
    shape = FileSchema((FileColumn("l", FileList(FileColumn("element", DATE, True, 2)), True, 1),))
    schema = Schema((NestedField(1, "l", ListType(2, Nanos())),))
    values = pa.array([1, FAR, 2], pa.date32())
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3]), values, mask=pa.array([False, True, False]))
    found = projected([lists], shape, schema)
    day = 86_400 * 10**9
    assert to_plain_rows(found, schema) == [{"l": [day]}, {"l": None}, {"l": [2 * day]}]
    assert to_plain_rows(projected([lists[1:]], shape, schema), schema) == [{"l": None}, {"l": [2 * day]}]
    fixed = pa.FixedSizeListArray.from_arrays(values, 1, mask=pa.array([False, True, False]))
    assert to_plain_rows(projected([fixed], shape, schema), schema) == to_plain_rows(found, schema)
    large = lists.cast(pa.large_list(pa.date32()))
    for form in (large, fixed):
        assert to_plain_rows(projected([form[1:]], shape, schema), schema) == [{"l": None}, {"l": [2 * day]}]
        assert to_plain_rows(projected([form[1:2]], shape, schema), schema) == [{"l": None}]
        assert projected([form[:0]], shape, schema).num_rows == 0
    with pytest.raises(ProjectionError, match="1000000"):
        projected([pa.ListArray.from_arrays(pa.array([0, 1, 2, 3]), values)], shape, schema)


def test_visible_values_through_lists_of_structs() -> None:
    inner = pa.StructArray.from_arrays(
        [pa.array([1, 2, 3, 4])], names=["x"], mask=pa.array([False, True, False, False])
    )
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 3, 4]), inner, mask=pa.array([False, True, False]))
    offsets = pa.array([0, 2, 3, 4], pa.int32())
    above = UnderStruct(inner, UnderList(lists, offsets, Rows(None)))
    assert visible(above).to_pylist() == [True, False, False, True]
    assert first_bad(pa.array([False, True, True, True]), above) == 3
    none = UnderStruct(inner, UnderList(lists, offsets, Rows(pa.array([False, True, False]))))
    assert first_bad(pa.array([True, True, None, True]), none) is None
    assert visible(Rows()) is None


# One type that meets every nesting, over leaves whose casts can fail
MAP = FileMap(FileColumn("key", BYTES, False, 5), FileColumn("value", DATE, True, 6))
ELEMENT = FileStruct((FileColumn("x", UINT32, True, 3), FileColumn("m", MAP, True, 4)))
SHAPE = FileSchema((FileColumn("l", FileList(FileColumn("element", ELEMENT, True, 2)), True, 1),))
REQUESTED = Schema((
    NestedField(1, "list", ListType(2, StructType((
        NestedField(4, "map", MapType(5, StringType(), 6, Nanos())),
        NestedField(7, "new", LongType(), initial_default=5),
        NestedField(3, "x", Int()),
    )))),
))  # fmt: skip
FILE_TYPE = pa.list_(pa.struct([("x", pa.uint32()), ("m", pa.map_(pa.binary(), pa.date32()))]))


def random_lists(rng: random.Random, length: int) -> pa.Array:
    """Lists with anything under their nulls, sliced at every level."""

    def mask(n: int) -> pa.Array:
        return pa.array([rng.random() < 0.3 for _ in range(n)], pa.bool_())

    def offsets(n: int, most: int) -> list[int]:
        ends = [rng.randrange(3)]
        for _ in range(n):
            ends.append(ends[-1] + rng.randrange(most))
        return ends

    list_offsets = offsets(length, 4)
    structs = list_offsets[-1] + 2
    map_offsets = offsets(structs, 3)
    entries = map_offsets[-1] + 1
    struct_mask, list_mask, map_mask = mask(structs), mask(length), mask(structs)
    list_of = [
        next((i for i in range(length) if list_offsets[i] <= j < list_offsets[i + 1]), None) for j in range(structs)
    ]
    struct_of = [
        next((i for i in range(structs) if map_offsets[i] <= j < map_offsets[i + 1]), None) for j in range(entries)
    ]

    def hidden(j: int) -> bool:
        return struct_mask[j].as_py() or list_of[j] is None or list_mask[list_of[j]].as_py()

    def entry_hidden(j: int) -> bool:
        return struct_of[j] is None or map_mask[struct_of[j]].as_py() or hidden(struct_of[j])

    x = pa.array([BIG if hidden(j) else rng.choice((None, j)) for j in range(structs)], pa.uint32())
    keys = pa.array([b"\xff" if entry_hidden(j) else b"%d" % j for j in range(entries)], pa.binary())
    values = pa.array([FAR if entry_hidden(j) else rng.choice((None, j)) for j in range(entries)], pa.date32())
    maps = pa.MapArray.from_arrays(pa.array(map_offsets, pa.int32()), keys, values, mask=map_mask)
    inner = pa.StructArray.from_arrays([x, maps], names=["x", "m"], mask=struct_mask)
    return pa.ListArray.from_arrays(pa.array(list_offsets, pa.int32()), inner, mask=list_mask)


def file_value(value: Any) -> Any:
    """A Python value of pyarrow as a row of the file holds it."""
    import datetime

    if isinstance(value, dict):
        return tuple(file_value(v) for v in value.values())
    if isinstance(value, list):
        return [file_value(v) for v in value]
    if isinstance(value, tuple):
        return tuple(file_value(v) for v in value)
    if isinstance(value, datetime.date):
        return value.toordinal() - datetime.date(1970, 1, 1).toordinal()
    return value


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 6), st.integers(0, 6), st.integers(0, 6))
def test_hidden_values_never_matter(seed: int, length: int, start: int, stop: int) -> None:
    array = random_lists(random.Random(seed), length)[start:stop]
    plan = resolve(REQUESTED, SHAPE)
    expected = [
        project_row(plan, (file_value(None if not s.is_valid else shown(s)),), Binding("f"), i)
        for i, s in enumerate(array)
    ]
    found = to_plain_rows(projected([array], SHAPE, REQUESTED), REQUESTED)
    assert len(found) == len(expected)
    assert all(same_value(a, b) for a, b in zip(found, expected, strict=True)), (found, expected)


def shown(scalar: pa.Scalar) -> Any:
    """What counts of a list scalar, value by value."""
    return [
        None if not s.is_valid else {"x": s["x"].as_py(), "m": None if not s["m"].is_valid else s["m"].as_py()}
        for s in scalar.values
    ]
