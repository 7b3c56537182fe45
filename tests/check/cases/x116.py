from tests.check.case import Case
from tests.check.tables import table
from tests.planning.tables import TableBuilder

ROW = [{"id": 1}]


def under_version_1(builder: TableBuilder) -> None:
    """Take from every snapshot so far what version 1 does not record."""
    for snapshot in builder.snapshots:
        snapshot["sequence-number"] = 0


V1 = table("1 id int", ROW, under_version_1, version=1)
UPGRADED = table("1 id int", ROW, under_version_1)
UPGRADE = "ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2')"

CASES = [
    Case("by the upgrade", V1, UPGRADE, ("",), "warning"),
    Case("there already", UPGRADED, None, ("",), "warning"),
    Case("at level schema", UPGRADED, None, ("",), "warning", {"level": "schema"}),
    Case("for readers that cope", V1, UPGRADE, how={"engines": ["spark", "polars", "pyiceberg"]}),
    Case("a snapshot after it", table("1 id int", ROW, under_version_1, ROW), None),
    Case("no snapshot", table("1 id int", version=1), UPGRADE),
    Case("still version 1", V1, None),
]
