import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import foreign, table

ONES = pa.array([1], pa.int32())
SOME = foreign({"a": ONES, "b": ONES}, a=1)
ALL = foreign({"a": ONES, "b": ONES}, a=1, b=2)
NONE = foreign({"a": ONES, "b": ONES})

CASES = [
    Case("one of two has an id", table("1 a int, 2 b int", SOME), None, ("",), "warning"),
    Case("it is there before a change", table("1 a int, 2 b int", SOME), "ALTER TABLE t ADD COLUMN c int"),
    Case("both have ids", table("1 a int, 2 b int", ALL), None),
    Case("none has an id", table("1 a int, 2 b int", NONE), None),
]
