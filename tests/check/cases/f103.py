import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import evolve, foreign, table

ONES = pa.array([1], pa.int32())
STRANGER = foreign({"a": ONES, "z": ONES}, a=1, z=9)

CASES = [
    Case("above last-column-id", table("1 a int", STRANGER), None, ("",), "warning"),
    Case("below it, in no schema", table("1 a int", STRANGER, load={"last-column-id": 12}), None, ("",), "info"),
    Case("of an earlier schema", table("1 a int, 9 z int", STRANGER, evolve("1 a int")), None),
    Case("a row id", table("1 a int", foreign({"a": ONES, "_row_id": ONES}, a=1, _row_id=2147483540)), None),
]
