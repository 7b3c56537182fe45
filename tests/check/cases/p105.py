from decimal import Decimal

from projector.metadata.transforms import apply, parse_transform
from projector.schema.types import parse_primitive
from tests.check.case import Case
from tests.check.tables import evolve, table

DAY = 86_400_000_000
NOON = 19_000 * DAY + DAY // 2


def T(kind, transform, values, partition, *after):
    rows = [{"v": value} for value in values]
    return table(f"1 v {kind}", lambda b: b.append(rows, partition={"p": partition}), *after,
                 spec=[(1, 1000, "p", transform)])  # fmt: skip


def made(kind, transform, value):
    return apply(parse_transform(transform), value, parse_primitive(kind))


LONG = "a string that is longer than any bound"
CASES = [
    Case("another value", T("int", "identity", [5], 6), None, ("v",), "error"),
    Case("several values", T("int", "identity", [5, 6], 5), None, ("v",), "error"),
    Case("null", T("int", "identity", [5], None), None, ("v",)),
    Case("another text", T("string", "identity", ["eu"], "us"), None, ("v",)),
    Case("another day", T("timestamp", "day", [NOON], 19_001), None, ("v",)),
    Case("two days", T("timestamp", "day", [NOON, NOON + DAY], 19_000), None, ("v",)),
    Case("another bucket", T("int", "bucket[16]", [34], (made("int", "bucket[16]", 34) + 1) % 16), None, ("v",)),
    Case("another width", T("int", "truncate[10]", [34], 35), None, ("v",)),
    Case("identity", T("int", "identity", [5, 5, None], 5), None),
    Case("text", T("string", "identity", [LONG, LONG], LONG), None),
    Case("text with bounds padded by NUL", T("string", "identity", ["ab\0\0"], "ab"), None),
    Case("decimal", T("decimal(9,2)", "identity", [Decimal("1.50")], Decimal("1.50")), None),
    Case("a day", T("timestamp", "day", [NOON, NOON + 5], 19_000), None),
    Case("a day before 1970 of an old writer", T("timestamp", "day", [-DAY - 5], -1), None),
    Case("a bucket", T("int", "bucket[16]", [34], made("int", "bucket[16]", 34)), None),
    Case("many in a bucket", T("int", "bucket[16]", [1, 34], 3), None),
    Case("truncated", T("int", "truncate[10]", [30, 39], 30), None),
    Case("truncated text", T("string", "truncate[2]", ["abc", "abd"], "ab"), None),
    Case("nulls only", T("int", "identity", [None], None), None),
    Case("promoted since", T("int", "identity", [5], 5, evolve("1 v long")), None),
]
