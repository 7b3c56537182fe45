from tests.check.case import Case
from tests.check.tables import table

VOID = [(2, 1000, "region", "void")]
ROWS = lambda b: b.append([{"id": 1, "region": "eu"}], partition={"region": None})  # noqa: E731

CASES = [
    Case("void", table("1 id int!, 2 region string", ROWS, spec=VOID), None, ("region",), "info"),
    Case("no files", table("1 id int!, 2 region string", spec=VOID), None),
    Case("no void field", table("1 id int!, 2 region string", [{"id": 1, "region": "eu"}]), None),
]
