from tests.check.case import Case
from tests.check.tables import evolve, table

INT = table("1 v int", [{"v": 1}])
WIDEN = "ALTER TABLE t ALTER COLUMN v TYPE"

CASES = [
    Case("int to long", INT, f"{WIDEN} bigint", ("v",), "info"),
    Case("promoted earlier", table("1 v int", [{"v": 1}], evolve("1 v long")), None, ("v",), "info"),
    Case("date to timestamp", table("1 v date", [{"v": 1}], version=3), f"{WIDEN} timestamp_ntz", ("v",), "info"),
    Case("int", INT, None),
    Case("long", table("1 v long", [{"v": 1}]), None),
    Case("no bounds", table("1 v int", lambda b: b.append([{"v": 1}], bounds=False)), f"{WIDEN} bigint"),
]
