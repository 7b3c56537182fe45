from __future__ import annotations

import os
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from projector.errors import CorruptFileError, NotFoundError, ProjectorError, UnsupportedError
from projector.files.storage.locations import PathResolver
from projector.files.storage.storage import Storage
from projector.metadata.manifests.read import (
    EntryStatus,
    FieldSummary,
    FileContent,
    ManifestContent,
    ManifestEntry,
    ManifestFile,
    read_manifest,
    read_manifest_list,
    snapshot_manifests,
)
from projector.metadata.snapshots import Snapshot
from projector.schema.types import (
    BinaryType,
    DateType,
    DecimalType,
    FixedType,
    IntegerType,
    LongType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from tests.metadata.build import (
    LIST_V1,
    LIST_V3,
    Json,
    entry,
    field,
    manifest_schema,
    optional,
    record,
    without,
    write_avro,
)

STORAGE = Storage()
HERE = PathResolver("s3://b/t")
UNPARTITIONED = manifest_schema()


def manifest(path: Path, **more: Any) -> ManifestFile:
    given = {"sequence_number": 7, "added_snapshot_id": 70, **more}
    return ManifestFile(str(path), os.path.getsize(path), 0, **given)


def read(path: Path, **more: Any) -> list[ManifestEntry]:
    return list(read_manifest(STORAGE, manifest(path, **more), HERE))


def written(path: Path, records: list[Json], schema: Json = UNPARTITIONED, **options: Any) -> Path:
    write_avro(path, schema, records, **options)
    return path


# Manifest lists


def in_list(path: str = "s3://b/t/metadata/m1.avro", **more: Any) -> Json:
    counts = ("added", "existing", "deleted")
    return {
        "manifest_path": path,
        "manifest_length": 1234,
        "partition_spec_id": 2,
        "content": 1,
        "sequence_number": 9,
        "min_sequence_number": 3,
        "added_snapshot_id": 77,
        **{f"{name}_files_count": i for i, name in enumerate(counts, 1)},
        **{f"{name}_rows_count": 10 * i for i, name in enumerate(counts, 1)},
        **more,
    }


def test_a_manifest_list(tmp_path: Path) -> None:
    summary = {"contains_null": True, "contains_nan": False, "lower_bound": b"a", "upper_bound": None}
    path = write_avro(
        tmp_path / "l", LIST_V3, [in_list(partitions=[summary]), in_list("m2", content=0, first_row_id=5)]
    )
    first, second = read_manifest_list(STORAGE, path)
    assert first == ManifestFile(
        "s3://b/t/metadata/m1.avro", 1234, 2, ManifestContent.DELETES, 9, 3, 77, 1, 2, 3, 10, 20, 30,
        (FieldSummary(True, False, b"a", None),),
    )  # fmt: skip
    assert (second.path, second.content, second.first_row_id, second.partitions) == (
        "m2",
        ManifestContent.DATA,
        5,
        None,
    )


def test_a_manifest_list_of_version_1(tmp_path: Path) -> None:
    node = {"manifest_path": "m1", "manifest_length": 5, "partition_spec_id": 0}
    (found,) = read_manifest_list(STORAGE, write_avro(tmp_path / "l", LIST_V1, [{**node, "added_data_files_count": 3}]))
    assert found == ManifestFile("m1", 5, 0, added_files_count=3)
    assert found.has_live_files


def test_only_counts_of_zero_say_that_nothing_is_live() -> None:
    assert ManifestFile("m", 1, 0, added_files_count=0, existing_files_count=None).has_live_files
    assert not ManifestFile("m", 1, 0, added_files_count=0, existing_files_count=0).has_live_files


def test_fields_are_found_by_id_and_not_by_name(tmp_path: Path) -> None:
    renamed = {**LIST_V3, "fields": [{**f, "name": f"x{i}"} for i, f in enumerate(LIST_V3["fields"])]}
    # the path's own name on another field must not be taken for it
    renamed["fields"][1] = {**renamed["fields"][1], "name": "manifest_path"}
    names = [f["name"] for f in renamed["fields"]]
    values = [in_list(key_metadata=None, first_row_id=None, partitions=None)[f["name"]] for f in LIST_V3["fields"]]
    (found,) = read_manifest_list(STORAGE, write_avro(tmp_path / "l", renamed, [dict(zip(names, values, strict=True))]))
    assert (found.path, found.length, found.sequence_number) == ("s3://b/t/metadata/m1.avro", 1234, 9)


def test_names_serve_where_there_are_no_ids(tmp_path: Path) -> None:
    bare = {**LIST_V3, "fields": [without(f, "field-id") for f in LIST_V3["fields"]]}
    (found,) = read_manifest_list(STORAGE, write_avro(tmp_path / "l", bare, [in_list()]))
    assert (found.length, found.deleted_rows_count) == (1234, 30)


def test_unknown_fields_are_passed_over(tmp_path: Path) -> None:
    odd = [
        field(9001, "odd", {"type": "enum", "name": "E", "symbols": ["A", "B"]}),
        field(9002, "again", "E"),
        field(9003, "map", {"type": "map", "values": optional("double")}),
        field(9004, "rec", record("inner", field(None, "a", "int"), field(None, "b", "string"))),
        field(9005, "same", optional("inner")),
        field(9006, "when", {"type": "long", "logicalType": "timestamp-millis"}),
        field(9007, "union", ["null", "string", "int"]),
    ]
    schema = {**LIST_V3, "fields": [*odd, *LIST_V3["fields"]]}
    values = {"odd": "B", "again": "A", "map": {"k": 1.5}, "rec": {"a": 1, "b": "x"}, "same": {"a": 2, "b": "y"},
              "when": 1, "union": "text"}  # fmt: skip
    (found,) = read_manifest_list(STORAGE, write_avro(tmp_path / "l", schema, [in_list(**values)]))
    assert (found.path, found.sequence_number) == ("s3://b/t/metadata/m1.avro", 9)


def test_manifests_of_a_snapshot(tmp_path: Path) -> None:
    write_avro(tmp_path / "snap.avro", LIST_V3, [in_list()])
    resolver = PathResolver("s3://b/t/metadata", str(tmp_path))
    found = list(snapshot_manifests(STORAGE, Snapshot(1, 1, manifest_list="s3://b/t/metadata/snap.avro"), resolver))
    assert [m.path for m in found] == ["s3://b/t/metadata/m1.avro"]


def test_an_empty_list_of_a_snapshot_with_files_was_cut_off(tmp_path: Path) -> None:
    path = write_avro(tmp_path / "l", LIST_V3, [])
    for total in (None, "0"):
        summary = None if total is None else {"operation": "delete", "total-data-files": total}
        assert not list(snapshot_manifests(STORAGE, Snapshot(1, 1, manifest_list=path, summary=summary), HERE))
    with pytest.raises(CorruptFileError, match="The manifest list is empty, but snapshot 1 has 3 data files"):
        list(snapshot_manifests(STORAGE, Snapshot(1, 1, manifest_list=path, summary={"total-data-files": "3"}), HERE))


def test_an_encrypted_list(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="encrypted"):
        list(snapshot_manifests(STORAGE, Snapshot(1, 1, manifest_list="l", key_id="k"), HERE))
    (tmp_path / "l").write_bytes(b"AGS1" + bytes(100))
    with pytest.raises(UnsupportedError, match="encrypted"):
        list(read_manifest_list(STORAGE, str(tmp_path / "l")))


def test_embedded_manifests_of_version_1(tmp_path: Path) -> None:
    node = without(UNPARTITIONED, "x")
    with_spec = written(tmp_path / "m1", [entry(snapshot_id=5)], node, metadata={"partition-spec-id": "3"})
    without_spec = written(tmp_path / "m2", [entry()])
    snapshot = Snapshot(44, 1, manifests=(str(with_spec), str(without_spec)))
    first, second = snapshot_manifests(STORAGE, snapshot, HERE)
    assert (first.spec_id, second.spec_id) == (3, 0)
    assert first.length == with_spec.stat().st_size
    (one,), (other,) = (read_manifest(STORAGE, m, HERE) for m in (first, second))
    assert (one.snapshot_id, one.data_sequence_number, one.data_file.spec_id) == (5, 0, 3)
    assert (other.snapshot_id, other.file_sequence_number) == (44, 0)


# Manifests


def test_a_data_file_with_everything(tmp_path: Path) -> None:
    pairs = [{"key": 1, "value": 11}, {"key": 2, "value": 22}]
    bounds = [{"key": 1, "value": b"\x01\x00\x00\x00"}, {"key": 2, "value": b""}]
    full = entry(
        "s3://b/t/data/a b%20*?[é.parquet",
        snapshot_id=5,
        sequence_number=3,
        file_sequence_number=4,
        content=2,
        file_format="parquet",
        **dict.fromkeys(("column_sizes", "value_counts", "null_value_counts", "nan_value_counts"), pairs),
        lower_bounds=bounds,
        upper_bounds=bounds,
        key_metadata=b"k",
        split_offsets=[4, 100],
        equality_ids=[1, 2],
        sort_order_id=6,
        first_row_id=8,
        referenced_data_file="s3://b/t/data/x",
        content_offset=9,
        content_size_in_bytes=10,
    )
    (found,) = read(written(tmp_path / "m", [full]))
    assert (found.status, found.snapshot_id, found.data_sequence_number, found.file_sequence_number) == (1, 5, 3, 4)
    file = found.data_file
    assert (file.content, file.file_path, file.file_format) == (
        FileContent.EQUALITY_DELETES, "s3://b/t/data/a b%20*?[é.parquet", "PARQUET")  # fmt: skip
    assert (file.record_count, file.file_size_in_bytes, file.partition) == (10, 1000, {})
    assert file.column_sizes == file.value_counts == file.null_value_counts == file.nan_value_counts == {1: 11, 2: 22}
    assert file.lower_bounds == file.upper_bounds == {1: b"\x01\x00\x00\x00", 2: b""}
    assert (file.key_metadata, file.split_offsets, file.equality_ids, file.sort_order_id) == (b"k", (4, 100), (1, 2), 6)
    assert (file.referenced_data_file, file.content_offset, file.content_size_in_bytes) == ("s3://b/t/data/x", 9, 10)
    assert file.first_row_id is None  # delete files have none


def test_maps_that_are_absent_are_empty(tmp_path: Path) -> None:
    (found,) = read(written(tmp_path / "m", [entry()]))
    assert found.data_file.value_counts == found.data_file.lower_bounds == {}
    assert found.data_file.split_offsets is None


@pytest.mark.parametrize(
    ("status", "given", "manifest_number", "expected"),
    [
        (1, None, 7, 7),  # added: inherited
        (1, 3, 7, 3),  # added with data of older age: kept
        (0, 3, 7, 3),
        (0, None, 7, None),  # existing entries must state theirs
        (2, None, 7, None),
        (0, None, 0, 0),  # a manifest of version 1: 0 for all
        (2, None, 0, 0),
    ],
)
def test_sequence_numbers(
    tmp_path: Path, status: int, given: int | None, manifest_number: int, expected: int | None
) -> None:
    path = written(tmp_path / "m", [entry(status=status, sequence_number=given, file_sequence_number=given)])
    (found,) = read(path, sequence_number=manifest_number)
    assert (found.data_sequence_number, found.file_sequence_number) == (expected, expected)


def test_snapshot_ids_are_inherited(tmp_path: Path) -> None:
    path = written(tmp_path / "m", [entry(status=s, snapshot_id=i) for s, i in ((1, None), (1, 5), (2, None))])
    assert [e.snapshot_id for e in read(path)] == [70, 5, 70]


def test_first_row_ids(tmp_path: Path) -> None:
    """The manifest's first row id plus the records of the files before that had none; deleted ones have no part."""
    entries = [
        entry(record_count=25),
        entry(record_count=100, status=2),
        entry(record_count=50, status=0, first_row_id=900),
        entry(record_count=30, status=0),
        entry(record_count=40, status=2, first_row_id=800),
        entry(record_count=1),
    ]
    path = written(tmp_path / "m", entries)
    assert [e.data_file.first_row_id for e in read(path, first_row_id=1000)] == [1000, None, 900, 1025, 800, 1055]
    assert [e.data_file.first_row_id for e in read(path, first_row_id=0)] == [0, None, 900, 25, 800, 55]
    assert [e.data_file.first_row_id for e in read(path)] == [None] * 6


def test_deleted_entries_are_told_apart(tmp_path: Path) -> None:
    found = read(written(tmp_path / "m", [entry(status=s) for s in (0, 1, 2)]))
    assert [e.status for e in found] == [EntryStatus.EXISTING, EntryStatus.ADDED, EntryStatus.DELETED]
    assert [e.is_live for e in found] == [True, True, False]


def test_a_manifest_of_version_1(tmp_path: Path) -> None:
    data_file = record(
        "r2",
        field(100, "file_path", "string"),
        field(101, "file_format", "string"),
        field(102, "partition", record("r102")),
        field(103, "record_count", "long"),
        field(104, "file_size_in_bytes", "long"),
        field(105, "block_size_in_bytes", "long"),
        field(106, "file_ordinal", optional("int")),
        field(107, "sort_columns", optional({"type": "array", "items": "int", "element-id": 112})),
    )
    schema = record(
        "manifest_entry", field(0, "status", "int"), field(1, "snapshot_id", "long"), field(2, "data_file", data_file)
    )
    file = {"file_path": "f", "file_format": "avro", "partition": {}, "record_count": 1, "file_size_in_bytes": 2,
            "block_size_in_bytes": 67108864}  # fmt: skip
    (found,) = read(
        written(tmp_path / "m", [{"status": 0, "snapshot_id": 5, "data_file": file}], schema), sequence_number=0
    )
    assert (found.snapshot_id, found.data_sequence_number, found.data_file.content) == (5, 0, FileContent.DATA)
    assert found.data_file.file_format == "AVRO"


PARTITION_VALUES: list[tuple[Any, Any, Any, Any]] = [
    # stored type, stored value, type, plain value
    ("int", -5, IntegerType(), -5),
    ("long", 2**62, LongType(), 2**62),
    ("string", "a/b %c\n", StringType(), "a/b %c\n"),
    ("bytes", b"\x00\xff", BinaryType(), b"\x00\xff"),
    ({"type": "fixed", "name": "f4", "size": 4}, b"abcd", FixedType(4), b"abcd"),
    ({"type": "int", "logicalType": "date"}, -719163, DateType(), -719163),  # before year 1
    ({"type": "int", "logicalType": "date"}, 2**31 - 1, DateType(), 2**31 - 1),  # far beyond year 9999
    ({"type": "long", "logicalType": "time-micros"}, 86_399_999_999, TimeType(), 86_399_999_999),
    ({"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": False}, 2**62, TimestampType(), 2**62),
    ({"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True}, -(2**62), TimestamptzType(), -(2**62)),
    (
        {"type": "long", "logicalType": "timestamp-nanos", "adjust-to-utc": False},
        123456789,
        TimestampNanoType(),
        123456789,
    ),
    (
        {"type": "fixed", "name": "d38", "size": 16, "logicalType": "decimal", "precision": 38, "scale": 5},
        (-(10**38) + 1).to_bytes(16, "big", signed=True),
        DecimalType(38, 5),
        Decimal("-999999999999999999999999999999999.99999"),
    ),
    (
        {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
        b"\x01\x00",
        DecimalType(9, 2),
        Decimal("2.56"),
    ),
    (
        {"type": "fixed", "name": "u", "size": 16, "logicalType": "uuid"},
        UUID(int=2**127 + 5).bytes,
        UUIDType(),
        UUID(int=2**127 + 5),
    ),
]


@pytest.mark.parametrize(("stored_type", "stored", "expected_type", "plain"), PARTITION_VALUES)
def test_partition_values_are_plain_values(
    tmp_path: Path, stored_type: Any, stored: Any, expected_type: Any, plain: Any
) -> None:
    # written with the bare type, so that fastavro takes the stored form; read with the annotated one
    bare = without(stored_type, "logicalType") if isinstance(stored_type, dict) else stored_type
    path = written(
        tmp_path / "m",
        [entry(partition={"p": stored}), entry(partition={"p": None})],
        manifest_schema(field(1000, "p", optional(bare))),
    )
    if isinstance(stored_type, dict):
        annotate(path, bare, stored_type)
    found, absent = read(path)
    assert found.data_file.partition == {1000: plain}
    assert type(found.data_file.partition[1000]) is type(plain)
    assert found.data_file.partition_types == {1000: expected_type}
    assert absent.data_file.partition == {1000: None}


def annotate(path: Path, bare: Any, full: Any) -> None:
    """Put an annotated type in place of a bare one in the header's schema."""
    import io
    import json

    import fastavro

    content = path.read_bytes()
    header_schema = {"type": "map", "values": "bytes"}
    stream = io.BytesIO(content[4:])
    header = fastavro.schemaless_reader(stream, header_schema, None)
    assert isinstance(header, dict)
    schema = json.loads(header["avro.schema"])
    (partition,) = [f for f in schema["fields"][4]["type"]["fields"] if f["name"] == "partition"]
    partition["type"]["fields"][0]["type"] = ["null", full]
    header["avro.schema"] = json.dumps(schema).encode()
    out = io.BytesIO()
    fastavro.schemaless_writer(out, header_schema, header)
    path.write_bytes(content[:4] + out.getvalue() + content[4 + stream.tell() :])


def test_a_day_may_be_an_int_or_a_date(tmp_path: Path) -> None:
    as_int = written(
        tmp_path / "i", [entry(partition={"d": 19000})], manifest_schema(field(1000, "d", optional("int")))
    )
    date = {"type": "int", "logicalType": "date"}
    as_date = written(
        tmp_path / "d", [entry(partition={"d": 19000})], manifest_schema(field(1000, "d", optional(date)))
    )
    assert [e.data_file.partition for p in (as_int, as_date) for e in read(p)] == [{1000: 19000}, {1000: 19000}]


def test_partition_fields_by_id_whatever_their_names(tmp_path: Path) -> None:
    schema = manifest_schema(field(1001, "_x20_b", optional("int")), field(1000, "status", optional("string")))
    (found,) = read(written(tmp_path / "m", [entry(partition={"_x20_b": 1, "status": "s"})], schema))
    assert found.data_file.partition == {1001: 1, 1000: "s"}


def test_partition_fields_without_ids_by_the_names_of_the_spec_or_their_place(tmp_path: Path) -> None:
    schema = manifest_schema(field(None, "b", optional("int")), field(None, "mangled", optional("string")))
    spec = '[{"name": "x y", "field-id": 1004}, {"name": "b", "field-id": 1002}]'
    records = [entry(partition={"b": 1, "mangled": "s"})]
    with pytest.raises(CorruptFileError, match="Two partition fields have the id 1002"):
        read(written(tmp_path / "m", records, schema, metadata={"partition-spec": spec}))
    spec = '[{"name": "b", "field-id": 1002}, {"name": "x y", "field-id": 1004}]'
    (found,) = read(written(tmp_path / "m", records, schema, metadata={"partition-spec": spec}))
    assert found.data_file.partition == {1002: 1, 1004: "s"}
    with pytest.raises(CorruptFileError, match="Partition field 'b' has no field id"):
        read(written(tmp_path / "m", records, schema))


def test_an_unknown_partition_column_is_null(tmp_path: Path) -> None:
    (found,) = read(written(tmp_path / "m", [entry(partition={"u": None})], manifest_schema(field(1000, "u", "null"))))
    assert found.data_file.partition == {1000: None}


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "bzip2", "xz"])
def test_codecs(tmp_path: Path, codec: str) -> None:
    records = [entry(f"f{i}", record_count=i) for i in range(3000)]
    found = read(written(tmp_path / "m", records, codec=codec))
    assert [(e.data_file.file_path, e.data_file.record_count) for e in found] == [(f"f{i}", i) for i in range(3000)]


def test_zstandard(tmp_path: Path) -> None:
    import pyarrow as pa

    path = written(tmp_path / "m", [entry("f1"), entry("f2")], codec="null")
    content = path.read_bytes()
    sync = b"0123456789abcdef"
    header, block = content[: content.index(sync)], content[content.index(sync) + 16 : -16]
    _, size_bytes, data = block[0], block[1:3], block[3:]
    assert size_bytes == zigzag(len(data))
    packed = pa.Codec("zstd").compress(data, asbytes=True)
    header = header.replace(b"\x14avro.codec\x08null", b"\x14avro.codec\x12zstandard")
    path.write_bytes(header + sync + zigzag(2) + zigzag(len(packed)) + packed + sync)
    assert [e.data_file.file_path for e in read(path)] == ["f1", "f2"]
    path.write_bytes(header + sync + zigzag(2) + zigzag(len(packed) - 5) + packed[:-5] + sync)
    with pytest.raises(CorruptFileError):
        read(path)


def zigzag(number: int) -> bytes:
    number <<= 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def test_an_unknown_codec_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "m", [entry()], codec="null")
    path.write_bytes(path.read_bytes().replace(b"\x14avro.codec\x08null", b"\x14avro.codec\x08lz99"))
    with pytest.raises(UnsupportedError, match="Avro codec 'lz99' is not known"):
        read(path)


def test_an_encrypted_manifest(tmp_path: Path) -> None:
    path = written(tmp_path / "m", [entry()])
    with pytest.raises(UnsupportedError, match="encrypted"):
        read(path, key_metadata=b"k")


def test_missing_manifests_are_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="gone"):
        list(read_manifest(STORAGE, ManifestFile(str(tmp_path / "gone"), 1, 0), HERE))
    with pytest.raises(NotFoundError, match="gone"):
        list(read_manifest_list(STORAGE, str(tmp_path / "gone")))


def test_paths_are_resolved(tmp_path: Path) -> None:
    written(tmp_path / "m", [entry()])
    resolver = PathResolver("file:///old/t", str(tmp_path))
    (found,) = read_manifest(STORAGE, ManifestFile("file:/old/t/m", 1, 0), resolver)
    assert found.data_file.file_path == "s3://b/t/data/f.parquet"


def test_reading_is_block_by_block(tmp_path: Path) -> None:
    path = written(tmp_path / "m", [entry(f"f{i}") for i in range(2000)], sync_interval=1000)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    entries = read_manifest(STORAGE, manifest(path), HERE)
    assert next(entries).data_file.file_path == "f0"
    with pytest.raises(CorruptFileError):
        list(entries)


# Damage


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy"])
def test_every_truncation_is_noticed(tmp_path: Path, codec: str) -> None:
    path = written(tmp_path / "m", [entry(f"f{i}") for i in range(30)], codec=codec, sync_interval=500)
    content = path.read_bytes()
    whole = ManifestFile(str(path), len(content), 0, sequence_number=1, added_files_count=30)
    assert len(list(read_manifest(STORAGE, whole, HERE))) == 30
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(CorruptFileError, match=str(path)):
            list(read_manifest(STORAGE, whole, HERE))


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy"])
def test_every_flipped_bit_is_read_or_refused(tmp_path: Path, codec: str) -> None:
    partition = field(1000, "p", optional({"type": "int", "logicalType": "date"}))
    path = written(
        tmp_path / "m",
        [entry(f"f{i}", partition={"p": i}, value_counts=[{"key": 1, "value": i}]) for i in range(3)],
        manifest_schema(partition),
        codec=codec,
    )
    content = path.read_bytes()
    blocks = content.index(b"0123456789abcdef")
    for position in (*range(0, blocks, 13), *range(blocks, len(content))):
        damaged = bytearray(content)
        damaged[position] ^= 1 << position % 8
        path.write_bytes(damaged)
        with suppress(ProjectorError):
            for found in read(path, first_row_id=5):
                repr(found)


def test_a_wrong_sync_marker(tmp_path: Path) -> None:
    path = written(tmp_path / "m", [entry()])
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(CorruptFileError, match="Wrong sync marker"):
        read(path)


def test_a_snappy_checksum(tmp_path: Path) -> None:
    path = written(tmp_path / "m", [entry()], codec="snappy")
    content = bytearray(path.read_bytes())
    content[-17] ^= 1
    path.write_bytes(content)
    with pytest.raises(CorruptFileError, match="its checksum is wrong"):
        read(path)


@pytest.mark.parametrize("content", [b"", b"Ob", b"PAR1" + bytes(50), b"Obj\x01", b"Obj\x01\x00" + bytes(16)])
def test_files_that_are_no_avro(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(CorruptFileError, match=str(tmp_path / "m")):
        read(tmp_path / "m")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": 3}, "status is 3"),
        ({"status": -1}, "status is -1"),
        ({"content": 3}, "content is 3"),
        ({"record_count": -1}, "record count -1"),
    ],
)
def test_values_that_mean_nothing(tmp_path: Path, change: Json, message: str) -> None:
    with pytest.raises(CorruptFileError, match=message):
        read(written(tmp_path / "m", [entry(**change)]))


def test_a_manifest_without_what_every_file_has(tmp_path: Path) -> None:
    node = manifest_schema()
    node["fields"][4]["type"]["fields"] = [f for f in node["fields"][4]["type"]["fields"] if f["name"] != "file_path"]
    with pytest.raises(CorruptFileError, match=r"data_file has no field file_path \(id 100\)"):
        read(written(tmp_path / "m", [entry()], node))


def test_a_field_of_another_kind(tmp_path: Path) -> None:
    node = manifest_schema()
    for f in node["fields"][4]["type"]["fields"]:
        if f["name"] == "record_count":
            f["type"] = "string"
    with pytest.raises(CorruptFileError, match=r"record_count \(id 103\) is stored as string, not long"):
        read(written(tmp_path / "m", [entry(record_count="ten")], node))


def test_two_fields_with_one_id(tmp_path: Path) -> None:
    node = manifest_schema(extra_file=[field(100, "second_path", "string")])
    with pytest.raises(CorruptFileError, match=r"Two fields of data_file have the id 100"):
        read(written(tmp_path / "m", [entry(second_path="x")], node))


def test_a_type_that_holds_itself(tmp_path: Path) -> None:
    node = manifest_schema(extra=[field(9000, "more", optional("manifest_entry"))])
    with pytest.raises(CorruptFileError, match="not known: manifest_entry"):
        read(written(tmp_path / "m", [entry()], node))


def test_types_that_multiply(tmp_path: Path) -> None:
    """Names that stand for records of names would grow beyond all bounds when written out."""
    previous: Any = "int"
    extra = []
    for level in range(40):
        node = record(f"n{level}", field(None, "a", previous), field(None, "b", previous))
        extra.append(field(9000 + level, f"x{level}", optional(node)))
        previous = f"n{level}"
    with pytest.raises(CorruptFileError, match="too large"):
        read(written(tmp_path / "m", [entry()], manifest_schema(extra=extra)))
