import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import foreign, table

WIDE = foreign({"id": pa.array([1], pa.int64())}, id=1)

CASES = [
    Case("int64 under int", table("1 id int", WIDE), None, ("id",), "error"),
    Case("int64 under long", table("1 id long", WIDE), None),
    Case("it is there before the change", table("1 id int", WIDE), "ALTER TABLE t ADD COLUMN z int"),
    Case("the change mends it", table("1 id int", WIDE), "ALTER TABLE t ALTER COLUMN id TYPE bigint"),
]
