from tests.check.case import Case
from tests.check.tables import table

ROWS = [{"id": 1, "n": 5, "x": 1}]
BUCKETS = table("1 id int!, 2 n int, 3 x int", lambda b: b.append(ROWS, partition={"p": 3}),
                spec=[(2, 1000, "p", "bucket[16]")])  # fmt: skip
VOID = table("1 id int!, 2 n int", spec=[(2, 1000, "p", "void")])

CASES = [
    Case("a bucketed int", BUCKETS, "ALTER TABLE t ALTER COLUMN n TYPE bigint", ("n",), "info"),
    Case("another column", BUCKETS, "ALTER TABLE t ALTER COLUMN x TYPE bigint"),
    Case("a void field", VOID, "ALTER TABLE t ALTER COLUMN n TYPE bigint"),
]
