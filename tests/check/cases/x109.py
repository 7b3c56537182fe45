from tests.check.case import Case
from tests.check.tables import evolve, table

ROW = [{"l": [{"a": 1, "b": 2}]}]
OLD = "1 l [2 {3 a int, 4 b int}]"

CASES = [
    Case("a name that was dropped and added", table(OLD, ROW, evolve("1 l [2 {3 a int, 5 b int}]")), None,
         ("l.element.b",), "warning"),
    Case("swapped names", table(OLD, ROW, evolve("1 l [2 {3 b int, 4 a int}]")), None,
         ("l.element.b", "l.element.a")),
    Case("a new name", table(OLD, ROW, evolve("1 l [2 {3 a int, 5 c int}]")), None),
    Case("for readers that cope", table(OLD, ROW, evolve("1 l [2 {3 b int, 4 a int}]")), None,
         how={"engines": ("duckdb", "polars", "spark")}),
    Case("in a struct outside lists", table("1 s {2 a int}", [{"s": {"a": 1}}], evolve("1 s {3 a int}")), None),
]  # fmt: skip
