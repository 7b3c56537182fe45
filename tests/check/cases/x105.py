import dataclasses

from projector.schema.schema import Schema
from projector.schema.types import IntegerType, NestedField, StructType
from tests.check.case import Case
from tests.check.tables import evolve, schema, table

X = NestedField(3, "x", IntegerType(), False)
Y = NestedField(4, "y", IntegerType(), False, initial_default=0, write_default=0)


def with_struct(*fields: NestedField) -> Schema:
    made = schema("1 a int, 2 s {3 x int}")
    return Schema((made.fields[0], dataclasses.replace(made.fields[1], field_type=StructType(fields))))


ROWS = [{"a": 1, "s": {"x": 1}}, {"a": 2, "s": None}]
OLD = table(with_struct(X), ROWS, evolve(with_struct(X, Y)), version=3)

CASES = [
    Case("old files have the struct without it", OLD, None, ("s.y",), "warning"),
    Case("only readers that cope matter", OLD, None, how={"engines": ("duckdb", "polars")}),
    Case("every file has it", table(with_struct(X, Y), [{"a": 1, "s": {"x": 1, "y": 2}}], version=3), None),
    Case("old files lack the struct too", table("1 a int", [{"a": 1}], evolve(with_struct(X, Y)), version=3), None),
]
