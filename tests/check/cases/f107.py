import json

from tests.check.case import Case
from tests.check.parquet_layouts import lists_of_two_levels, lists_without_annotation, named_element
from tests.check.tables import foreign_bytes, table

T = "1 l [2 int]"
MAPPING = {"schema.name-mapping.default": json.dumps(
    [{"field-id": 1, "names": ["l"], "fields": [{"field-id": 2, "names": ["element"]}]}]
)}  # fmt: skip
BY_THE_BOOK = [{"l": [1, None]}]

CASES = [
    Case("two levels", table(T, foreign_bytes(lists_of_two_levels(1, 2))), None, ("l",), "warning"),
    Case("no annotation", table(T, foreign_bytes(lists_without_annotation(1))), None, ("l",), "warning"),
    Case("an element called array in a file without ids",
         table(T, foreign_bytes(named_element("array")), properties=MAPPING), None, ("l",), "warning"),
    Case("an element called array in a file with ids", table(T, foreign_bytes(named_element("array", 1, 2))), None),
    Case("an element called item in a file without ids",
         table(T, foreign_bytes(named_element("item")), properties=MAPPING), None),
    Case("by the book", table(T, BY_THE_BOOK), None),
    Case("mixed", table(T, BY_THE_BOOK, foreign_bytes(lists_of_two_levels(1, 2))), None, ("l",)),
]  # fmt: skip
