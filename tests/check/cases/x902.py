from tests.check.case import Case
from tests.check.tables import table

T = table(
    "1 id int!, 2 total int, 3 note string", [{"id": 1, "total": 5, "note": "x"}, {"id": 2, "total": 6, "note": None}]
)
NESTED = table(
    "1 id int!, 2 s {3 a int, 4 b string}, 5 l [6 {7 a int}], 8 m <9 string!, 10 {11 a int}>",
    [
        {"id": 1, "s": {"a": 1, "b": "x"}, "l": [{"a": 2}, None], "m": [("k", {"a": 3})]},
        {"id": 2, "s": None, "l": None, "m": None},
    ],
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
    Case("two columns of one name", T, "ALTER TABLE t RENAME COLUMN note TO remark",
         how=asked("SELECT a.id, b.id FROM t a JOIN t b ON a.id < b.id")),
    Case("one of two columns of one name, in select *", T, RENAME, ("amount",), "error",
         asked("SELECT 1 AS total, 'x' AS z, * FROM t")),
    Case("rows that are others each time", T, "ALTER TABLE t RENAME COLUMN note TO remark",
         how=asked("SELECT id, random() FROM t")),
    Case("a name that is gone, rows that are others each time", T, RENAME, ("amount",), "error",
         asked("SELECT total, random() FROM t")),
    Case("new fields of structs", NESTED,
         "ALTER TABLE t ADD COLUMNS (s.z int, l.element.z int, m.value.z int)", how=asked("SELECT * FROM t")),
    Case("a wider field in structs", NESTED,
         "ALTER TABLE t ALTER COLUMN m.value.a TYPE bigint", how=asked("SELECT * FROM t")),
    Case("a field of a struct that is gone", NESTED, "ALTER TABLE t DROP COLUMN s.b", ("s.b",), "error",
         asked("SELECT * FROM t")),
    Case("no queries", T, RENAME),
]  # fmt: skip
