from tests.check.case import Case
from tests.check.tables import schema, table

ROWS = [{"id": 1, "k": 5, "x": 1}]
DELETES = lambda b: b.delete_equal([{"k": 7}], schema("2 k int"))  # noqa: E731
T = table("1 id int!, 2 k int, 3 x int", ROWS, DELETES)
WITHOUT = lambda b: b.evolve(schema("1 id int!, 3 x int"))  # noqa: E731

CASES = [
    Case("the key", T, "ALTER TABLE t DROP COLUMN k", ("k",), "error"),
    Case("gone already", table("1 id int!, 2 k int, 3 x int", ROWS, DELETES, WITHOUT), None, ("k",), "error"),
    Case("for Spark alone", T, "ALTER TABLE t DROP COLUMN k", ("k",), "error", {"engines": ["spark"]}),
    Case(
        "for readers that read no equality deletes at all",
        T,
        "ALTER TABLE t DROP COLUMN k",
        how={"engines": ["polars", "pyiceberg"]},
    ),
    Case("another column", T, "ALTER TABLE t DROP COLUMN x"),
    Case("renamed", T, "ALTER TABLE t RENAME COLUMN k TO kk"),
    Case("no deletes", table("1 id int!, 2 k int, 3 x int", ROWS), "ALTER TABLE t DROP COLUMN k"),
]
