from tests.check.case import Case
from tests.check.tables import table
from tests.planning.tables import TableBuilder


def narrow_bounds(builder: TableBuilder) -> None:
    """A file with values up to 9, whose manifest says that 3 is the highest."""
    narrow = {"upper_bounds": [{"key": 1, "value": (3).to_bytes(4, "little")}]}
    builder.commit(0, [builder.data_file([{"v": 1}, {"v": 9}], change=narrow)])


VALUES = {"level": "values", "engines": ["spark"]}

CASES = [
    Case("bounds that leave values out", table("1 v int", narrow_bounds), None, ("",), "warning", VALUES),
    Case("that is not the change's doing", table("1 v int", narrow_bounds), "ALTER TABLE t RENAME COLUMN v TO w", (),
         how=VALUES),
    Case("right bounds", table("1 v int", [{"v": 1}, {"v": 9}]), None, how=VALUES),
    Case("level footers reads no values", table("1 v int", narrow_bounds), None),
]  # fmt: skip
