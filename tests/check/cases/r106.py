import json

from tests.check.case import Case
from tests.check.tables import evolve, table


def T(field_id, *steps):
    entries = [{"field-id": 1, "names": ["id"]}, {"field-id": field_id, "names": ["v"]}]
    return table("1 id int, 2 v int", [{"id": 1, "v": 2}], *steps,
                 properties={"schema.name-mapping.default": json.dumps(entries)})  # fmt: skip


CASES = [
    Case("above last-column-id", T(7), None, ("v",), "warning"),
    Case("an id in use", T(2), None),
    Case("the id of a dropped column", T(2, evolve("1 id int")), None),
    Case("no mapping", table("1 id int", [{"id": 1}]), None),
]
