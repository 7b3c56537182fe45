from tests.check.case import Case
from tests.check.tables import evolve, table

TEXT = "1 id int!, 2 region string"
OLD = lambda b: b.append([{"id": 1, "region": "eu"}], partition={"region": "eu"})  # noqa: E731
NEW = lambda b: b.append([{"id": 2, "region": "us"}])  # noqa: E731
UNPARTITIONED = lambda b: b.partition_by()  # noqa: E731
SPEC = [(2, 1000, "region", "identity")]
DROP = "ALTER TABLE t DROP COLUMN region"
GONE = table(TEXT, OLD, UNPARTITIONED, evolve("1 id int!"), spec=SPEC)

VOID = [(2, 1000, "region", "void")]
ROW = [{"id": 1, "region": "eu"}]

CASES = [
    Case("of a void field of the current spec", table(TEXT, ROW, spec=VOID), DROP, ("region",), "warning"),
    Case("which only one reader cannot read", table(TEXT, ROW, spec=VOID), DROP,
         how={"engines": ["spark", "polars", "pyiceberg"]}),
    Case("of a void field without files", table(TEXT, UNPARTITIONED, ROW, spec=VOID), DROP),
    Case("files of the old spec", table(TEXT, OLD, UNPARTITIONED, NEW, spec=SPEC), DROP, ("region",), "warning"),
    Case("it is gone already", GONE, None, ("region",), "warning"),
    Case("another change then", GONE, "ALTER TABLE t ADD COLUMN x int"),
    Case("at level schema", table(TEXT, OLD, UNPARTITIONED, NEW, spec=SPEC), DROP, ("region",), "info",
         {"level": "schema"}),
    Case("no file of it is alive", table(TEXT, UNPARTITIONED, NEW, spec=SPEC), DROP),
    Case("another column", table(TEXT + ", 3 x int", UNPARTITIONED, [{"id": 1, "region": "eu", "x": 1}], spec=SPEC),
         "ALTER TABLE t DROP COLUMN x"),
]  # fmt: skip
