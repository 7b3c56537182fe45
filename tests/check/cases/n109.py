from tests.check.case import Case
from tests.check.tables import table, without_rows

SQL = "ALTER TABLE t ADD COLUMN b int NOT NULL DEFAULT 5"

CASES = [
    Case("old rows", table("1 id int", [{"id": 1}], version=3), SQL, ("b",), "warning"),
    Case("for readers that know defaults", table("1 id int", [{"id": 1}], version=3), SQL, ("b",), "info",
         {"engines": ["duckdb", "polars"]}),
    Case("for one that does not", table("1 id int", [{"id": 1}], version=3), SQL, ("b",), "warning",
         {"engines": ["spark"]}),
    Case("no rows", without_rows("1 id int", version=3), SQL),
    Case("optional", table("1 id int", [{"id": 1}], version=3), "ALTER TABLE t ADD COLUMN b int DEFAULT 5"),
]  # fmt: skip
