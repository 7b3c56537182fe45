from tests.check.case import Case
from tests.check.tables import table

ROWS = [{"id": 1, "at": 3}]
SQL = "ALTER TABLE t ALTER COLUMN at TYPE timestamp_ntz"

CASES = [
    Case("date to timestamp on version 2", table("1 id int, 2 at date", ROWS), SQL, ("at",), "error"),
    Case("date to timestamp on version 3", table("1 id int, 2 at date", ROWS, version=3), SQL),
    Case("date to timestamptz is legal nowhere", table("1 id int, 2 at date", ROWS),
         "ALTER TABLE t ALTER COLUMN at TYPE timestamp"),
]  # fmt: skip
