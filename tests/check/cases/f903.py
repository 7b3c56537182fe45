import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.check.case import Case
from tests.check.tables import Step, foreign, schema, table
from tests.planning.tables import TableBuilder

TOO_LARGE = pa.array([2**31], pa.uint32())
NANOSECONDS = pa.array([1], pa.timestamp("ns"))
VALUES = {"level": "values", "engines": ["spark"]}
ADD = "ALTER TABLE t ADD COLUMN z int"


def delete_beyond(builder: TableBuilder) -> None:
    """A position delete for row 9 of a file with 2 rows."""
    builder.delete_positions([(builder.append([{"id": 1}, {"id": 2}]), 9)])


def missing_delete_file(builder: TableBuilder) -> None:
    Path(builder.delete_positions([(builder.append([{"id": 1}]), 0)])).unlink()


def wrong_checksum(builder: TableBuilder) -> None:
    """A deletion vector one of whose bytes was changed."""
    path = Path(builder.delete_vectors({builder.append([{"id": 1}, {"id": 2}]): [1]}))
    content = bytearray(path.read_bytes())
    content[4 + 4 + 4 + 10] ^= 0xFF
    path.write_bytes(bytes(content))


def damaged_page(column: int) -> Step:
    """A file of two columns, in which the pages of one are overwritten."""

    def step(builder: TableBuilder) -> None:
        names = [f.name for f in builder.schema.fields]
        fields = [
            pa.field(f.name, pa.int32(), metadata={"PARQUET:field_id": str(f.field_id)}) for f in builder.schema.fields
        ]
        out = io.BytesIO()
        pq.write_table(pa.table([pa.array([1, 2, 3], pa.int32())] * len(names), schema=pa.schema(fields)), out)
        content = bytearray(out.getvalue())
        chunk = pq.read_metadata(io.BytesIO(out.getvalue())).row_group(0).column(column)
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        content[start : start + 16] = b"\xff" * 16
        builder.commit(0, [builder.data_file([dict.fromkeys(names, 1)] * 3, content=bytes(content), bounds=False)])

    return step


def required_null(builder: TableBuilder) -> None:
    out = io.BytesIO()
    field = pa.field("id", pa.int32(), metadata={"PARQUET:field_id": "1"})
    pq.write_table(pa.table([pa.array([None], pa.int32())], schema=pa.schema([field])), out)
    builder.commit(0, [builder.data_file([{"id": 1}], content=out.getvalue(), bounds=False)])


CASES = [
    Case(name, make, sql, ("",), "error", VALUES)
    for name, make in (
        ("a position delete beyond the end", table("1 id int", delete_beyond)),
        ("a delete file that is gone", table("1 id int", missing_delete_file)),
        ("a vector with a wrong checksum", table("1 id int", wrong_checksum, version=3)),
        ("a damaged page", table("1 id int, 2 v int", damaged_page(0))),
        ("a damaged page of another column", table("1 id int, 2 v int", damaged_page(1))),
        ("a null in a required column", table(schema("1 id int!"), required_null)),
        ("an unsigned number that no int holds", table("1 id int", foreign({"id": TOO_LARGE}, id=1))),
        ("nanoseconds that no timestamp holds", table("1 at timestamp", foreign({"at": NANOSECONDS}, at=1))),
    )
    for sql in (None, ADD)
] + [
    Case("files that can be read", table("1 id int", [{"id": 1}]), ADD, how=VALUES),
    Case("level footers reads no values", table("1 id int", delete_beyond), None),
]  # fmt: skip
