import uuid

import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import foreign, table
from tests.planning.tables import TableBuilder

TENANT = uuid.UUID(int=7)
ONES = pa.array([1], pa.int32())


def by_tenant(builder: TableBuilder) -> None:
    """A file with ids that leaves the uuid to its partition."""
    foreign({"a": ONES}, {"tenant": TENANT}, a=1)(builder)


SPEC = [(2, 1000, "tenant", "identity")]
LACKS = table("1 a int, 2 tenant uuid", by_tenant, spec=SPEC)

CASES = [
    Case("the file lacks it", LACKS, None, ("tenant",), "warning"),
    Case("for readers that cope", LACKS, None, how={"engines": ("spark", "polars", "pyiceberg")}),
    Case("not partitioned", table("1 a int, 2 tenant uuid", foreign({"a": ONES}, a=1)), None),
]
