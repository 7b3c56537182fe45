from tests.check.case import Case
from tests.check.tables import evolve, table

T = table("1 id int!, 2 qty int, 3 price decimal(10,2), 4 at date", [{"id": 1, "qty": 2, "price": None, "at": 3}])

CASES = [
    Case("int to string", T, "ALTER TABLE t ALTER COLUMN qty TYPE string", ("qty",), "error"),
    Case("long to int", table("1 id long"), "ALTER TABLE t ALTER COLUMN id TYPE int", ("id",), "error"),
    Case("int to long", T, "ALTER TABLE t ALTER COLUMN qty TYPE bigint"),
    Case("a narrower decimal", T, "ALTER TABLE t ALTER COLUMN price TYPE decimal(8,2)", ("price",), "error"),
    Case("a decimal's scale is another rule's affair", T, "ALTER TABLE t ALTER COLUMN price TYPE decimal(12,3)"),
    Case("a date that format version 2 cannot promote is another rule's affair", T,
         "ALTER TABLE t ALTER COLUMN at TYPE timestamp_ntz"),
    Case("inside a struct after a rename", table("1 a {2 b int}", [], evolve("1 c {2 d int}"), [{"c": {"d": 1}}]),
         "ALTER TABLE t ALTER COLUMN c.d TYPE float", ("c.d",), "error"),
]  # fmt: skip
