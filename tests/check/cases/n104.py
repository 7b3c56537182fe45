from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import without_rows

T = without_rows("1 id int", version=3)
STRUCT = '{"type": "struct", "fields": [{"id": 1, "name": "x", "type": "int", "required": false}]}'
LIST = '{"type": "list", "element-id": 1, "element": "int", "element-required": false}'


def add(kind: str, default: object) -> UpdateSchema:
    return UpdateSchema(format_version=3).add_column("z", kind, default=default)


CASES = [
    Case("a struct with values", T, add(STRUCT, {"x": 1}), ("z",), "error"),
    Case("a list", T, add(LIST, [1]), ("z",), "warning"),
    Case("unknown", T, add("unknown", 1), ("z",), "error"),
    Case("an empty struct", T, add(STRUCT, {})),
    Case("null", T, add(LIST, None)),
    Case("out of range is another rule's affair", T, add("int", 2**40)),
]
