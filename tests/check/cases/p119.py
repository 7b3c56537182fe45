from tests.check.case import Case
from tests.check.tables import Maker, table

ROW = [{"id": 1}]


def specs(number: int) -> Maker:
    """A table with some specs, the last of which has a file."""
    each = [lambda b, n=n: b.partition_by((1, 1000 + n, f"p{n}", f"bucket[{n + 1}]")) for n in range(1, number)]
    return table("1 id int", *each, lambda b: b.append(ROW, partition={f"p{number - 1}": 0}),
                 spec=[(1, 1000, "p0", "bucket[1]")])  # fmt: skip


CASES = [
    Case("nine", specs(9), None, ("",), "info"),
    Case("at level schema", specs(9), None, ("",), "info", {"level": "schema"}),
    Case("eight", specs(8), None),
]
