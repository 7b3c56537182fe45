from tests.check.case import Case
from tests.check.tables import evolve, table

SPEC = [(2, 1000, "region", "identity")]
OLD = lambda b: b.append([{"id": 1, "region": "eu"}], partition={"region": "eu"})  # noqa: E731
UNPARTITIONED = lambda b: b.partition_by()  # noqa: E731
TEXT = "1 id int!, 2 region string"
ADD = "ALTER TABLE t ADD COLUMN region string"

CASES = [
    Case("its source is gone, so it is refused", table(TEXT, OLD, UNPARTITIONED, evolve("1 id int!"), spec=SPEC), ADD),
    Case("another transform", table("1 id int!, 2 n int", spec=[(2, 1000, "n", "bucket[4]")]), None, ("n",), "warning"),
    Case("no file of that spec", table(TEXT, UNPARTITIONED, evolve("1 id int!"), spec=SPEC), ADD),
    Case("its own identity", table(TEXT, OLD, spec=SPEC), None),
    Case("another name", table(TEXT, OLD, UNPARTITIONED, evolve("1 id int!"), spec=SPEC),
         "ALTER TABLE t ADD COLUMN area string"),
]  # fmt: skip
