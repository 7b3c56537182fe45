from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import evolve, table

T = table("1 id int!, 2 a int, 3 b int", [{"id": 1, "a": 1, "b": 2}])
SWAP = UpdateSchema(format_version=2).rename_column("a", "b").rename_column("b", "a")
STEPS = "ALTER TABLE t RENAME COLUMN a TO x; ALTER TABLE t RENAME COLUMN b TO a; ALTER TABLE t RENAME COLUMN x TO b"
DROPPED = table("1 id int!, 2 a int, 3 b int", [{"id": 1, "a": 1, "b": 2}], evolve("1 id int!, 2 a int"))
UNUSED = table("1 id int!, 2 a int, 3 b int", evolve("1 id int!, 2 a int"), [{"id": 1, "a": 1}])

CASES = [
    Case("exchanged", T, SWAP, ("a", "b"), "info"),
    Case("exchanged in steps", T, STEPS, ("a", "b"), "info"),
    Case("passed on", T, "ALTER TABLE t RENAME COLUMN b TO c; ALTER TABLE t RENAME COLUMN a TO b", ("b",)),
    Case("the name of a dropped column", DROPPED, "ALTER TABLE t RENAME COLUMN a TO b", ("b",)),
    Case("which no file holds", UNUSED, "ALTER TABLE t RENAME COLUMN a TO b"),
    Case("a new name", T, "ALTER TABLE t RENAME COLUMN a TO c"),
    Case("its own old name", table("1 id int!, 2 a int", [{"id": 1, "a": 1}], evolve("1 id int!, 2 c int")),
         "ALTER TABLE t RENAME COLUMN c TO a"),
]  # fmt: skip
