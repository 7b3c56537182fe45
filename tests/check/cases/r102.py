import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import foreign, table

MAPPING = '[{"field-id": 1, "names": ["id"]}]'
IDLESS = foreign({"id": pa.array([1, 2], pa.int32())})
ONES = pa.array([1], pa.int32())
MORE = foreign({"id": ONES, "other": ONES})
SPARK_TAKES_OTHER = "ALTER TABLE t ADD COLUMN x int"
"""Spark gives the new column, id 2, the values of the second column of the file."""

CASES = [
    Case("no mapping", table("1 id int", IDLESS), None, ("",), "error"),
    Case("among files with ids", table("1 id int", [{"id": 1}], IDLESS), None, ("",), "error"),
    Case("a change then", table("1 id int", IDLESS), "ALTER TABLE t ADD COLUMN x int"),
    Case("a new column in the place of another", table("1 id int", MORE), SPARK_TAKES_OTHER, ("x",), "warning"),
    Case("for readers that do not guess", table("1 id int", MORE), SPARK_TAKES_OTHER, how={"engines": ["duckdb"]}),
    Case("a column that has always had the place", table("1 id int, 2 other int", MORE),
         "ALTER TABLE t RENAME COLUMN other TO x"),
    Case("a mapping", table("1 id int", IDLESS, properties={"schema.name-mapping.default": MAPPING}), None),
    Case("files with ids", table("1 id int", [{"id": 1}]), None),
]  # fmt: skip
