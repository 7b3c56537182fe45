from tests.check.case import Case
from tests.check.tables import table

CASES = [
    Case("no counts", table("1 v int", lambda b: b.append([{"v": 1}], bounds=False)), None, ("",), "info"),
    Case("counts", table("1 v int", [{"v": 1}]), None),
    Case("no rows", table("1 v int", lambda b: b.append([], bounds=False)), None),
]
