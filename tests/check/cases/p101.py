from tests.check.case import Case
from tests.check.tables import table

ROWS = [{"id": 1, "d": 19000, "n": 5}]
TEXT = "1 id int!, 2 d date, 3 n int"


def T(transform, source=2, value=3, *after):
    first = lambda b: b.append(ROWS, partition={"p": value})  # noqa: E731
    return table(TEXT, first, *after, version=3, spec=[(source, 1000, "p", transform)])


WIDEN = "ALTER TABLE t ALTER COLUMN d TYPE timestamp_ntz"
UNPARTITIONED = lambda b: b.partition_by()  # noqa: E731

CASES = [
    Case("a bucketed date", T("bucket[16]"), WIDEN, ("d",), "error"),
    Case("an identity", T("identity", 2, 19000), WIDEN, ("d",), "error"),
    Case("of an older spec", T("bucket[16]", 2, 3, UNPARTITIONED), WIDEN, ("d",), "error"),
    Case("days of it", T("day", 2, 19000), WIDEN),
    Case("a bucketed int", T("bucket[16]", 3), "ALTER TABLE t ALTER COLUMN n TYPE bigint"),
    Case("another column", T("bucket[16]", 3), WIDEN),
]
