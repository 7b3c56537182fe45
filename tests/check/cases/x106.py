from tests.check.case import Case
from tests.check.tables import Step, evolve, schema, table
from tests.planning.tables import TableBuilder


def upsert(text: str, row: dict[str, object], *ids: int) -> Step:
    def step(builder: TableBuilder) -> None:
        builder.delete_equal([row], schema(text), list(ids))

    return step


def by_position(builder: TableBuilder) -> None:
    builder.delete_positions([(builder.append([{"k": 1}]), 0)])


ROW = [{"k": 1, "v": 1}]
REQUIRED = upsert("1 k int!", {"k": 1}, 1)
NULLABLE = table("1 k int, 2 v int", ROW, upsert("1 k int", {"k": 1}, 1))
PROMOTED = table("1 k int!, 2 v int", ROW, REQUIRED, evolve("1 k long!, 2 v int"))
NESTED = table("1 s {2 k int!}!, 3 v int", [{"s": {"k": 1}, "v": 1}], upsert("1 s {2 k int!}!", {"s": {"k": 1}}, 2))

CASES = [
    Case("a key that may be null", NULLABLE, None, ("", "k"), "warning"),
    Case("a required key", table("1 k int!, 2 v int", ROW, REQUIRED), None, ("",), "warning"),
    Case("a promoted key", PROMOTED, None, ("", "k")),
    Case("a nested key", NESTED, None, ("", "s.k")),
    Case("readers that read them", NULLABLE, None, how={"engines": ("spark", "trino")}),
    Case("a rule on the change says it better", table("1 k int!, 2 v int", ROW, REQUIRED),
         "ALTER TABLE t ALTER COLUMN k TYPE bigint"),
    Case("position deletes", table("1 k int", by_position), None),
]  # fmt: skip
