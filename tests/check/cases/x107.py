from tests.check.case import Case
from tests.check.tables import table

LISTS = table("1 l [2 {3 x int}]", [{"l": None}, {"l": []}])
PYICEBERG = {"engines": ("pyiceberg",)}

CASES = [
    Case("a list of structs", LISTS, None, ("l",), "info"),
    Case("for the reader that was named", LISTS, None, ("l",), "warning", PYICEBERG),
    Case("for other readers", LISTS, None, how={"engines": ("duckdb",)}),
    Case("a list of ints", table("1 l [2 int]", [{"l": None}]), None, how=PYICEBERG),
    Case("a required list", table("1 l [2 {3 x int}]!", [{"l": []}]), None, how=PYICEBERG),
    Case("no file has it", table("1 a int, 2 l [3 {4 x int}]"), None, how=PYICEBERG),
]
