import json

import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import evolve, foreign, table

ENTRIES = [{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["v"]}]
MAPPED = {"properties": {"schema.name-mapping.default": json.dumps(ENTRIES)}}
IDLESS = foreign({"id": pa.array([1, 2], pa.int32()), "v": pa.array([5, 6], pa.int32())})
T = table("1 id int, 2 v int", IDLESS, **MAPPED)
DROPPED = table("1 id int, 2 v int", IDLESS, evolve("1 id int"), **MAPPED)
ADD = "ALTER TABLE t ADD COLUMN v int"
RENAME = "ALTER TABLE t RENAME COLUMN v TO w"
STRUCTS = foreign({"s": pa.array([{"a": 1}], pa.struct([("a", pa.int32())]))})
NESTED = json.dumps([{"field-id": 1, "names": ["s"], "fields": [{"field-id": 2, "names": ["a"]}]}])

CASES = [
    Case("renamed and added", T, f"{RENAME}; {ADD}", ("v",), "error"),
    Case("dropped and added", DROPPED, ADD, ("v",), "error"),
    Case("another renamed to it", T, f"{RENAME}; ALTER TABLE t RENAME COLUMN id TO v", ("v",), "error"),
    Case("in a struct", table("1 s {2 a int}", STRUCTS, properties={"schema.name-mapping.default": NESTED}),
         "ALTER TABLE t RENAME COLUMN s.a TO b; ALTER TABLE t ADD COLUMN s.a int", ("s.a",), "error"),
    Case("at level schema", DROPPED, ADD, ("v",), "warning", {"level": "schema"}),
    Case("a column that files have and the table never had",
         table("1 id int", IDLESS, properties={"schema.name-mapping.default": json.dumps(ENTRIES[:1])}), ADD, ("v",),
         "info"),
    Case("renamed alone", T, RENAME),
    Case("another name", DROPPED, "ALTER TABLE t ADD COLUMN u int"),
    Case("files with ids", table("1 id int, 2 v int", [{"id": 1, "v": 2}], **MAPPED), f"{RENAME}; {ADD}"),
]  # fmt: skip
