from tests.check.case import Case
from tests.check.tables import evolve, schema, table

T = table("1 id int!", evolve("1 id int!, 2 a int"), [{"id": 1, "a": 2}], evolve("1 id int!, 2 a int, 3 b string"))

CASES = [
    Case("another column on an older schema", T, schema("1 id int!, 2 a int, 4 c int", 1), ("",), "warning"),
    Case("with the id that is taken", T, schema("1 id int!, 2 a int, 3 c string", 1), ("",), "warning"),
    Case("on the current schema", T, schema("1 id int!, 2 a int, 3 b string, 4 c int", 2)),
    Case("back to an older schema", T, schema("1 id int!, 2 a int", 1)),
    Case("a rename without schema id", T, schema("1 id int!, 2 a int, 3 c string")),
    Case("a drop without schema id", T, schema("1 id int!, 2 a int")),
]
