from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import evolve, table

SQL = "ALTER TABLE t ALTER COLUMN v SET NOT NULL"
FULL = table("1 id int, 2 v int", [{"id": 1, "v": 1}])
NULLS = table("1 id int, 2 v int", [{"id": 1, "v": None}])


def forced() -> UpdateSchema:
    return UpdateSchema(allow_incompatible_changes=True).require_column("v")


CASES = [
    Case("refused, nulls or not", FULL, SQL, ("v",), "error"),
    Case("forced on nulls", NULLS, forced(), ("v",), "error"),
    Case("forced on files without the column", table("1 id int", [{"id": 1}], evolve("1 id int, 2 v int")), forced(),
         ("v",), "error"),
    Case("forced, and the manifests count no null", FULL, forced()),
    Case("the other way", table("1 id int, 2 v int!", [{"id": 1, "v": 1}]),
         "ALTER TABLE t ALTER COLUMN v DROP NOT NULL"),
]  # fmt: skip
