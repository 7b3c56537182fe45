from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import without_rows

T = without_rows("1 m <2 {3 k int}, 4 {5 v int}>")
LONG = UpdateSchema().update_column_type(("m", "key", "k"), "long")

CASES = [
    Case("add", T, UpdateSchema().add_column(("m", "key", "z"), "int"), ("m.key.z",), "error"),
    Case("promote", T, LONG, ("m.key.k",), "error"),
    Case("drop", T, UpdateSchema().delete_column(("m", "key", "k")), ("m.key.k",), "error"),
    Case("in the value", T, UpdateSchema().update_column_type(("m", "value", "v"), "long")),
    Case("a new map", T, UpdateSchema().add_column(
        "n", '{"type": "map", "key-id": 1, "key": "int", "value-id": 2, "value": "int", "value-required": false}')),
]  # fmt: skip
