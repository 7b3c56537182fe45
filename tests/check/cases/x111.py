from tests.check.case import Case
from tests.check.cases.x110 import FILE, WITH, WITHOUT
from tests.check.tables import table

CASES = [
    Case("a column that is not mapped", table("1 a int", FILE, properties=WITH), None, ("",), "warning"),
    Case("for readers that cope", table("1 a int", FILE, properties=WITH), None, how={"engines": ("polars",)}),
    Case("an entry without an id names it", table("1 a int", FILE, properties=WITHOUT), None),
    Case("no mapping at all", table("1 a int", FILE), None),
]
