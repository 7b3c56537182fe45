from tests.check.case import Case
from tests.check.tables import table, without_rows

T = table("1 a int", [{"a": 1}], version=3)

ADD = "ALTER TABLE t ADD COLUMN b string DEFAULT 'x'"

CASES = [
    Case("a default", T, ADD, ("b",), "warning"),
    Case("a default, at level schema", T, ADD, ("b",), "warning", {"level": "schema"}),
    Case("only readers that cope matter", T, ADD, how={"engines": ("duckdb", "polars")}),
    Case("no default", T, "ALTER TABLE t ADD COLUMN b string"),
    Case("no rows", without_rows("1 a int", version=3), ADD),
    Case("a rule on the change says it better", T, "ALTER TABLE t ADD COLUMN b string NOT NULL DEFAULT 'x'"),
]
