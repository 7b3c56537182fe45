from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import without_rows

T = without_rows("1 total int, 2 s {3 a int}")

CASES = [
    Case("add", T, UpdateSchema().add_column("Total", "int"), ("Total",), "error"),
    Case("in a struct", T, UpdateSchema().add_column(("s", "A"), "int"), ("s.A",), "error"),
    Case("it is there", without_rows("1 a int, 2 A int"), None, ("A",), "error"),
    Case("in another struct", T, UpdateSchema().add_column(("s", "Total"), "int")),
]
