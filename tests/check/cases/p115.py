from tests.check.case import Case
from tests.check.tables import table

SPEC = [(1, 1000, "p", "identity")]
UNPARTITIONED = lambda b: b.partition_by()  # noqa: E731
PARTITIONED = lambda b: b.append([{"id": 1}], partition={"p": 1})  # noqa: E731
BY_ID = lambda b: b.partition_by((1, 1001, "q", "identity"))  # noqa: E731
ROWS = [{"id": 2}]

CASES = [
    Case("an older spec", table("1 id int", UNPARTITIONED, ROWS, spec=SPEC), None, ("",), "info"),
    Case("with files", table("1 id int", PARTITIONED, UNPARTITIONED, ROWS, spec=SPEC), None),
    Case("not all snapshots", table("1 id int", PARTITIONED, UNPARTITIONED, ROWS, spec=SPEC), None, (), None,
         {"compatibility": "backward"}),
    Case("the current one", table("1 id int", UNPARTITIONED, ROWS, BY_ID), None),
    Case("no snapshot", table("1 id int", UNPARTITIONED, spec=SPEC), None),
]  # fmt: skip
