from tests.check.case import Case
from tests.check.tables import evolve, table

T = table("1 id int, 2 s {3 a int}", [{"id": 1, "s": {"a": 1}}], evolve("1 id int, 2 s {3 a int, 4 b int}"))

CASES = [
    Case("the last field that files have goes", T, "ALTER TABLE t DROP COLUMN s.a", ("s",), "warning"),
    Case("another field goes", T, "ALTER TABLE t DROP COLUMN s.b"),
    Case("the struct goes", T, "ALTER TABLE t DROP COLUMN s"),
    Case("it is so already", table("1 s {2 a int}", [{"s": {"a": 1}}], evolve("1 s {3 b int}")),
         "ALTER TABLE t ADD COLUMN c int"),
]  # fmt: skip
