from tests.check.case import Case
from tests.check.tables import table

T = table("1 id int, 2 price decimal(10,2)", [{"id": 1, "price": None}])

CASES = [
    Case("another scale", T, "ALTER TABLE t ALTER COLUMN price TYPE decimal(12,3)", ("price",), "error"),
    Case("more of both", T, "ALTER TABLE t ALTER COLUMN price TYPE decimal(38,10)", ("price",), "error"),
    Case("a wider precision", T, "ALTER TABLE t ALTER COLUMN price TYPE decimal(12,2)"),
    Case("no decimal", T, "ALTER TABLE t ALTER COLUMN price TYPE double"),
]
