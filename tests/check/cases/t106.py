from tests.check.case import Case
from tests.check.tables import table, without_rows

ON = {"write.parquet.bloom-filter-enabled.column.k": "true"}
SQL = "ALTER TABLE t ALTER COLUMN k TYPE bigint"

CASES = [
    Case("bloom filters on the column", table("1 k int, 2 v int", [{"k": 1, "v": 1}], properties=ON), SQL, ("k",),
         "warning"),
    Case("bloom filters on another column", table("1 k int, 2 v int", [{"k": 1, "v": 1}], properties=ON),
         "ALTER TABLE t ALTER COLUMN v TYPE bigint"),
    Case("no rows", without_rows("1 k int, 2 v int", properties=ON), SQL),
]  # fmt: skip
