import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import evolve, foreign, table

ONES = pa.array([1], pa.int32())
OLD = foreign({"a": ONES, "extra": ONES}, a=1, extra=2)
READDED = evolve("1 a int, 3 extra int")
DROPPED = evolve("1 a int")
RETURNED = table("1 a int, 2 extra int", OLD, DROPPED, READDED, OLD)

CASES = [
    Case("the name has a new column", RETURNED, None, ("extra",), "warning"),
    Case("the column is only dropped", table("1 a int, 2 extra int", DROPPED, OLD), None, ("",), "info"),
    Case("the file is older than the change", table("1 a int, 2 extra int", OLD, DROPPED, READDED), None),
    Case(
        "the writer is up to date", table("1 a int, 2 extra int", OLD, DROPPED, READDED, [{"a": 1, "extra": 2}]), None
    ),
    Case("it is so before the change", RETURNED, "ALTER TABLE t ADD COLUMN b int"),
]
