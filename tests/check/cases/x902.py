from tests.check.case import Case
from tests.check.tables import table

T = table(
    "1 id int!, 2 total int, 3 note string", [{"id": 1, "total": 5, "note": "x"}, {"id": 2, "total": 6, "note": None}]
)


def asked(sql: str) -> dict[str, object]:
    return {"queries": {"sums.sql": sql}}


SUM = asked("SELECT sum(total) AS s FROM t")
RENAME = "ALTER TABLE t RENAME COLUMN total TO amount"

CASES = [
    Case("a name that is gone", T, RENAME, ("amount",), "error", SUM),
    Case("a name that another column has now", T,
         "ALTER TABLE t RENAME COLUMN total TO old; ALTER TABLE t ADD COLUMN total int", ("old",), "error", SUM),
    Case("a dropped column in select *", T, "ALTER TABLE t DROP COLUMN note", ("note",), "error",
         asked("SELECT * FROM t")),
    Case("a new column in select *", T, "ALTER TABLE t ADD COLUMN z int", how=asked("SELECT * FROM t")),
    Case("a wider type", T, "ALTER TABLE t ALTER COLUMN total TYPE bigint", how=SUM),
    Case("a rename of what it does not name", T, "ALTER TABLE t RENAME COLUMN note TO remark", how=SUM),
    Case("no queries", T, RENAME),
]  # fmt: skip
