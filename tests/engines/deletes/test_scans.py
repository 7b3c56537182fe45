"""Row-level deletes: which rows they take, and which delete files are refused (spec: Row-level Deletes)."""

from __future__ import annotations

import math
import struct
import uuid
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from projector.api.table import Table
from projector.engines.plain_rows import to_plain_rows
from projector.errors import (
    CorruptFileError,
    InvalidMetadataError,
    NotFoundError,
    ProjectionError,
    ProjectorError,
    UnsupportedError,
)
from projector.schema.schema import Schema
from projector.schema.types import (
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    UUIDType,
)
from tests.planning.opens import Opens
from tests.planning.tables import TableBuilder, vector_blob

ENGINES = ("arrow", "rows")
ID = NestedField(1, "id", IntegerType())
ONE = Schema((ID,))


def read(table: Table, row_filter: str | None = None, fields: Sequence[str] = ("*",), **how: Any) -> list[dict]:
    """The rows of a scan, the same by both executors."""
    scan = table.scan(row_filter, selected_fields=fields, **how)
    found = [to_plain_rows(scan.to_arrow(engine), scan.schema()) for engine in ENGINES]
    assert repr(found[0]) == repr(found[1])
    assert scan.count() == len(found[0])
    return found[0]


def ids(table: Table, row_filter: str | None = None) -> list[int]:
    return [row["id"] for row in read(table, row_filter, ("id",))]


def refused(table: Table, error: type[ProjectorError]) -> str:
    """What both executors say when they refuse to read."""
    said = []
    for engine in ENGINES:
        with pytest.raises(error) as caught:
            table.scan().to_arrow(engine)
        said.append(str(caught.value))
    assert said[0] == said[1]
    return said[0]


def numbers(count: int, start: int = 0) -> list[dict]:
    return [{"id": n} for n in range(start, start + count)]


@pytest.fixture
def table(tmp_path: Path) -> TableBuilder:
    return TableBuilder(tmp_path, ONE, 3)


# ------------------------------------------------------------------------------------------------- position deletes


def test_positions_count_from_the_start_of_the_file_whatever_is_filtered_and_skipped(table: TableBuilder) -> None:
    file = table.append(numbers(100), row_group_size=10)
    table.delete_positions([(file, 55), (file, 57), (file, 99)])
    assert ids(table.load(), "id >= 50 and id < 60") == [50, 51, 52, 53, 54, 56, 58, 59]
    rows = read(table.load(), "id > 97", ("id", "_pos", "_deleted"))
    assert [(r["id"], r["_pos"], r["_deleted"]) for r in rows] == [(98, 98, False), (99, 99, True)]


def test_positions_meet_columns_that_the_file_lacks(table: TableBuilder) -> None:
    file = table.append(numbers(3))
    table.evolve(Schema((ID, NestedField(2, "c", StringType(), initial_default="US"))))
    table.delete_positions([(file, 1)])
    assert ids(table.load(), "c = 'US' and id != 7") == [0, 2]
    assert ids(table.load(), "c = 'DE'") == []


def test_one_file_of_positions_is_read_once_for_all_data_files(table: TableBuilder, opens: Opens) -> None:
    records = [table.data_file(numbers(2, 2 * n)) for n in range(50)]
    table.commit(0, records)
    delete = table.delete_positions([(r["data_file"]["file_path"], 1) for r in records])
    loaded = table.load()
    opens.paths.clear()
    assert loaded.scan().to_arrow().column("id").to_pylist() == list(range(0, 100, 2))
    assert opens.paths.count(delete) == 2  # its footer, and its rows


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> Opens:
    return Opens(monkeypatch)


def test_positions_apply_to_the_same_and_older_commits(table: TableBuilder) -> None:
    old = table.append(numbers(2))
    table.delete_positions([(old, 0)])
    new = table.append(numbers(2, 10))
    # a delete file that is older than the data file it names says nothing about it
    table.commit(1, [position_entry(table, [(new, 0)], sequence_number=2)])
    assert ids(table.load()) == [1, 10, 11]


def position_entry(table: TableBuilder, positions: list[tuple[str, int]], **change: Any) -> dict[str, Any]:
    from tests.metadata.build import entry

    path = table.new_path("parquet")
    columns = {"file_path": [p for p, _ in positions], "pos": [n for _, n in positions]}
    pq.write_table(pa.table(columns), path)
    return entry(path, **{"content": 1, "record_count": len(positions), **change})


def test_positions_apply_within_their_partition_only(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2, [(1, 1000, "part", "truncate[10]")])
    one = table.append(numbers(2), partition={"part": 0})
    table.append(numbers(2, 10), partition={"part": 10})
    table.delete_positions([(one, 0)], {"part": 10})
    assert ids(table.load()) == [0, 1, 10, 11]
    table.delete_positions([(one, 1)], {"part": 0})
    assert ids(table.load()) == [0, 10, 11]


@pytest.mark.parametrize("spelling", ["file://{}", "file:{}", "hdfs://host:8020{}", "viewfs://cluster{}"])
def test_a_data_file_may_be_named_with_another_scheme_or_authority(table: TableBuilder, spelling: str) -> None:
    file = table.append(numbers(4))
    table.delete_positions([(spelling.format(file), 1)])
    assert ids(table.load()) == [0, 2, 3]
    table.delete_positions([(file, 2)])
    assert ids(table.load()) == [0, 3]
    # both spellings in one file
    table.delete_positions([(spelling.format(file), 0), (file, 3)])
    assert ids(table.load()) == []


def test_a_vector_supersedes_the_position_deletes_of_its_file(table: TableBuilder) -> None:
    file = table.append(numbers(4))
    other = table.append(numbers(4, 10))
    table.delete_positions([(file, 0), (other, 0)])
    table.delete_vectors({file: [1, 2]})
    assert ids(table.load()) == [0, 3, 11, 12, 13]


def test_vectors_apply_to_the_file_they_name(table: TableBuilder) -> None:
    one, two = (table.append(numbers(4, start)) for start in (0, 10))
    table.delete_vectors({one: [0, 3], two: [1]})
    loaded = table.load()
    assert ids(loaded) == [1, 2, 10, 12, 13]
    assert ids(loaded, "id in (0, 1, 11, 12)") == [1, 12]


def test_no_position_at_all(table: TableBuilder) -> None:
    file = table.append(numbers(2))
    table.delete_vectors({file: []})
    table.append(numbers(2, 5))
    table.delete_positions([])
    table.delete_positions([("/elsewhere/f.parquet", 100)])
    assert ids(table.load()) == [0, 1, 5, 6]


def test_a_manifest_of_dead_deletes_only_deletes_nothing(table: TableBuilder) -> None:
    from tests.metadata.build import entry

    file = table.append(numbers(2))
    gone = {"content": 1, "record_count": 1, "referenced_data_file": file}
    table.commit(1, [entry("/gone.parquet", status=2, **gone)])
    # counts that the writer left out mean that the manifest has to be looked into
    table.commit(1, [entry("/gone.parquet", status=2, **gone)], added_files_count=1, existing_files_count=0)
    assert ids(table.load()) == [0, 1]


# ------------------------------------------------------------------------------------------- broken position deletes


def test_positions_beyond_the_file_are_refused(table: TableBuilder) -> None:
    file = table.append(numbers(3))
    delete = table.delete_positions([(file, 3)])
    said = refused(table.load(), CorruptFileError)
    assert "deletes position 3 of a data file with 3 rows" in said
    assert delete in said
    assert file in said


def test_negative_positions_are_refused(table: TableBuilder) -> None:
    file = table.append(numbers(3))
    table.delete_positions([(file, -1)])
    assert "deletes position -1" in refused(table.load(), CorruptFileError)


def test_positions_of_a_vector_beyond_the_file_are_refused(table: TableBuilder) -> None:
    file = table.append(numbers(3))
    table.delete_vectors({file: [2, 3]})
    assert "deletes position 3" in refused(table.load(), CorruptFileError)


def broken(blob: bytes, how: str) -> bytes:
    match how:
        case "checksum":
            return blob[:-1] + bytes([blob[-1] ^ 1])
        case "length":
            return struct.pack(">I", len(blob)) + blob[4:]
        case "magic":
            return vector_blob([0], magic=b"\xd1\xd3\x39\x65")
        case "bitmap":
            import zlib

            body = b"\xd1\xd3\x39\x64" + b"\xff" * 20
            return struct.pack(">I", len(body)) + body + struct.pack(">I", zlib.crc32(body))
    raise AssertionError(how)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("checksum", "checksum is wrong"),
        ("length", "says 42 bytes and has 34"),
        ("magic", "begins with"),
        ("bitmap", "bitmap is broken"),
    ],
)
def test_broken_vectors_are_refused(table: TableBuilder, how: str, says: str) -> None:
    file = table.append(numbers(3))
    blob = broken(vector_blob([0]), how)
    path = table.delete_vectors({file: [0]}, content_size_in_bytes=len(blob))
    Path(path).write_bytes(b"PFA1" + blob + b"PFA1{}")
    said = refused(table.load(), CorruptFileError)
    assert says in said
    assert path in said


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"record_count": 2}, "has 1 positions, its manifest says 2"),
        ({"content_offset": 10_000}, "lies outside of the file"),
        ({"content_offset": 0}, "lies outside of the file"),
        ({"content_offset": -8}, "lies outside of the file"),
        ({"content_size_in_bytes": 1 << 40}, "lies outside of the file"),
        ({"content_size_in_bytes": 3}, "lies outside of the file"),
    ],
)
def test_vectors_that_are_not_where_the_manifest_says(table: TableBuilder, change: dict[str, int], says: str) -> None:
    file = table.append(numbers(3))
    table.delete_vectors({file: [0]}, **change)
    assert says in refused(table.load(), CorruptFileError)


@pytest.mark.parametrize("missing", ["referenced_data_file", "content_offset", "content_size_in_bytes"])
def test_vectors_without_a_place_are_refused(table: TableBuilder, missing: str) -> None:
    file = table.append(numbers(3))
    table.delete_vectors({file: [0]}, **{missing: None})
    assert "deletion vector without" in refused(table.load(), InvalidMetadataError)


def test_a_vector_in_no_puffin_file_is_refused(table: TableBuilder) -> None:
    file = table.append(numbers(3))
    path = table.delete_vectors({file: [0]})
    Path(path).write_bytes(b"PAR1" + Path(path).read_bytes()[4:])
    assert "Not a Puffin file" in refused(table.load(), CorruptFileError)


def test_two_vectors_for_one_file_are_refused(table: TableBuilder) -> None:
    file = table.append(numbers(3))
    table.delete_vectors({file: [0]})
    table.delete_vectors({file: [1]})
    assert "Two deletion vectors" in refused(table.load(), InvalidMetadataError)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no parquet at all, but long enough to have a footer"])
@pytest.mark.parametrize("equality", [False, True])
def test_corrupt_delete_files_are_refused(table: TableBuilder, content: bytes, equality: bool) -> None:
    file = table.append(numbers(3))
    path = table.delete_equal([{"id": 1}], ONE) if equality else table.delete_positions([(file, 0)])
    Path(path).write_bytes(content)
    assert path in refused(table.load(), CorruptFileError)


def test_missing_delete_files_are_refused(table: TableBuilder) -> None:
    table.append(numbers(3))
    path = table.delete_equal([{"id": 1}], ONE)
    Path(path).unlink()
    assert path in refused(table.load(), NotFoundError)


@pytest.mark.parametrize("content", [1, 2])
@pytest.mark.parametrize("file_format", ["AVRO", "ORC"])
def test_delete_files_of_other_formats_are_refused_for_the_whole_scan(
    table: TableBuilder, content: int, file_format: str
) -> None:
    table.append(numbers(3))
    table.delete_equal([{"id": 1}], ONE, file_format=file_format, content=content)
    assert f"Delete files in {file_format} are not read" in refused(table.load(), UnsupportedError)
    with pytest.raises(UnsupportedError):
        table.load().scan().count()


def test_encrypted_delete_files_are_refused(table: TableBuilder) -> None:
    table.append(numbers(3))
    table.delete_equal([{"id": 1}], ONE, key_metadata=b"key")
    assert "Encrypted delete files" in refused(table.load(), UnsupportedError)


def test_a_data_file_among_deletes_is_refused(table: TableBuilder) -> None:
    file = table.append(numbers(3))
    table.delete_positions([(file, 0)], content=0)
    assert "has an entry for data" in refused(table.load(), InvalidMetadataError)


def test_files_without_a_sequence_number_are_refused(table: TableBuilder) -> None:
    file = table.append(numbers(3))
    entry = position_entry(table, [(file, 0)])
    table.commit(1, [{**entry, "status": 0}])
    assert "no sequence number" in refused(table.load(), InvalidMetadataError)


def test_a_null_position_is_refused(table: TableBuilder) -> None:
    file = table.append(numbers(3))
    path = table.delete_positions([(file, 0)])
    pq.write_table(pa.table({"file_path": [file], "pos": pa.array([None], pa.int64())}), path)
    assert "pos" in refused(table.load(), ProjectionError)


# ---------------------------------------------------------------------------------------------------- equality deletes


def keyed(tmp_path: Path, kind: IcebergType, values: Sequence[Any], deleted: Sequence[Any]) -> list[int]:
    """Which of some values are left after an equality delete of others, by their place."""
    schema = Schema((ID, NestedField(2, "k", kind)))
    table = TableBuilder(tmp_path, schema, 3)
    table.append([{"id": n, "k": value} for n, value in enumerate(values)])
    table.delete_equal([{"k": value} for value in deleted], Schema((schema.fields[1],)))
    return ids(table.load())


def test_null_equals_null_and_nothing_else(tmp_path: Path) -> None:
    values = [1, 2, None]
    assert keyed(tmp_path / "a", IntegerType(), values, [2]) == [0, 2]
    assert keyed(tmp_path / "b", IntegerType(), values, [None]) == [0, 1]
    assert keyed(tmp_path / "c", IntegerType(), values, [None, 1]) == [1]


def test_floats_are_equal_by_their_bits(tmp_path: Path) -> None:
    nan, other_nan = float("nan"), struct.unpack(">d", bytes.fromhex("7ff8000000000001"))[0]
    values = [0.0, -0.0, nan, other_nan, 0.1, math.inf]
    assert keyed(tmp_path / "a", DoubleType(), values, [0.0]) == [1, 2, 3, 4, 5]
    assert keyed(tmp_path / "b", DoubleType(), values, [-0.0]) == [0, 2, 3, 4, 5]
    assert keyed(tmp_path / "c", DoubleType(), values, [nan, math.inf]) == [0, 1, 4]


def test_keys_of_other_types(tmp_path: Path) -> None:
    one, two = uuid.UUID(int=1), uuid.UUID(int=2**128 - 1)
    assert keyed(tmp_path / "a", UUIDType(), [one, two, None], [two]) == [0, 2]
    assert keyed(tmp_path / "b", DecimalType(38, 2), [Decimal("1.10"), Decimal("-9.99")], [Decimal("1.10")]) == [1]
    assert keyed(tmp_path / "c", FixedType(2), [b"ab", b"a\0"], [b"a\0"]) == [0]
    assert keyed(tmp_path / "d", StringType(), ["", "a", None], ["", "b"]) == [1, 2]


def test_keys_of_two_columns(tmp_path: Path) -> None:
    fields = (ID, NestedField(2, "a", IntegerType()), NestedField(3, "b", StringType()))
    table = TableBuilder(tmp_path, Schema(fields), 2)
    pairs = [(1, "x"), (1, None), (None, "x"), (None, None), (2, "x"), (1, "y")]
    table.append([{"id": n, "a": a, "b": b} for n, (a, b) in enumerate(pairs)])
    table.delete_equal([{"a": 1, "b": "x"}, {"a": None, "b": None}, {"a": 1, "b": None}], Schema(fields[1:]))
    assert ids(table.load()) == [2, 4, 5]
    # one delete file on both columns, one on the first alone, with a column that is not compared
    table.delete_equal([{"a": 2, "b": "other"}], Schema(fields[1:]), ids=[2])
    assert ids(table.load()) == [2, 5]


def test_the_order_of_ids_and_columns_does_not_matter(tmp_path: Path) -> None:
    fields = (ID, NestedField(2, "a", IntegerType()), NestedField(3, "b", IntegerType()))
    table = TableBuilder(tmp_path, Schema(fields), 2)
    table.append([{"id": 0, "a": 1, "b": 2}, {"id": 1, "a": 2, "b": 1}])
    table.delete_equal([{"b": 1, "a": 2}], Schema((fields[2], fields[1])), ids=[3, 2])
    table.delete_equal([{"b": 9, "a": 9}], Schema((fields[2], fields[1])), ids=[2, 3])
    assert ids(table.load()) == [0]


def test_keys_are_compared_in_the_promoted_type(tmp_path: Path) -> None:
    # an int key file with a null, and long values that an int cannot hold
    old = NestedField(2, "k", IntegerType())
    table = TableBuilder(tmp_path, Schema((ID, old)), 2)
    table.append([{"id": 0, "k": 1}, {"id": 1, "k": 5}])
    table.evolve(Schema((ID, NestedField(2, "k", LongType()))))
    table.append([{"id": 2, "k": 2**32 + 1}, {"id": 3, "k": 2**32}, {"id": 4, "k": None}, {"id": 5, "k": 1}])
    table.delete_equal([{"k": None}, {"k": 1}], Schema((old,)))
    assert ids(table.load()) == [1, 2, 3]
    table.delete_equal([{"k": 2**32}], Schema((table.schema.fields[1],)))
    assert ids(table.load()) == [1, 2]


def test_float_keys_are_compared_as_double(tmp_path: Path) -> None:
    as_float = struct.unpack("<f", struct.pack("<f", 0.1))[0]
    old = NestedField(2, "k", FloatType())
    table = TableBuilder(tmp_path, Schema((ID, old)), 2)
    table.append([{"id": 0, "k": as_float}])
    table.evolve(Schema((ID, NestedField(2, "k", DoubleType()))))
    table.append([{"id": 1, "k": 0.1}, {"id": 2, "k": as_float}])
    table.delete_equal([{"k": as_float}], Schema((old,)))
    assert ids(table.load()) == [1]


def test_keys_that_were_renamed_or_dropped_or_whose_name_came_back(tmp_path: Path) -> None:
    old = NestedField(2, "k", IntegerType())
    table = TableBuilder(tmp_path, Schema((ID, old)), 2)
    table.append([{"id": n, "k": n} for n in range(4)])
    table.delete_equal([{"k": 1}], Schema((old,)))
    table.evolve(Schema((ID, NestedField(2, "w", IntegerType()))))
    assert ids(table.load(), "w > 0") == [2, 3]
    table.evolve(ONE)
    assert ids(table.load()) == [0, 2, 3]
    table.evolve(Schema((ID, NestedField(3, "k", IntegerType()))))
    table.append([{"id": 9, "k": 1}])
    assert ids(table.load()) == [0, 2, 3, 9]
    assert ids(table.load(), "k is null") == [0, 2, 3]
    table.delete_equal([{"k": 2}], Schema((old,)))  # of the dropped column, and written after the drop
    assert ids(table.load()) == [0, 3, 9]


def test_a_key_that_files_lack_is_its_default_or_null(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 3)
    table.append(numbers(2))
    default = NestedField(2, "c", StringType(), initial_default="US")
    plain = NestedField(3, "d", StringType())
    table.evolve(Schema((ID, default, plain)))
    table.append([{"id": 2, "c": "US", "d": "x"}, {"id": 3, "c": "DE", "d": None}])
    assert ids(table.load()) == [0, 1, 2, 3]
    table.delete_equal([{"c": "US", "d": "x"}], Schema((default, plain)))
    assert ids(table.load()) == [0, 1, 3]
    table.delete_equal([{"d": None}], Schema((plain,)))
    assert ids(table.load()) == []


def test_a_key_with_a_default_takes_the_rows_of_old_files(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 3)
    table.append(numbers(2))
    default = NestedField(2, "c", StringType(), initial_default="US")
    table.evolve(Schema((ID, default)))
    table.append([{"id": 2, "c": "DE"}])
    table.delete_equal([{"c": "US"}], Schema((default,)))
    assert ids(table.load()) == [2]


def test_nested_keys_and_null_parents(tmp_path: Path) -> None:
    x = NestedField(3, "x", IntegerType())
    s = NestedField(2, "s", StructType((x, NestedField(4, "y", IntegerType()))))
    table = TableBuilder(tmp_path, Schema((ID, s)), 2)
    table.append(
        [
            {"id": 0, "s": {"x": 1, "y": 1}},
            {"id": 1, "s": {"x": None, "y": 1}},
            {"id": 2, "s": None},
            {"id": 3, "s": {"x": 2, "y": 1}},
        ]
    )
    keys = Schema((NestedField(2, "s", StructType((x,))),))
    table.delete_equal([{"s": {"x": 1}}], keys, ids=[3])
    assert ids(table.load()) == [1, 2, 3]
    table.delete_equal([{"s": None}], keys, ids=[3])
    assert ids(table.load()) == [3]


@pytest.mark.parametrize(
    ("field", "key", "says"),
    [
        (NestedField(2, "l", ListType(3, IntegerType())), 3, "inside a list or map"),
        (NestedField(2, "m", MapType(3, StringType(), 4, IntegerType())), 4, "inside a list or map"),
        (NestedField(2, "l", ListType(3, IntegerType())), 2, "only primitive values are compared"),
        (NestedField(2, "s", StructType((NestedField(3, "x", IntegerType()),))), 2, "only primitive values"),
        (NestedField(2, "k", IntegerType()), 77, "field id 77, which no schema of the table has"),
    ],
)
def test_keys_that_no_row_can_be_compared_on(tmp_path: Path, field: NestedField, key: int, says: str) -> None:
    table = TableBuilder(tmp_path, Schema((ID, field)), 2)
    table.append([{"id": 0, field.name: None}])
    table.delete_equal([{field.name: None}], Schema((field,)), ids=[key])
    assert says in refused(table.load(), InvalidMetadataError)


@pytest.mark.parametrize("nothing", [None, []])
def test_equality_deletes_without_ids_are_refused(table: TableBuilder, nothing: list[int] | None) -> None:
    table.append(numbers(1))
    table.delete_equal([{"id": 0}], ONE, equality_ids=nothing)
    assert "without equality ids" in refused(table.load(), InvalidMetadataError)


def test_keys_need_not_be_selected_and_counting_reads_them(table: TableBuilder) -> None:
    table.evolve(Schema((ID, NestedField(2, "v", StringType()))))
    table.append([{"id": n, "v": str(n)} for n in range(4)])
    table.delete_equal([{"id": 2}, {"id": 3}], ONE)
    loaded = table.load()
    assert [row["v"] for row in read(loaded, None, ("v",))] == ["0", "1"]
    assert loaded.scan().count() == 2
    assert loaded.scan("v = '3'").count() == 0


def test_equality_deletes_apply_to_strictly_older_data(table: TableBuilder) -> None:
    table.append(numbers(2))
    table.delete_equal([{"id": 1}, {"id": 5}], ONE)
    table.append(numbers(2))
    table.commit(0, [{**table.data_file(numbers(1, 5)), "sequence_number": 2}])
    assert ids(table.load()) == [0, 0, 1, 5]


def test_scope_of_equality_deletes_by_partition(tmp_path: Path) -> None:
    schema = Schema((ID, NestedField(2, "p", StringType())))
    table = TableBuilder(tmp_path, schema, 2)
    rows = [{"id": 1, "p": "a"}, {"id": 1, "p": "b"}]
    table.append(rows)  # unpartitioned
    table.partition_by((2, 1000, "p", "identity"))
    table.append(rows[:1], partition={"p": "a"})
    table.append(rows[1:], partition={"p": "b"})

    table.delete_equal([{"id": 1}], ONE, partition={"p": "a"})
    # the same partition of the same spec, and nothing else
    assert [row["p"] for row in read(table.load())] == ["a", "b", "b"]

    table.partition_by((2, 1001, "p2", "identity"))
    table.delete_equal([{"id": 1}], ONE, partition={"p2": "b"})
    # another spec is another partition, though the value is the same
    assert [row["p"] for row in read(table.load())] == ["a", "b", "b"]

    table.partition_by()
    table.delete_equal([{"id": 1}], ONE)
    # one under an unpartitioned spec applies to all
    assert read(table.load()) == []


@pytest.mark.parametrize("value", [None, float("nan"), -0.0])
def test_partitions_are_equal_bit_by_bit(tmp_path: Path, value: float | None) -> None:
    schema = Schema((ID, NestedField(2, "p", DoubleType())))
    table = TableBuilder(tmp_path, schema, 2, [(2, 1000, "p", "identity")])
    table.append([{"id": 1, "p": value}], partition={"p": value})
    table.append([{"id": 1, "p": 0.0}], partition={"p": 0.0})
    table.delete_equal([{"id": 1}], ONE, partition={"p": value})
    assert [row["p"] for row in read(table.load())] == [0.0]


def test_partitions_of_transforms_that_nobody_knows_are_still_equal(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2, [(1, 1000, "part", "truncate[10]")])
    one = table.append(numbers(2), partition={"part": 0})
    table.append(numbers(2, 10), partition={"part": 10})
    table.delete_positions([(one, 1)], {"part": 0})
    table.delete_equal([{"id": 10}, {"id": 0}], ONE, partition={"part": 10})
    unknown = [{"spec-id": 0, "fields": [{"source-id": 1, "field-id": 1000, "name": "part", "transform": "zorder"}]}]
    loaded = table.load(**{"partition-specs": unknown})
    assert ids(loaded) == [0, 11]
    assert ids(loaded, "id < 5") == [0]
    assert len(loaded.scan("id < 5").plan_files().tasks) == 1  # by its bounds
    assert len(loaded.scan("id < 5").plan_files().skipped_manifests) == 0


def test_deletes_of_partitions_outside_the_filter_are_not_opened(tmp_path: Path) -> None:
    table = TableBuilder(tmp_path, ONE, 2, [(1, 1000, "part", "truncate[10]")])
    table.append(numbers(2), partition={"part": 0})
    table.append(numbers(2, 10), partition={"part": 10})
    broken_file = table.delete_equal([{"id": 10}], ONE, partition={"part": 10})
    Path(broken_file).write_bytes(b"")
    loaded = table.load()
    assert ids(loaded, "id < 5") == [0, 1]
    assert len(loaded.scan("id < 5").plan_files().skipped_manifests) == 2
    with pytest.raises(CorruptFileError):
        loaded.scan().to_arrow()


def test_many_keys_of_many_kinds(tmp_path: Path) -> None:
    # more keys than are numbered once for all
    fields = (ID, NestedField(2, "a", LongType()), NestedField(3, "b", StringType()))
    table = TableBuilder(tmp_path, Schema(fields), 2)
    count = 6000
    rows = [
        {"id": n, "a": None if n % 7 == 0 else n // 2, "b": None if n % 5 == 0 else str(n % 3)} for n in range(count)
    ]
    table.append(rows)
    gone = [row for row in rows if row["id"] % 2 == 0]
    table.delete_equal([{"a": r["a"], "b": r["b"]} for r in gone] * 2, Schema(fields[1:]))
    keys = {(r["a"], r["b"]) for r in gone}
    assert ids(table.load()) == [r["id"] for r in rows if (r["a"], r["b"]) not in keys]
