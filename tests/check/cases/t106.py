from collections.abc import Callable

from tests.check.case import Case
from tests.check.tables import table, without_rows
from tests.planning.tables import TableBuilder

ON = {"write.parquet.bloom-filter-enabled.column.k": "true"}
SQL = "ALTER TABLE t ALTER COLUMN k TYPE bigint"
SCHEMA = {"level": "schema"}
ROW = {"k": 1, "v": 1, "s": {"k": 1}}


def filtered(*columns: str) -> Callable[[TableBuilder], object]:
    options = {column: {"ndv": 10, "fpp": 0.05} for column in columns}
    return lambda builder: builder.append([ROW], bloom_filter_options=options)


COLUMNS = "1 v int, 2 s {3 k int}, 4 k int"

CASES = [
    Case("bloom filters on the column", table(COLUMNS, filtered("k")), SQL, ("k",), "warning"),
    Case("bloom filters on a field of a struct", table(COLUMNS, filtered("s.k")),
         "ALTER TABLE t ALTER COLUMN s.k TYPE bigint", ("s.k",), "warning"),
    Case("not in the first file of the shape", table(COLUMNS, filtered(), filtered("k")), SQL),
    Case("bloom filters on another column", table(COLUMNS, filtered("v", "s.k")), SQL),
    Case("asked for, and none was made", table(COLUMNS, filtered(), properties=ON), SQL),
    Case("asked for, and no file is looked at", table(COLUMNS, filtered("k"), properties=ON), SQL, ("k",), "warning",
         SCHEMA),
    Case("not asked for, and no file is looked at", table(COLUMNS, filtered("k")), SQL, (), None, SCHEMA),
    Case("no rows", without_rows(COLUMNS, properties=ON), SQL),
]  # fmt: skip
