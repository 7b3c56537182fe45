from __future__ import annotations

import io
import os
import random
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from projector.errors import CorruptFileError, ProjectorError, UnsupportedError
from projector.files.parquet import footer as footers
from projector.files.parquet.footer import read_footer
from projector.files.shapes.shapes import KnownShapes, read_shape
from tests.files import craft
from tests.files.craft import Field
from tests.files.pyarrow_view import Bytes, file_schema


def write(table: pa.Table, **options: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def small(rows: int = 3) -> bytes:
    return write(pa.table({"id": pa.array(range(rows), pa.int64()), "name": [f"n{i}" for i in range(rows)]}))


def test_what_a_footer_says() -> None:
    data = small(5)
    footer = read_footer(Bytes(data), "f.parquet")
    assert footer.num_rows == 5
    assert footer.created_by == pq.ParquetFile(io.BytesIO(data)).metadata.created_by
    assert footer.data == craft.footer_of(data)
    assert footer.data.startswith(footer.fingerprint)


def test_one_read_where_the_footer_is_short() -> None:
    source = Bytes(bytes(200_000) + small())
    read_footer(source, "f.parquet")
    assert source.reads == [(source.size() - footers.TAIL_BYTES, footers.TAIL_BYTES)]


def test_two_reads_where_the_footer_is_long() -> None:
    table = pa.table({f"column_{i:05}": pa.array([i], pa.int32()) for i in range(1500)})
    source = Bytes(write(table))
    assert len(craft.footer_of(source.data)) > footers.TAIL_BYTES
    assert len(file_schema(read_footer(source, "f.parquet")).columns) == 1500
    assert len(source.reads) == 2


@pytest.mark.parametrize(
    ("data", "error", "says"),
    [
        pytest.param(b"", CorruptFileError, "the file is empty", id="empty"),
        pytest.param(b"PAR1PAR1", CorruptFileError, "8 bytes long, too short", id="too short"),
        pytest.param(b"\x00" * 100, CorruptFileError, "not a Parquet file", id="other bytes"),
        pytest.param(small()[:-10], CorruptFileError, "was cut off", id="cut off"),
        pytest.param(small()[:-4] + b"PARE", UnsupportedError, "encrypted", id="encrypted footer"),
        pytest.param(b"Obj\x01" + b"\x00" * 100, UnsupportedError, "an Avro file", id="avro"),
        pytest.param(b"ORC" + b"\x00" * 100 + b"ORC\x17", UnsupportedError, "an ORC file", id="orc"),
        pytest.param(b"PAR1" + b"\xff\xff\xff\x7fPAR1", CorruptFileError, "claims to be 2147483647", id="length"),
        pytest.param(b"PAR1" + b"\x01\x00\x00\x00PAR1", CorruptFileError, "claims to be 1 bytes", id="length by one"),
        pytest.param(b"PAR1" + b"\x00\x00\x00\x00PAR1", CorruptFileError, "is damaged", id="footer of nothing"),
        pytest.param(b"PAR1" + b"\x00\x01\x00\x00\x00PAR1", CorruptFileError, "field 1 is missing", id="empty struct"),
    ],
)
def test_files_that_are_refused(data: bytes, error: type[ProjectorError], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        read_footer(Bytes(data), "some/f.parquet")
    assert caught.value.file == "some/f.parquet"
    assert "\n" not in str(caught.value)
    assert "some/f.parquet" in str(caught.value)


def test_a_file_that_shrinks_while_it_is_read() -> None:
    source = Bytes(small())
    source.size = lambda: len(source.data) + 100  # type: ignore[method-assign]
    with pytest.raises(CorruptFileError, match="the file has changed"):
        read_footer(source, "f.parquet")


AES = Field(8, craft.STRUCT, [Field(1, craft.STRUCT, [Field(2, craft.BINARY, b"12345678")])])


def test_encrypted_columns_under_a_plain_footer_are_refused() -> None:
    data = craft.with_fields(small(), lambda fields: [*fields, AES])
    signed = craft.with_footer(data, craft.footer_of(data) + os.urandom(28))
    known = KnownShapes()
    read_shape(Bytes(small()), "plain.parquet", known)
    for file in (data, signed):
        with pytest.raises(UnsupportedError, match="encrypted columns"):
            read_footer(Bytes(file), "f.parquet")
        with pytest.raises(UnsupportedError, match="encrypted columns"):
            read_shape(Bytes(file), "f.parquet", known)


def test_a_footer_in_any_order_of_fields() -> None:
    data = small(4)
    plain = read_footer(Bytes(data), "f.parquet")
    turned = craft.with_fields(data, lambda fields: sorted(fields, key=lambda f: -f.id))
    footer = read_footer(Bytes(turned), "f.parquet")
    assert footer.num_rows == 4
    assert file_schema(footer) == file_schema(plain)
    assert footer.fingerprint[2:] == plain.fingerprint[2:]
    rows_first = craft.with_fields(data, lambda fields: sorted(fields, key=lambda f: f.id != 3))
    assert read_footer(Bytes(rows_first), "f.parquet").fingerprint == footer.fingerprint
    known = KnownShapes()
    found = [read_shape(Bytes(file), "f.parquet", known) for file in (data, turned, rows_first, data, turned)]
    assert [shape.row_count for shape in found] == [4] * 5
    assert len({id(shape.schema) for shape in found}) == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda fields: [f for f in fields if f.id != 3], "field 3 is missing"),
        (lambda fields: [f for f in fields if f.id != 2], "field 2 is missing"),
        (lambda fields: [f for f in fields if f.id != 4], "field 4 is missing"),
        (lambda fields: [f if f.id != 3 else Field(3, craft.I64, -1) for f in fields], "-1 rows"),
        (lambda fields: [f if f.id != 3 else Field(3, craft.BINARY, b"7") for f in fields], "field 3"),
        (lambda fields: [*fields, fields[2]], "given twice"),
    ],
)
def test_fields_that_are_missing_or_wrong(change: object, says: str) -> None:
    with pytest.raises(CorruptFileError, match=says):
        read_footer(Bytes(craft.with_fields(small(), change)), "f.parquet")


def test_a_long_form_footer() -> None:
    data = small(2)
    longer = craft.with_footer(data, craft.encode(craft._decode(craft.footer_of(data)), long_form=True))
    footer = read_footer(Bytes(longer), "f.parquet")
    assert footer.num_rows == 2
    assert file_schema(footer) == file_schema(read_footer(Bytes(data), "f.parquet"))


def _nested() -> bytes:
    items = pa.list_(pa.struct([pa.field("sku", pa.string()), pa.field("price", pa.decimal128(9, 2))]))
    table = pa.table(
        {
            "id": pa.array([1, 2, None], pa.int64()),
            "items": pa.array([[{"sku": "a", "price": None}], [], None], items),
            "props": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int32())),
            "at": pa.array([1, 2, 3], pa.timestamp("us", "UTC")),
            "uid": pa.array([b"0123456789abcdef"] * 3, pa.binary(16)),
        }
    )
    return write(table)


@pytest.mark.parametrize("seed", range(6))
def test_damaged_footers_are_read_or_refused(seed: int) -> None:
    whole = _nested()
    footer = craft.footer_of(whole)
    chance = random.Random(seed)
    known = KnownShapes()
    read_shape(Bytes(whole), "f.parquet", known)
    for _ in range(700):
        damaged = bytearray(footer)
        for _ in range(chance.choice((1, 1, 2, 8))):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        if chance.random() < 0.3:
            del damaged[chance.randrange(len(damaged)) :]
        file = Bytes(craft.with_footer(whole, bytes(damaged)))
        for error in (_refusal(lambda f=file: read_shape(f, "f.parquet", known)), _refusal(lambda f=file: parse(f))):
            assert error is None or error.file == "f.parquet"
            assert "\n" not in str(error)


def parse(file: Bytes) -> None:
    file_schema(read_footer(file, "f.parquet"))


def _refusal(read: Callable[[], object]) -> ProjectorError | None:
    try:
        read()
    except ProjectorError as error:
        return error
    return None


def test_every_cut_is_refused() -> None:
    whole = _nested()
    for length in range(len(whole)):
        with pytest.raises(CorruptFileError):
            read_footer(Bytes(whole[:length]), "f.parquet")
    footer = craft.footer_of(whole)
    for length in range(len(footer)):
        with pytest.raises(CorruptFileError):
            read_footer(Bytes(craft.with_footer(whole, footer[:length])), "f.parquet")
