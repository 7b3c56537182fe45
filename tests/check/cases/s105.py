from tests.check.case import Case
from tests.check.tables import evolve, schema, table

T = table("1 id int, 2 comment string", [{"id": 1, "comment": "x"}], evolve("1 id int"))

CASES = [
    Case("an id that a dropped column had", T, schema("1 id int, 2 note string"), ("note",), "error"),
    Case("a new id", T, schema("1 id int, 3 note string")),
    Case("no ids are proposed in SQL", T, "ALTER TABLE t ADD COLUMN note string"),
]
