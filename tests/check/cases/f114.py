import pyarrow as pa

from tests.check.case import Case
from tests.check.parquet_layouts import flat_columns
from tests.check.tables import foreign, foreign_bytes, table

ONES = pa.array([1], pa.int32())
NAMES = foreign_bytes(flat_columns(("a", 1), ("a", 2)))

CASES = [
    Case("two of one name", table("1 a int, 2 b int", NAMES), None, ("",), "warning"),
    Case("two of one id", table("1 a int", foreign({"a": ONES, "b": ONES}, a=1, b=1)), None, ("",), "warning"),
    Case("names that differ in case", table("1 a int, 2 A int", foreign({"a": ONES, "A": ONES}, a=1, A=2)), None),
    Case("the same name in a struct", table("1 a int, 2 s {3 a int}", [{"a": 1, "s": {"a": 2}}]), None),
]
