from tests.check.case import Case
from tests.check.tables import table

SQL = "ALTER TABLE t ALTER COLUMN k TYPE bigint"
T = table("1 k int", [{"k": 1}])

CASES = [
    Case("worth knowing", T, SQL, ("k",), "info"),
    Case("an error where old readers count", T, SQL, ("k",), "error", {"compatibility": "full"}),
    Case("no promotion", T, "ALTER TABLE t RENAME COLUMN k TO l", how={"compatibility": "full"}),
]
