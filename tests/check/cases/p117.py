from tests.check.case import Case
from tests.check.tables import evolve, table

ROWS = [{"id": 1}]
NEW = evolve("1 id int!, 2 region string")
BY_REGION = lambda b: b.partition_by((2, 1000, "region", "identity"))  # noqa: E731


def ref(kind):
    return lambda b: b.refs.update({"old": {"snapshot-id": 10, "type": kind}})


CASES = [
    Case("a tag", table("1 id int!", ROWS, NEW, BY_REGION, ref("tag")), None, ("region",), "warning"),
    Case("a snapshot", table("1 id int!", ROWS, NEW, BY_REGION), None, ("region",), "info"),
    Case("a branch", table("1 id int!", ROWS, NEW, BY_REGION, ref("branch")), None, ("region",), "info"),
    Case("not partitioned by it", table("1 id int!", ROWS, NEW, ref("tag")), None),
    Case("all have it", table("1 id int!, 2 region string", [{"id": 1, "region": "eu"}], BY_REGION, ref("tag")), None),
]
