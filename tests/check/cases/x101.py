from tests.check.case import Case
from tests.check.tables import evolve, table, without_rows

ROW = [{"d": 19000}]
T = table("1 d date", ROW, version=3)
TO_TIMESTAMP = "ALTER TABLE t ALTER COLUMN d TYPE timestamp_ntz"

CASES = [
    Case("a promoted date", T, TO_TIMESTAMP, ("d",), "warning"),
    Case("at level schema", T, TO_TIMESTAMP, ("d",), "warning", {"level": "schema"}),
    Case("only readers that cope matter", T, TO_TIMESTAMP, how={"engines": ("duckdb",)}),
    Case("no rows", without_rows("1 d date", version=3), TO_TIMESTAMP),
    Case("it is so already", table("1 d date", ROW, evolve("1 d timestamp"), version=3), None, ("d",)),
    Case("it has always been a timestamp", table("1 d timestamp", [{"d": 0}], version=3), None),
]
