"""How the Arrow executor reads a file: the leaves it chooses, positions, constants, and files that cannot be read."""

from __future__ import annotations

import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from projector.engines.arrow.compile import _compiled, compile_plan
from projector.engines.arrow.constants import Bound
from projector.engines.arrow.parquet_reader import arrow_errors
from projector.engines.arrow.project import project_batch
from projector.engines.arrow.reader import read_file
from projector.engines.deletes.positions import DeletedPositions
from projector.engines.plain_rows import to_plain_rows
from projector.errors import (
    CorruptFileError,
    NotFoundError,
    ProjectionError,
    ProjectorError,
    StoreError,
    UnsupportedError,
)
from projector.projection.plan import Binding
from projector.schema import reserved
from projector.schema.arrow_schema import arrow_schema
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from tests.engines.reading import (
    FILE,
    column,
    plan_of,
    read_arrow,
    read_both,
    read_plan,
    schema_of,
    written,
    written_table,
)
from tests.files import craft

ID = NestedField(1, "id", LongType())
POS = NestedField(reserved.POS, "_pos", LongType())


def numbers(count: int, **options: Any) -> bytes:
    return written([{"id": i} for i in range(count)], schema_of(ID), **options)


def leaves_read(data: bytes, requested: Schema) -> list[str]:
    paths = pq.ParquetFile(pa.BufferReader(data)).schema
    return [paths.column(leaf).path for leaf in compile_plan(plan_of(data, requested)).leaves]


NESTED = schema_of(
    ID,
    NestedField(2, "s", StructType((NestedField(3, "a", StringType()), NestedField(4, "b", IntegerType())))),
    NestedField(
        5, "l", ListType(6, StructType((NestedField(7, "x", StringType()), NestedField(8, "y", IntegerType()))))
    ),
    NestedField(9, "m", MapType(10, StringType(), 11, StructType((NestedField(12, "v", IntegerType()),)))),
)
NESTED_ROWS = [{"id": 1, "s": {"a": "p", "b": 2}, "l": [{"x": "q", "y": 3}], "m": [("k", {"v": 4})]}]


def test_only_the_leaves_of_the_plan_are_read() -> None:
    data = written(NESTED_ROWS, NESTED)
    assert leaves_read(data, schema_of(ID)) == ["id"]
    one = schema_of(NestedField(2, "s", StructType((NestedField(4, "b", LongType()),))))
    assert leaves_read(data, one) == ["s.b"]
    assert leaves_read(data, schema_of(NestedField(99, "new", LongType()))) == []
    none_of_s = schema_of(NestedField(2, "s", StructType((NestedField(99, "z", LongType()),))))
    assert leaves_read(data, none_of_s) == ["s.b"]  # the cheaper of the two, for the nulls of s
    none_of_l = schema_of(NestedField(5, "l", ListType(6, StructType((NestedField(99, "z", LongType()),)))))
    assert leaves_read(data, none_of_l) == ["l.list.element.y"]


def test_names_with_dots_do_not_select_their_neighbours() -> None:
    schema = schema_of(
        NestedField(1, "a", LongType()),
        NestedField(2, "x", LongType()),
        NestedField(3, "a.b", StructType((NestedField(4, "c", LongType()), NestedField(5, "d", StringType())))),
        NestedField(6, "a.b.c", StringType()),
        NestedField(7, "x.y", LongType()),
    )
    data = written([{"a": 1, "x": 2, "a.b": {"c": 3, "d": "4"}, "a.b.c": "5", "x.y": 6}], schema)
    for wanted in ((1, 2), (3,), (6, 1), (7, 3), (2,), (7, 6, 3, 2, 1)):
        chosen = Schema(tuple(schema.fields_by_id[i] for i in wanted))
        (row,) = read_both(data, chosen)
        values = {1: 1, 2: 2, 3: {"c": 3, "d": "4"}, 6: "5", 7: 6}
        assert row == {schema.fields_by_id[i].name: values[i] for i in wanted}
    part = schema_of(
        NestedField(3, "s", StructType((NestedField(5, "d", StringType()),))), NestedField(6, "t", StringType())
    )
    assert read_both(data, part) == [{"s": {"d": "4"}, "t": "5"}]


def test_a_name_twice_in_the_file_matters_only_where_it_is_asked_for() -> None:
    fields = [pa.field("a", pa.int32(), metadata={"PARQUET:field_id": str(i)}) for i in (1, 2)]
    fields.append(pa.field("b", pa.int32(), metadata={"PARQUET:field_id": "3"}))
    arrays = [pa.array([n], pa.int32()) for n in (10, 20, 30)]
    data = written_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)))
    assert read_both(data, schema_of(NestedField(3, "b", IntegerType()))) == [{"b": 30}]
    with pytest.raises(ProjectionError, match="several columns called 'a'"):
        read_arrow(plan_of(data, schema_of(NestedField(2, "c", IntegerType()))), data)


@pytest.mark.parametrize("chosen", [[0], [3], [1, 2], [0, 2, 3], [3, 0], []])
def test_positions_are_those_in_the_file(chosen: list[int]) -> None:
    data = numbers(10, row_group_size=3)
    table = read_arrow(plan_of(data, schema_of(ID, POS)), data, row_groups=chosen, batch_size=2)
    expected = [i for group in chosen for i in range(3 * group, min(3 * group + 3, 10))]
    assert table.column("id").to_pylist() == expected
    assert table.column("_pos").to_pylist() == expected


@pytest.mark.parametrize(("batch_size", "lengths"), [(1, [1] * 10), (2, [2, 1] * 3 + [1]), (6, [6, 4]), (100, [10])])
def test_small_row_groups_share_a_batch(batch_size: int, lengths: list[int]) -> None:
    data = numbers(10, row_group_size=3)
    plan = plan_of(data, schema_of(ID))
    batches = list(read_file(plan, pa.BufferReader(data), Binding(FILE), batch_size=batch_size))
    assert [batch.num_rows for batch in batches] == lengths


@pytest.mark.parametrize("gone", [[], [0], [9], [0, 1, 2], [3, 4, 5, 8], list(range(10)), [42]])
def test_deleted_positions_are_left_out(gone: list[int]) -> None:
    data = numbers(10, row_group_size=3)
    plan = plan_of(data, schema_of(ID, POS))
    selection = DeletedPositions(pa.array(gone, pa.int64()))
    rows = read_plan(plan, data, batch_size=2, selection=selection)
    assert rows == [{"id": i, "_pos": i} for i in range(10) if i not in gone]
    none = read_arrow(plan_of(data, Schema(())), data, batch_size=4, selection=selection)
    assert none.num_rows == len(rows)


def test_rows_without_columns_are_counted() -> None:
    data = numbers(10, row_group_size=3)
    for schema in (Schema(()), schema_of(NestedField(7, "new", StringType(), initial_default="x"))):
        table = read_arrow(plan_of(data, schema), data, batch_size=4)
        assert table.num_rows == 10
        assert table.schema.equals(arrow_schema(schema), check_metadata=True)


def test_files_without_rows() -> None:
    empty = written([], NESTED)
    assert read_both(empty, NESTED) == []
    sink = pa.BufferOutputStream()
    pq.ParquetWriter(sink, arrow_schema(NESTED)).close()
    no_groups = sink.getvalue().to_pybytes()
    assert pq.ParquetFile(pa.BufferReader(no_groups)).num_row_groups == 0
    assert read_both(no_groups, NESTED) == []
    assert read_both(no_groups, Schema(())) == []


def test_files_of_one_scan_have_one_arrow_schema() -> None:
    values = ["a", None, "b"]
    forms = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
    schema = schema_of(NestedField(1, "c", StringType()))
    tables = []
    for form in forms:
        data = written_table(column(pa.array(values).cast(form)))
        assert pq.ParquetFile(pa.BufferReader(data)).schema_arrow.field(0).type == form
        assert read_both(data, schema) == [{"c": value} for value in values]
        tables.append(read_arrow(plan_of(data, schema), data))
    assert pa.concat_tables(tables).schema.equals(arrow_schema(schema), check_metadata=True)
    zoned = written_table(column(pa.array([1, None], pa.timestamp("us", "Asia/Tokyo"))))
    table = read_arrow(plan_of(zoned, schema_of(NestedField(1, "c", TimestamptzType()))), zoned)
    assert table.schema.field(0).type == pa.timestamp("us", "UTC")
    durations = written_table(column(pa.array([1, None], pa.duration("us"))))
    assert read_both(durations, schema_of(NestedField(1, "c", LongType()))) == [{"c": 1}, {"c": None}]
    flags = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, None, 0], pa.int8()))
    rows = read_both(written_table(column(flags)), schema_of(NestedField(1, "c", IntegerType())))
    assert rows == [{"c": 1}, {"c": None}, {"c": 0}]


def test_a_column_that_only_changes_its_name_is_not_copied() -> None:
    data = written(NESTED_ROWS * 5, NESTED)
    renamed = Schema((
        NestedField(9, "mm", MapType(10, StringType(), 11, StructType((NestedField(12, "vv", IntegerType()),)))),
        NestedField(2, "t", StructType((NestedField(4, "bb", IntegerType()), NestedField(3, "aa", StringType())))),
    ))  # fmt: skip
    compiled = compile_plan(plan_of(data, renamed))
    (raw,) = pq.ParquetFile(pa.BufferReader(data)).iter_batches(columns=["s", "m"])
    batch = project_batch(compiled, raw.columns, [], 0, 5, None, Bound(Binding(FILE)))
    addresses = {b.address for c in raw.columns for b in c.buffers() if b is not None}
    bytes_of_text = {b.address for c in batch.columns for b in c.buffers() if b is not None}
    assert bytes_of_text <= addresses


DEFAULTS = (
    (BooleanType(), True),
    (IntegerType(), -(2**31)),
    (LongType(), 2**63 - 1),
    (DecimalType(38, 10), Decimal("-1234567890123456789012345678.0123456789")),
    (DateType(), -1),
    (TimeType(), 86_399_999_999),
    (TimestamptzType(), -1),
    (TimestampNanoType(), 2**63 - 1),
    (StringType(), "é\x00"),
    (UUIDType(), uuid.UUID(int=1)),
    (BinaryType(), b"\x00\xff"),
)


@pytest.mark.parametrize(("iceberg_type", "value"), DEFAULTS)
def test_defaults_and_partition_values_are_exact(iceberg_type: Any, value: Any) -> None:
    data = numbers(5, row_group_size=2)
    default = schema_of(ID, NestedField(7, "c", iceberg_type, True, initial_default=value))
    assert read_both(data, default) == [{"id": i, "c": value} for i in range(5)]
    partitioned = schema_of(NestedField(7, "c", iceberg_type), ID)
    binding = Binding(FILE, partition={7: value})
    assert read_both(data, partitioned, binding, partition_fields=(7,)) == [{"c": value, "id": i} for i in range(5)]
    null = Binding(FILE, partition={7: None})
    assert read_both(data, partitioned, null, partition_fields=(7,)) == [{"c": None, "id": i} for i in range(5)]
    required = schema_of(NestedField(7, "c", iceberg_type, True))
    with pytest.raises(ProjectionError, match="partition value"):
        read_both(data, required, null, partition_fields=(7,))


def test_constants_are_sliced_to_the_length_of_each_batch() -> None:
    data = numbers(10, row_group_size=4)
    schema = schema_of(ID, NestedField(7, "c", StringType(), initial_default="x"))
    table = read_arrow(plan_of(data, schema), data, batch_size=3)
    assert table.column("c").to_pylist() == ["x"] * 10


def test_metadata_columns() -> None:
    partition = NestedField(
        reserved.PARTITION,
        "_partition",
        StructType((NestedField(1000, "p", StringType()), NestedField(1001, "q", IntegerType()))),
    )
    schema = schema_of(
        ID,
        NestedField(reserved.FILE, "_file", StringType(), True),
        POS,
        NestedField(reserved.SPEC_ID, "_spec_id", IntegerType(), True),
        partition,
        NestedField(reserved.DELETED, "_deleted", BooleanType(), True),
        NestedField(reserved.ROW_ID, "_row_id", LongType()),
        NestedField(reserved.LAST_UPDATED_SEQUENCE_NUMBER, "_last_updated_sequence_number", LongType()),
    )
    data = numbers(2)
    binding = Binding("s3://b/f", spec_id=3, partition_struct={1000: "x"}, first_row_id=1000, sequence_number=7)
    assert read_both(data, schema, binding) == [
        {
            "id": i,
            "_file": "s3://b/f",
            "_pos": i,
            "_spec_id": 3,
            "_partition": {"p": "x", "q": None},
            "_deleted": False,
            "_row_id": 1000 + i,
            "_last_updated_sequence_number": 7,
        }
        for i in range(2)
    ]
    for row in read_both(data, schema, Binding("f", spec_id=0)):
        assert (row["_row_id"], row["_last_updated_sequence_number"]) == (None, None)


def test_row_lineage_is_inherited_where_the_file_has_a_null() -> None:
    stored = schema_of(
        ID,
        NestedField(reserved.ROW_ID, "_row_id", LongType()),
        NestedField(reserved.LAST_UPDATED_SEQUENCE_NUMBER, "_last_updated_sequence_number", LongType()),
    )
    rows = [
        {"id": 0, "_row_id": None, "_last_updated_sequence_number": 4},
        {"id": 1, "_row_id": 17, "_last_updated_sequence_number": None},
    ]
    binding = Binding(FILE, first_row_id=100, sequence_number=9)
    assert read_both(written(rows, stored, row_group_size=1), stored, binding) == [
        {"id": 0, "_row_id": 100, "_last_updated_sequence_number": 4},
        {"id": 1, "_row_id": 17, "_last_updated_sequence_number": 9},
    ]


def test_what_cannot_be_projected_is_refused_before_the_file_is_touched() -> None:
    data = numbers(1)
    plan = plan_of(data, schema_of(NestedField(1, "id", IntegerType())))
    with pytest.raises(ProjectionError):
        read_file(plan, "/no/such/file", Binding(FILE))


@pytest.mark.parametrize("name", ["a b'c\".parquet", "*?[x]%20.parquet", "é漢\n.parquet"])
def test_paths_are_literal(name: str, tmp_path: Path) -> None:
    data = numbers(3)
    (tmp_path / name).write_bytes(data)
    plan = plan_of(data, schema_of(ID))
    batches = list(read_file(plan, tmp_path / name, Binding(name)))
    assert to_plain_rows(pa.Table.from_batches(batches), plan.schema) == [{"id": i} for i in range(3)]


def test_files_that_are_missing_or_folders(tmp_path: Path) -> None:
    plan = plan_of(numbers(1), schema_of(ID))
    for path in (tmp_path / "missing.parquet", tmp_path):
        with pytest.raises(NotFoundError) as caught:
            list(read_file(plan, path, Binding(str(path))))
        assert str(path) in str(caught.value)


def test_damaged_files_are_named(tmp_path: Path) -> None:
    data = numbers(1000, compression="snappy", write_page_checksum=True)
    plan = plan_of(data, schema_of(ID))
    flipped = bytearray(data)
    flipped[200] ^= 0x10
    for damaged in (bytes(flipped), data[:-20], data[:100], b"", data.replace(b"PAR1", b"PAR2")):
        with pytest.raises(CorruptFileError) as caught:
            list(read_file(plan, pa.BufferReader(damaged), Binding(FILE)))
        assert FILE in str(caught.value)
        assert "\n" not in str(caught.value)
    other = plan_of(written(NESTED_ROWS, NESTED), schema_of(ID))
    with pytest.raises(CorruptFileError, match="1 columns where its shape has"):
        list(read_file(other, pa.BufferReader(data), Binding(FILE)))


def test_codecs_that_pyarrow_lacks_are_named() -> None:
    data = numbers(10, compression="snappy")

    def lzo(fields: list[craft.Field]) -> list[craft.Field]:
        groups = next(f for f in fields if f.id == 4)
        for group in groups.value[1]:
            for chunks in (f for f in group if f.id == 1):
                for chunk in chunks.value[1]:
                    metadata = next(f for f in chunk if f.id == 3)
                    at = next(i for i, f in enumerate(metadata.value) if f.id == 4)
                    metadata.value[at] = metadata.value[at]._replace(value=3)
        return fields

    changed = craft.with_fields(data, lzo)
    with pytest.raises(UnsupportedError, match="LZO") as caught:
        list(read_file(plan_of(data, schema_of(ID)), pa.BufferReader(changed), Binding(FILE)))
    assert FILE in str(caught.value)


def test_plans_are_compiled_once_and_forgotten_with_the_plan() -> None:
    plan = plan_of(numbers(1), schema_of(ID))
    assert compile_plan(plan) is compile_plan(plan)
    key = id(plan)
    assert key in _compiled
    del plan
    assert key not in _compiled


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (OSError(5, "Input/output error"), StoreError),
        (OSError("AWS Error NETWORK_CONNECTION during GetObject operation: curlCode: 56"), StoreError),
        (OSError("google::cloud::Status(UNAVAILABLE: try again)"), StoreError),
        (OSError("Corrupt snappy compressed data."), CorruptFileError),
        (OSError("Unexpected end of stream: Page was smaller (5) than expected (9)"), CorruptFileError),
        (pa.ArrowInvalid("Parquet magic bytes not found in footer"), CorruptFileError),
    ],
)
def test_a_store_that_fails_is_not_blamed_on_the_file(raised: Exception, expected: type[Exception]) -> None:
    with pytest.raises(ProjectorError) as caught, arrow_errors("s3://bucket/f.parquet"):
        raise raised
    assert type(caught.value) is expected
    assert caught.value.file == "s3://bucket/f.parquet"
