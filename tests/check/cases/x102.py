from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import evolve, table

NANOS = table("1 t timestamp_ns", version=3)

CASES = [
    Case("nanoseconds", NANOS, None, ("t",), "warning"),
    Case("nanoseconds, for a reader that has them", NANOS, None, how={"engines": ("polars", "pyiceberg")}),
    Case("unknown, promoted since", table("1 u unknown", evolve("1 u int"), version=3), None, ("",), "warning"),
    Case("a variant that is added", table("1 a int", [{"a": 1}], version=3), "ALTER TABLE t ADD COLUMN v variant",
         ("v",), "warning"),
    Case("another column had it already", table("1 t time", version=3),
         UpdateSchema(format_version=3).add_column("u", "time")),
    Case("dropped, and its readers failed before", table("1 u unknown, 2 a int", version=3),
         "ALTER TABLE t DROP COLUMN u", how={"engines": ["duckdb"]}),
    Case("a time", table("1 t time"), None, ("t",), "warning"),
    Case("a geometry", table("1 g geometry", version=3), None, ("g",), "warning"),
    Case("microseconds", table("1 t timestamp"), None),
]  # fmt: skip
