from tests.check.case import Case
from tests.check.tables import schema, table
from tests.planning.tables import TableBuilder


def upsert(builder: TableBuilder) -> None:
    builder.delete_equal([{"k": 1}], schema("1 k int"))


T = table("1 k int, 2 v int", [{"k": 1, "v": 1}], upsert)

CASES = [
    Case("a key", T, "ALTER TABLE t ALTER COLUMN k TYPE bigint", ("k",), "warning"),
    Case("another column", T, "ALTER TABLE t ALTER COLUMN v TYPE bigint"),
    Case("a key that is renamed", T, "ALTER TABLE t RENAME COLUMN k TO key"),
]
