from tests.check.case import Case
from tests.check.tables import table

ROWS = [{"id": 1, "note": "x"}]


def ref(name, kind, snapshot=10):
    return lambda b: b.refs.update({name: {"snapshot-id": snapshot, "type": kind}})


DROP = "ALTER TABLE t DROP COLUMN note"
CASES = [
    Case("a branch", table("1 id int!, 2 note string", ROWS, ref("audit", "branch")), DROP, ("note",), "warning"),
    Case("a tag", table("1 id int!, 2 note string", ROWS, ref("v1", "tag")), DROP),
    Case("main alone", table("1 id int!, 2 note string", ROWS), DROP),
    Case("another change", table("1 id int!, 2 note string", ROWS, ref("audit", "branch")),
         "ALTER TABLE t RENAME COLUMN note TO remark"),
]  # fmt: skip
