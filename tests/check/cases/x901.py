from tests.check import faults
from tests.check.case import Case
from tests.check.tables import table

T = table("1 l [2 int], 3 n int", [{"l": None, "n": 1}])
VALUES = {"level": "values", "engines": ["spark"]}

CASES = [
    Case("null lists become empty", T, None, ("l",), "warning", VALUES, faults.null_list_emptied),
    Case("a column that the change does not touch", T, "ALTER TABLE t RENAME COLUMN n TO m", (), None, VALUES,
         faults.null_list_emptied),
    Case("no fault", T, None, how=VALUES),
]  # fmt: skip
