from tests.check.case import Case
from tests.check.tables import table

KNOWN = [(1, 1000, "p", "bucket[4]")]


def spec(**field):
    return {"partition-specs": [{"spec-id": 0, "fields": [{"field-id": 1000, "name": "p", **field}]}]}


ZORDER = table("1 id int!", load=spec(**{"source-id": 1, "transform": "zorder"}))
SEVERAL = table("1 id int!, 2 n int", version=3, load=spec(**{"source-ids": [1, 2], "transform": "bucket[4]"}))

CASES = [
    Case("an unknown transform", ZORDER, None, ("id",), "warning"),
    Case("several columns", SEVERAL, None, ("id",), "warning"),
    Case("a known one", table("1 id int!", spec=KNOWN), None),
    Case("a change then", ZORDER, "ALTER TABLE t ADD COLUMN x int"),
]
