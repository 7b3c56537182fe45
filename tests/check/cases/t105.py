from tests.check.case import Case
from tests.check.tables import evolve, table, without_rows

SQL = "ALTER TABLE t ALTER COLUMN x TYPE double"

CASES = [
    Case("floats in files", table("1 x float", [{"x": 0.5}]), SQL, ("x",), "warning"),
    Case("no rows", without_rows("1 x float"), SQL),
    Case("no file has the column", table("1 id int", [{"id": 1}], evolve("1 id int, 2 x float")), SQL),
    Case("in a list, which no filter enters", table("1 l [2 float]", [{"l": [0.5]}]),
         "ALTER TABLE t ALTER COLUMN l.element TYPE double"),
    Case("int to long", table("1 x int", [{"x": 1}]), "ALTER TABLE t ALTER COLUMN x TYPE bigint"),
]  # fmt: skip
