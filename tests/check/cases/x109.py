from tests.check.case import Case
from tests.check.tables import evolve, table

ROW = [{"l": [[{"a": 1, "b": 2}]]}]
OLD = "1 l [5 [2 {3 a int, 4 b int}]]"
SWAPPED = table(OLD, ROW, evolve("1 l [5 [2 {3 b int, 4 a int}]]"))
IN_MAP = table(
    "1 m <2 string, 3 [4 {5 a int}]>", [{"m": [("k", [{"a": 1}])]}], evolve("1 m <2 string, 3 [4 {6 a int}]>")
)
# Tried: pyiceberg goes by ids in these, where every list or map is a column or a field of a struct.
PLAIN = table("1 l [2 {3 a int, 4 b int}]", [{"l": [{"a": 1, "b": 2}]}], evolve("1 l [2 {3 a int, 5 b int}]"))
APART = table("1 l [2 {3 x [4 {5 a int}]}]", [{"l": [{"x": [{"a": 1}]}]}], evolve("1 l [2 {3 x [4 {6 a int}]}]"))

CASES = [
    Case("a name that was dropped and added", table(OLD, ROW, evolve("1 l [5 [2 {3 a int, 6 b int}]]")), None,
         ("l.element.element.b",), "warning"),
    Case("swapped names", SWAPPED, None, ("l.element.element.b", "l.element.element.a")),
    Case("lists in a map", IN_MAP, None, ("m.value.element.a",)),
    Case("added by the change", table(OLD, ROW),
         "ALTER TABLE t DROP COLUMN l.element.element.b; ALTER TABLE t ADD COLUMN l.element.element.b int",
         ("l.element.element.b",), "warning"),
    Case("a new name", table(OLD, ROW, evolve("1 l [5 [2 {3 a int, 6 c int}]]")), None),
    Case("for readers that cope", SWAPPED, None, how={"engines": ("duckdb", "polars", "spark")}),
    Case("in a plain list", PLAIN, None),
    Case("in a list in a struct in a list", APART, None),
    Case("in a struct outside lists", table("1 s {2 a int}", [{"s": {"a": 1}}], evolve("1 s {3 a int}")), None),
]  # fmt: skip
