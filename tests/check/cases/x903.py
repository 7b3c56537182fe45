from tests.check.case import Case
from tests.check.cases.x902 import RENAME, T, asked

CASES = [
    Case("a template", T, RENAME, ("",), "warning", asked("SELECT * FROM {{ ref('t') }}")),
    Case("a name in three parts", T, RENAME, ("",), "warning", asked("SELECT * FROM prod.shop.t")),
    Case("a second table", T, RENAME, ("",), "warning", asked("SELECT * FROM t JOIN u ON t.id = u.id")),
    Case("a query that runs", T, RENAME, how=asked("SELECT sum(total) AS s FROM t")),
    Case("no queries", T, RENAME),
]  # fmt: skip
