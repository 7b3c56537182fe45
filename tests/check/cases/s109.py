from tests.check.case import Case
from tests.check.tables import table, without_rows

T = table("1 id int, 2 s {3 a string, 4 b string, 5 n int}", [{"id": 1, "s": {"a": "x", "b": "y", "n": 1}}])

CASES = [
    Case("in the middle", T, "ALTER TABLE t ADD COLUMN s.m string AFTER a", ("s.m",), "warning"),
    Case("swapped", T, "ALTER TABLE t ALTER COLUMN s.b FIRST", ("s.b",), "warning"),
    Case("at the end", T, "ALTER TABLE t ADD COLUMN s.m string"),
    Case("before another type only", T, "ALTER TABLE t ADD COLUMN s.m string AFTER b"),
    Case("at the top", T, "ALTER TABLE t ADD COLUMN m int FIRST"),
    Case("no rows", without_rows("1 id int, 2 s {3 a string, 4 b string}"),
         "ALTER TABLE t ADD COLUMN s.m string AFTER a"),
]  # fmt: skip
