from tests.check.case import Case
from tests.check.tables import without_rows

CASES = [
    Case("far ahead", without_rows("1 id int", load={"last-column-id": 100_000}), None, ("",), "info"),
    Case("by a thousand", without_rows("1 id int", load={"last-column-id": 1_002}), None, ("",), "info"),
    Case("no id left", without_rows("1 id int", load={"last-column-id": 2147483447}), None, ("",), "warning"),
    Case("some dropped columns ahead", without_rows("1 id int", load={"last-column-id": 500}), None),
]
