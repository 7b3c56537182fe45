from tests.check.case import Case
from tests.check.tables import evolve, table

ROW = [{"f": 0.5}]
OLD = table("1 f float", ROW, evolve("1 f double"))

CASES = [
    Case("floats in old files", OLD, None, ("f",), "warning"),
    Case("for a reader that copes", OLD, None, how={"engines": ("polars",)}),
    Case("in a list, which no filter enters", table("1 l [2 float]", [{"l": [0.5]}], evolve("1 l [2 double]")), None),
    Case("doubles", table("1 f double", ROW), None),
    Case("a rule on the change says it better", table("1 f float", ROW), "ALTER TABLE t ALTER COLUMN f TYPE double"),
]
