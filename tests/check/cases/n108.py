from tests.check.case import Case
from tests.check.tables import evolve, table

T = table("1 id int, 2 s {3 a int}", [{"id": 1, "s": {"a": 1}}], version=3)
SQL = "ALTER TABLE t ADD COLUMN s.b int DEFAULT 5"

CASES = [
    Case("inside a struct", T, SQL, ("s.b",), "warning"),
    Case("a default at the top", T, "ALTER TABLE t ADD COLUMN b int DEFAULT 5"),
    Case("no default", T, "ALTER TABLE t ADD COLUMN s.b int"),
    Case("no file has the struct", table("1 id int", [{"id": 1}], evolve("1 id int, 2 s {3 a int}"), version=3), SQL),
]
