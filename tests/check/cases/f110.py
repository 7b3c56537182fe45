from pathlib import Path

from tests.check.case import Case
from tests.check.tables import table
from tests.planning.tables import TableBuilder


def remove_data(builder: TableBuilder) -> None:
    for path in (builder.folder / "data").iterdir():
        path.unlink()


def cut_off(builder: TableBuilder) -> None:
    for path in (builder.folder / "data").iterdir():
        path.write_bytes(path.read_bytes()[:-6])


def remove_old_list(builder: TableBuilder) -> None:
    Path(builder.snapshots[0]["manifest-list"]).unlink()


ROW = [{"a": 1}]

CASES = [
    Case("a data file is gone", table("1 a int", ROW, remove_data), None, ("",), "error"),
    Case("a data file is damaged", table("1 a int", ROW, cut_off), None, ("",), "error"),
    Case("the manifest list of an older snapshot is gone", table("1 a int", ROW, ROW, remove_old_list), None, ("",)),
    Case(
        "before a change that cannot be verified",
        table("1 a int", ROW, remove_data),
        "ALTER TABLE t ADD COLUMN b int",
        ("",),
        "error",
    ),
    Case("all files are there", table("1 a int", ROW), None),
]
