from tests.check.case import Case
from tests.check.tables import evolve, table

T = table("1 id int, 2 s {3 a int}", [{"id": 1, "s": {"a": 1}}], evolve("1 id int, 2 s {3 a int, 4 b int}"))

L = table("1 id int, 2 l [3 {4 a int}]", [{"id": 1, "l": [{"a": 1}]}])
M = table("1 id int, 2 m <3 string, 4 {5 a int}>", [{"id": 1, "m": [("k", {"a": 1})]}])
REPLACE_L = "ALTER TABLE t ADD COLUMN l.element.b int; ALTER TABLE t DROP COLUMN l.element.a"
REPLACE_M = "ALTER TABLE t ADD COLUMN m.value.b int; ALTER TABLE t DROP COLUMN m.value.a"

CASES = [
    Case("the last field that files have goes", T, "ALTER TABLE t DROP COLUMN s.a", ("s",), "warning"),
    Case("in a list", L, REPLACE_L, ("l.element",), "error"),
    Case("emptied in a list", L, "ALTER TABLE t DROP COLUMN l.element.a", ("l.element",), "error"),
    Case("in a map", M, REPLACE_M, ("m.value",), "error"),
    Case("for Spark alone", M, REPLACE_M, ("m.value",), "error", {"engines": ["spark"]}),
    Case("for readers that cope", M, REPLACE_M, how={"engines": ["polars", "pyiceberg"]}),
    Case("another field goes", T, "ALTER TABLE t DROP COLUMN s.b"),
    Case("the struct goes", T, "ALTER TABLE t DROP COLUMN s"),
    Case("it is so already", table("1 s {2 a int}", [{"s": {"a": 1}}], evolve("1 s {3 b int}")),
         "ALTER TABLE t ADD COLUMN c int"),
]  # fmt: skip
