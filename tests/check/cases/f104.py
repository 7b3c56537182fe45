import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import foreign, table

ONES = pa.array([1], pa.int32())
NEXT = table("1 a int", foreign({"a": ONES, "z": ONES}, a=1, z=2))
OTHER = table("1 a int", foreign({"a": ONES, "z": ONES}, a=1, z=9))

CASES = [
    Case("the next id is in a file", NEXT, "ALTER TABLE t ADD COLUMN note int", ("note",), "error"),
    Case("a child of the new column has it", OTHER, "ALTER TABLE t ADD COLUMN s struct<x: int>"),
    Case("another id is in a file", OTHER, "ALTER TABLE t ADD COLUMN note int"),
    Case("ordinary files", table("1 a int", [{"a": 1}]), "ALTER TABLE t ADD COLUMN note int"),
]
