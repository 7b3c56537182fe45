import dataclasses

import pyarrow as pa

from projector.schema.schema import Schema
from tests.check.case import Case
from tests.check.tables import evolve, foreign, schema, table

ONES = pa.array([1], pa.int32())
A = foreign({"a": ONES}, a=1)


def with_defaults(initial: str | None, write: str | None) -> Schema:
    made = schema("1 a int, 2 b string")
    b = dataclasses.replace(made.fields[1], initial_default=initial, write_default=write)
    return Schema((made.fields[0], b))


CASES = [
    Case("a file lacks a column it should have", table("1 a int, 2 b int", A), None, ("b",), "info"),
    Case("and its write default", table(with_defaults("x", "y"), A, version=3), None, ("b",), "warning"),
    Case("a default that is the same", table(with_defaults("x", "x"), A, version=3), None, ("b",), "info"),
    Case("the file is older than the column", table("1 a int", A, evolve("1 a int, 2 b int")), None),
    Case("a file without ids", table("1 a int, 2 b int", foreign({"a": ONES})), None),
    Case("a column of type unknown", table("1 a int, 2 b unknown", A, version=3), None),
    Case("the struct around it is missing", table("1 a int, 2 s {3 b int}", A), None, ("s",)),
    Case("it is so before the change", table("1 a int, 2 b int", A), "ALTER TABLE t ADD COLUMN c int"),
]  # fmt: skip
