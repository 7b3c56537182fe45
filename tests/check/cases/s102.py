from tests.check.case import Case
from tests.check.tables import without_rows

T = without_rows("1 id int, 2 v int, 3 s {4 a int, 5 b int}")

CASES = [
    Case("add", T, "ALTER TABLE t ADD COLUMN v int", ("v",), "error"),
    Case("rename", T, "ALTER TABLE t RENAME COLUMN id TO v", ("id",), "error"),
    Case("in a struct", T, "ALTER TABLE t RENAME COLUMN s.a TO b", ("s.a",), "error"),
    Case("in another case", T, "ALTER TABLE t ADD COLUMN V int", ("V",), "error"),
    Case("the same name in another struct", T, "ALTER TABLE t RENAME COLUMN s.a TO v"),
    Case("dropped before", T, "ALTER TABLE t DROP COLUMN v; ALTER TABLE t ADD COLUMN v int"),
]
