from tests.check.case import Case
from tests.check.tables import evolve, table

ROWS = [{"id": 1, "v": 5}]
DROPPED = table("1 id int!, 2 v int", ROWS, evolve("1 id int!"))
ADD = "ALTER TABLE t ADD COLUMN v int"
NESTED = table("1 id int!, 2 s {3 v int, 4 w int}", [{"id": 1, "s": {"v": 1, "w": 2}}],
               evolve("1 id int!, 2 s {4 w int}"))  # fmt: skip

CASES = [
    Case("dropped earlier", DROPPED, ADD, ("v",), "info"),
    Case("in one script", table("1 id int!, 2 v int", ROWS), f"ALTER TABLE t DROP COLUMN v; {ADD}", ("v",), "info"),
    Case("renamed away", table("1 id int!, 2 v int", ROWS), f"ALTER TABLE t RENAME COLUMN v TO w; {ADD}", ("v",)),
    Case("at level schema", DROPPED, ADD, ("v",), "info", {"level": "schema"}),
    Case("in a struct", NESTED, "ALTER TABLE t ADD COLUMN s.v int", ("s.v",)),
    Case("the name of another level", NESTED, ADD),
    Case("no file holds it", table("1 id int!, 2 v int", evolve("1 id int!"), [{"id": 1}]), ADD),
    Case(
        "files hold it under another name",
        table("1 id int!, 2 v int", evolve("1 id int!, 2 w int"), [{"id": 1, "w": 5}], evolve("1 id int!")),
        ADD,
        ("v",),
        "info",
    ),
    Case("a new name", DROPPED, "ALTER TABLE t ADD COLUMN w int"),
]
