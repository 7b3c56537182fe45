from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import schema, table

T = table("1 id int, 2 zip string, 3 address {4 city string}", [{"id": 1, "zip": "1", "address": {"city": "x"}}])

CASES = [
    Case("a field in another struct", T, schema("1 id int, 3 address {4 city string, 2 zip string}"),
         ("zip",), "error"),
    Case("a field in a new struct", T, schema("1 id int, 3 address {4 city string}, 5 place {2 zip string}"),
         ("zip",), "error"),
    Case("a field in a new list", T, schema("1 id int, 2 zip string, 5 all [6 {3 address {4 city string}}]"),
         ("address",), "error"),
    Case("a struct to a primitive", T, UpdateSchema().update_column_type("address", "string"), ("address",), "error"),
    Case("a move to another struct", T, UpdateSchema().move_after("zip", "address.city"), ("zip",), "error"),
    Case("a move in its struct", T, "ALTER TABLE t ALTER COLUMN zip FIRST"),
    Case("a new field there, the old one dropped", T, schema("1 id int, 3 address {4 city string, 5 zip string}")),
]  # fmt: skip
