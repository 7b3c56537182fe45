from tests.check.case import Case
from tests.check.tables import without_rows

SQL = "ALTER TABLE t ADD COLUMN z int DEFAULT 1"

CASES = [
    Case("version 2", without_rows("1 id int"), SQL, ("z",), "error"),
    Case("version 3", without_rows("1 id int", version=3), SQL),
    Case("no default on version 2", without_rows("1 id int"), "ALTER TABLE t ADD COLUMN z int"),
]
