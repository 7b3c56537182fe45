from tests.check.case import Case
from tests.check.tables import without_rows

T = without_rows("1 id int, 2 quantity int")

CASES = [
    Case("rename", T, "ALTER TABLE t RENAME COLUMN quantitiy TO q", ("quantitiy",), "error"),
    Case("a parent", T, "ALTER TABLE t ADD COLUMN s.b int", ("s.b",), "error"),
    Case("a move after nothing", T, "ALTER TABLE t ALTER COLUMN id AFTER nope", ("id",), "error"),
    Case("if it exists", T, "ALTER TABLE t DROP COLUMN IF EXISTS nope"),
    Case("a name in another case", T, "ALTER TABLE t RENAME COLUMN QUANTITY TO q"),
    Case("the new name in the next statement", T,
         "ALTER TABLE t RENAME COLUMN id TO k; ALTER TABLE t ALTER COLUMN k TYPE bigint"),
]  # fmt: skip
