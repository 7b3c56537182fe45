"""Footers whose number of rows contradicts their row groups: refused in every engine, before a row is lost."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import projector
from projector import CorruptFileError
from tests.check.tables import foreign_bytes, table


def claiming(rows: int, *, groups: bool) -> bytes:
    """A file of 3 rows whose footer claims another number, with its row group or without."""
    out = io.BytesIO()
    field = pa.field("id", pa.int32(), metadata={"PARQUET:field_id": "1"})
    values = pa.array([1, 2, 3] if groups else [], pa.int32())
    pq.write_table(pa.table([values], schema=pa.schema([field])), out)
    content = out.getvalue()
    length = int.from_bytes(content[-8:-4], "little")
    footer = content[-8 - length : -8]
    own = b"\x16" + varint(2 * (3 if groups else 0)) + b"\x19"
    assert footer.count(own) == 1
    footer = footer.replace(own, b"\x16" + varint(2 * rows) + b"\x19")
    return content[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def varint(number: int) -> bytes:
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


@pytest.mark.parametrize("engine", ["arrow", "rows", "polars", "duckdb"])
@pytest.mark.parametrize(
    ("rows", "groups"), [(2**62, False), (5, False), (2**62, True), (1, True), (0, True), (4, True)]
)
def test_a_scan_refuses(rows: int, groups: bool, engine: str, tmp_path: Path) -> None:
    made = table("1 id int", [{"id": 9}], foreign_bytes(claiming(rows, groups=groups), rows=3))(tmp_path)
    with pytest.raises(CorruptFileError):
        made.scan().to_arrow(engine=engine)


@pytest.mark.parametrize("level", ["footers", "values"])
@pytest.mark.parametrize(("rows", "groups"), [(2**62, False), (2**62, True), (1, True), (0, True)])
def test_a_check_does_not_pass(rows: int, groups: bool, level: str, tmp_path: Path) -> None:
    made = table("1 id int", [{"id": 9}], foreign_bytes(claiming(rows, groups=groups), rows=3))(tmp_path)
    for sql in (None, "ALTER TABLE t ADD COLUMN z int"):
        report = projector.check(made, sql=sql, level=level, cache=False)
        assert not report.ok
        assert {f.code for f in report.deciding if f.severity == "error"} & {"F110", "F115", "F903"}
