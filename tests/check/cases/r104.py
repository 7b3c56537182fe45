import json

import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import foreign, table


def mapped(*entries):
    return {"properties": {"schema.name-mapping.default": json.dumps(entries)}}


def entry(field_id, name, *fields):
    return {"field-id": field_id, "names": [name], **({"fields": fields} if fields else {})}


IDLESS = foreign({"id": pa.array([1, 2], pa.int32()), "v": pa.array([5, 6], pa.int32())})
INSIDE = pa.struct([("a", pa.int32())])
NESTED = foreign({"s": pa.array([{"a": 1}], INSIDE), "l": pa.array([[{"a": 1}]], pa.list_(INSIDE))})
DEEP = "1 s {2 a int}, 3 l [4 {5 a int}]"

CASES = [
    Case("a field is missing", table("1 id int, 2 v int", IDLESS, **mapped(entry(1, "id"))), None, ("v",), "error"),
    Case("the nested part is missing", table(DEEP, NESTED, **mapped(entry(1, "s"), entry(3, "l"))), None,
         ("l.element", "l.element.a", "s.a")),
    Case("no file has it", table("1 id int, 2 v int, 3 w int", IDLESS, **mapped(entry(1, "id"), entry(2, "v"))), None,
         ("w",), "warning"),
    Case("all files have ids", table("1 id int, 2 v int", [{"id": 1, "v": 2}], **mapped(entry(1, "id"))), None, ("v",),
         "info"),
    Case("all there", table("1 id int, 2 v int", IDLESS, **mapped(entry(1, "id"), entry(2, "v"))), None),
    Case("all there and deep",
         table(DEEP, NESTED, **mapped(entry(1, "s", entry(2, "a")), entry(3, "l", entry(4, "element", entry(5, "a"))))),
         None),
    Case("under another name", table("1 id int, 2 w int", IDLESS, **mapped(entry(1, "id"), entry(2, "v"))), None),
    Case("an added column gets its entry", table("1 id int", IDLESS, **mapped(entry(1, "id"))),
         "ALTER TABLE t ADD COLUMN x int"),
    Case("no mapping", table("1 id int, 2 v int", IDLESS), None),
]  # fmt: skip
