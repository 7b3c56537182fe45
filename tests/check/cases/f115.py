import struct
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import Step, foreign, table
from tests.planning.tables import TableBuilder

ROWS = [{"v": 3, "s": "b"}, {"v": 5, "s": "d"}, {"v": None, "s": None}]
T = "1 v int, 2 s string"
CHANGE = "ALTER TABLE t ADD COLUMN z int"


def claims(**change: Any) -> Step:
    """A file of three rows whose entry says something else."""

    def step(builder: TableBuilder) -> None:
        builder.commit(0, [builder.data_file(ROWS, change=change)])

    return step


def bound(field_id: int, value: bytes) -> list[dict[str, Any]]:
    return [{"key": field_id, "value": value}]


def number(value: int) -> bytes:
    return struct.pack("<i", value)


def delete_of_another_size(builder: TableBuilder) -> None:
    path = builder.delete_positions([(builder.append(ROWS), 0)], file_size_in_bytes=9)
    assert Path(path).stat().st_size != 9


def delete_of_other_rows(builder: TableBuilder) -> None:
    builder.delete_positions([(builder.append(ROWS), 0)], record_count=7)


def unsigned(builder: TableBuilder) -> None:
    """A column of unsigned numbers whose bounds were compared as signed ones."""
    foreign({"v": pa.array([1, 3_000_000_000], pa.uint32())}, v=1)(builder)
    entries = {
        "lower_bounds": bound(1, struct.pack("<q", -1_294_967_296)),
        "upper_bounds": bound(1, struct.pack("<q", 1)),
    }
    path = next(Path(builder.folder / "data").glob("*.parquet"))
    builder.manifests.clear()
    builder.commit(0, [builder.data_file([{}] * 2, content=path.read_bytes(), bounds=False, change=entries)])


CASES = [
    *(
        Case(f"{name}, {'a check' if sql else 'an audit'}", table(T, step), sql, paths, "error")
        for sql in (None, CHANGE)
        for name, step, paths in (
            ("more rows", claims(record_count=9), ("",)),
            ("fewer rows", claims(record_count=1), ("",)),
            ("no rows", claims(record_count=0), ("",)),
            ("twice the size", claims(file_size_in_bytes=99_999), ("",)),
            ("no size", claims(file_size_in_bytes=0), ("",)),
            ("an upper bound below a value", claims(upper_bounds=bound(1, number(4))), ("v",)),
            ("a lower bound above a value", claims(lower_bounds=bound(1, number(4))), ("v",)),
            ("a text bound below a value", claims(upper_bounds=bound(2, b"c")), ("s",)),
            ("more nulls", claims(null_value_counts=[{"key": 1, "value": 2}]), ("v",)),
            ("fewer values", claims(value_counts=[{"key": 2, "value": 2}]), ("s",)),
            ("a delete file's size", delete_of_another_size, ("",)),
            ("a delete file's rows", delete_of_other_rows, ("",)),
        )
    ),
    Case("bounds of unsigned numbers as signed ones", table("1 v long", unsigned), None, ("v",), "error"),
    Case("bounds that are cut", table(T, claims(lower_bounds=bound(2, b""), upper_bounds=bound(2, b"d"))), None),
    Case("wider bounds", table(T, claims(lower_bounds=bound(1, number(-9)), upper_bounds=bound(1, number(99)))), None),
    Case("an entry that is right", table(T, ROWS), None),
    Case("level schema opens nothing", table(T, claims(record_count=9)), None, how={"level": "schema"}),
]
