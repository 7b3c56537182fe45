from tests.check.case import Case
from tests.check.tables import table, without_rows

T = table("1 id int!, 2 note string, 3 s {4 a int, 5 b int}", [{"id": 1, "note": "x", "s": {"a": 1, "b": 2}}])

CASES = [
    Case("a column with values", T, "ALTER TABLE t DROP COLUMN note", ("note",), "info"),
    Case("for readers of the old schema", T, "ALTER TABLE t DROP COLUMN note", ("note",), "error",
         {"compatibility": "forward"}),
    Case("a field of a struct", T, "ALTER TABLE t DROP COLUMN s.a", ("s.a",)),
    Case("a table without rows", without_rows("1 id int!, 2 note string"), "ALTER TABLE t DROP COLUMN note"),
]  # fmt: skip
