from tests.check.case import Case
from tests.check.tables import evolve, table

BACK = table("1 a int", [{"a": 1}], evolve("1 a int, 2 b int"), [{"a": 1, "b": 1}], load={"current-schema-id": 0})

CASES = [
    Case("taken back", BACK, None, ("",), "info"),
    Case("in order", table("1 a int", [{"a": 1}], evolve("1 a int, 2 b int"), [{"a": 1, "b": 1}]), None),
]
