from tests.check.case import Case
from tests.check.tables import table
from tests.planning.tables import TableBuilder

HOUR, DAY = (1, 1000, "h", "hour"), (1, 1001, "d", "day")


def by_day(builder: TableBuilder) -> None:
    builder.partition_by(DAY)


def hourly(builder: TableBuilder) -> None:
    builder.append([{"ts": 0}], partition={"h": 0})


def daily(builder: TableBuilder) -> None:
    builder.append([{"ts": 0}], partition={"d": 0})


T = "1 ts timestamp"

CASES = [
    Case("files of both", table(T, hourly, by_day, daily, spec=[HOUR]), None, ("ts",), "warning"),
    Case("for readers that cope", table(T, hourly, by_day, daily, spec=[HOUR]), None, how={"engines": ("spark",)}),
    Case("files of one", table(T, by_day, daily, spec=[HOUR]), None),
    Case("one spec", table(T, daily, spec=[DAY]), None),
    Case("files of one, and new files get the other", table(T, daily, spec=[DAY]),
         "ALTER TABLE t REPLACE PARTITION FIELD day(ts) WITH hour(ts)", ("ts",), "warning"),
    Case("no files", table(T, spec=[DAY]), "ALTER TABLE t REPLACE PARTITION FIELD day(ts) WITH hour(ts)"),
]  # fmt: skip
