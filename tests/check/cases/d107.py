from tests.check.case import Case
from tests.check.tables import table

T = table("1 id int!, 2 s {3 a int}, 4 t {5 a int, 6 b int}", [{"id": 1, "s": {"a": 1}, "t": {"a": 1, "b": 2}}])

CASES = [
    Case("the only field", T, "ALTER TABLE t DROP COLUMN s.a", ("s",), "error"),
    Case("for readers that read it", T, "ALTER TABLE t DROP COLUMN s.a", ("s",), "warning", {"engines": ["polars"]}),
    Case(
        "no file has the struct", table("1 id int!, 2 s {3 a int}"), "ALTER TABLE t DROP COLUMN s.a", ("s",), "warning"
    ),
    Case("the only column", table("1 id int", [{"id": 1}]), "ALTER TABLE t DROP COLUMN id", ("",), "warning"),
    Case("one of two fields", T, "ALTER TABLE t DROP COLUMN t.a"),
    Case("the struct itself", T, "ALTER TABLE t DROP COLUMN s"),
    Case("another in its place", T, "ALTER TABLE t ADD COLUMN s.b int; ALTER TABLE t DROP COLUMN s.a"),
]
