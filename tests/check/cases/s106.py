from tests.check.case import Case
from tests.check.tables import evolve, table

OLD = table("1 id int, 2 note string", [{"id": 1, "note": "x"}], evolve("1 id int"), load={"last-column-id": 1})

CASES = [
    Case("below an older schema's id", OLD, None, ("",), "error"),
    Case("that is not the change's doing", OLD, "ALTER TABLE t ALTER COLUMN id TYPE bigint"),
    Case("right", table("1 id int", [{"id": 1}]), None),
]
