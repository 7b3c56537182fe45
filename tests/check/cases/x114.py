from tests.check.case import Case
from tests.check.tables import table

T = table("1 a int, 2 s {3 x int}", [{"a": 1, "s": {"x": 1}}])

CASES = [
    Case("a nested field is added", T, "ALTER TABLE t ADD COLUMN s.y int", ("s",), "info"),
    Case("a column is added too", T, "ALTER TABLE t ADD COLUMN s.y int; ALTER TABLE t ADD COLUMN b int"),
    Case("a column is added", T, "ALTER TABLE t ADD COLUMN b int"),
    Case("nothing changes", T, "ALTER TABLE t ALTER COLUMN a DROP NOT NULL"),
]
