from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import Step, evolve, table, without_rows
from tests.planning.tables import TableBuilder

SQL = "ALTER TABLE t ALTER COLUMN v SET NOT NULL"
FULL = table("1 id int, 2 v int", [{"id": 1, "v": 1}])
NULLS = table("1 id int, 2 v int", [{"id": 1, "v": None}])


def forced() -> UpdateSchema:
    return UpdateSchema(allow_incompatible_changes=True).require_column("v")


def deleted(builder: TableBuilder) -> None:
    file = builder.append([{"id": 1, "v": None}, {"id": 2, "v": 3}])
    builder.delete_positions([(file, 0)])


def uncounted(value: int | None) -> Step:
    return lambda builder: builder.commit(0, [builder.data_file([{"id": 1, "v": value}], bounds=False)])


ID_AND_V = "1 id int, 2 v int"
VALUES = {"level": "values"}
NESTED = table("1 id int, 2 s {3 v int}", [{"id": 1, "s": None}, {"id": 2, "s": {"v": 1}}])
FORCED_NESTED = UpdateSchema(allow_incompatible_changes=True).require_column("s.v")

CASES = [
    Case("refused, nulls or not", FULL, SQL, ("v",), "error"),
    Case("refused, though it is proven", FULL, SQL, ("v",), "error", VALUES),
    Case("forced on nulls", NULLS, forced(), ("v",), "error"),
    Case("forced on nulls that are read", NULLS, forced(), ("v",), "error", VALUES),
    Case("forced on files without the column", table("1 id int", [{"id": 1}], evolve(ID_AND_V)), forced(),
         ("v",), "error"),
    Case("forced, and the manifests count no null", FULL, forced(), ("v",), "info"),
    Case("forced, and nobody has counted", table(ID_AND_V, uncounted(1)), forced(), ("v",), "warning"),
    Case("forced, nobody has counted, and none is read", table(ID_AND_V, uncounted(1)), forced(), ("v",), "info",
         VALUES),
    Case("forced, nobody has counted, and one is read", table(ID_AND_V, uncounted(None)), forced(), ("v",), "error",
         VALUES),
    Case("forced, and the row with the null is deleted", table(ID_AND_V, deleted), forced(), ("v",), "info",
         {**VALUES, "compatibility": "backward"}),
    Case("forced in a struct that is null itself", NESTED, FORCED_NESTED, ("s.v",), "info", VALUES),
    Case("forced, metadata alone", FULL, forced(), ("v",), "warning", {"level": "schema"}),
    Case("forced on no rows", without_rows(ID_AND_V), forced()),
    Case("the other way", table("1 id int, 2 v int!", [{"id": 1, "v": 1}]),
         "ALTER TABLE t ALTER COLUMN v DROP NOT NULL"),
]  # fmt: skip
