from projector import UpdateSchema
from projector.schema.schema import Schema
from projector.schema.types import IntegerType, NestedField, StructType
from tests.check.case import Case
from tests.check.tables import without_rows

INNER = NestedField(1, "a", StructType((NestedField(2, "b", IntegerType()),)))
T = without_rows("1 a {2 b int}, 3 c int")

CASES = [
    Case("spelt as a path", without_rows(Schema((INNER, NestedField(3, "a.b", IntegerType())))), None, ("a.b",),
         "warning"),
    Case("a dot alone", T, UpdateSchema().add_column(("c.d",), "int")),
]  # fmt: skip
