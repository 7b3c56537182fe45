from projector import Transaction
from tests.check.case import Case
from tests.check.cases.r111 import MAPPED, UNMAPPED, proposed
from tests.check.tables import evolve, table

DROPPED = table("1 id int, 2 v int", [{"id": 1, "v": 2}], evolve("1 id int"))
IN_STRUCT = table("1 id int, 2 s {3 a int, 4 b int}", [{"id": 1, "s": {"a": 1, "b": 2}}],
                  evolve("1 id int, 2 s {3 a int}"))  # fmt: skip
WHOLE = table("1 id int, 2 s {3 a int}", [{"id": 1, "s": {"a": 1}}], evolve("1 id int"))
NEVER_WRITTEN = table("1 id int", [{"id": 1}], evolve("1 id int, 2 v int"), evolve("1 id int"))
VALUES = {"level": "values"}

CASES = [
    Case("undeleted", DROPPED, Transaction().undelete_column("v"), ("v",), "info"),
    Case("undeleted by another name", DROPPED, Transaction().undelete_column("v", "old_v"), ("old_v",), "info"),
    Case("inside a struct, read", IN_STRUCT, Transaction().undelete_column("s.b"), ("s.b",), "info", VALUES),
    Case("a struct with what is in it", WHOLE, Transaction().undelete_column("s"), ("s",), "info", VALUES),
    Case("a first mapping", UNMAPPED, Transaction().set_name_mapping(), ("id", "v"), "info", VALUES),
    Case("no file has it", NEVER_WRITTEN, Transaction().undelete_column("v")),
    Case("a new column of the name", DROPPED, "ALTER TABLE t ADD COLUMN v int"),
    Case("a mapping that says the same", MAPPED, proposed(id=1, v=2)),
]  # fmt: skip
