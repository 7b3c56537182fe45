from projector.schema.schema import Schema
from projector.schema.types import IntegerType, NestedField
from tests.check.case import Case
from tests.check.tables import without_rows

T = without_rows("1 a int")


def with_id(field_id: int) -> Schema:
    return Schema((NestedField(1, "a", IntegerType()), NestedField(field_id, "p", IntegerType())))


CASES = [
    Case("a metadata column's id", T, with_id(2147483546), ("p",), "error"),
    Case("the highest of all others", T, with_id(2147483447)),
]
