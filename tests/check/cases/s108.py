from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import without_rows

T = without_rows("1 total int, 2 s {3 a int}")

CASES = [
    Case("add", T, UpdateSchema().add_column("Total", "int"), ("Total",), "error"),
    Case("in a struct", T, UpdateSchema().add_column(("s", "A"), "int"), ("s.A",), "error"),
    Case("it is there", without_rows("1 a int, 2 A int"), None, ("A",), "error"),
    Case("the names clashed before", without_rows("1 a int, 2 A int"),
         UpdateSchema().delete_column("A").add_column("A", "string")),
    Case("a clash of other names", without_rows("1 a int, 2 A int, 3 b int"), UpdateSchema().add_column("B", "int"),
         ("B",), "error"),
    Case("in another struct", T, UpdateSchema().add_column(("s", "Total"), "int")),
]  # fmt: skip
