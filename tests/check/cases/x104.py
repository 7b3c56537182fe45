import dataclasses

from projector.schema.schema import Schema
from tests.check.case import Case
from tests.check.tables import schema, table


def with_default(default: object) -> Schema:
    made = schema("1 a int, 2 s {3 x int}")
    return Schema((made.fields[0], dataclasses.replace(made.fields[1], initial_default=default)))


EMPTY = table(with_default({}), version=3)

CASES = [
    Case("an empty object", EMPTY, None, ("s",), "warning"),
    Case("no reader copes, but none that matters", EMPTY, None, how={"engines": ("trino",)}),
    Case("no default", table(with_default(None), version=3), None),
]
