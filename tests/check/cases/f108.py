import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import foreign, table


def with_id(name: str, kind: pa.DataType, field_id: int) -> pa.Field:
    return pa.field(name, kind, metadata={"PARQUET:field_id": str(field_id)})


def lists(element_id: int) -> pa.Array:
    return pa.array([[1]], pa.list_(with_id("element", pa.int32(), element_id)))


MAPS = pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32()))

CASES = [
    Case("another id", table("1 l [2 int]", foreign({"l": lists(9)}, l=1)), None, ("l.element",), "warning"),
    Case("the table's id", table("1 l [2 int]", foreign({"l": lists(2)}, l=1)), None),
    Case("no id", table("1 l [2 int]", foreign({"l": pa.array([[1]], pa.list_(pa.int32()))}, l=1)), None,
         ("l.element",)),
    Case("a key and a value without ids", table("1 m <2 string, 3 int>", foreign({"m": MAPS}, m=1)), None,
         ("m.key", "m.value")),
    Case("a file without ids", table("1 l [2 int]", foreign({"l": pa.array([[1]], pa.list_(pa.int32()))})), None),
]  # fmt: skip
