from tests.check.case import Case
from tests.check.tables import table

FIELDS = [{"source-id": 1, "transform": "identity", "direction": "asc", "null-order": "nulls-first"}]
ORDER = {"sort-orders": [{"order-id": 1, "fields": FIELDS}], "default-sort-order-id": 1}
SORTED = table("1 id int", lambda b: b.append([{"id": 1}], change={"sort_order_id": 1}), load=ORDER)

CASES = [
    Case("nobody says so", table("1 id int", [{"id": 1}], load=ORDER), None, ("",), "info"),
    Case("a file says so", SORTED, None),
    Case("no order", table("1 id int", [{"id": 1}]), None),
    Case("no files", table("1 id int", load=ORDER), None),
]
