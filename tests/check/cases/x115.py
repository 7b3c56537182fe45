from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import evolve, table

ROW = [{"id": 1}]
T = table("1 id int!", ROW)
ADD = "ALTER TABLE t ADD COLUMN st struct<s0: int NOT NULL>"
DEEP = "ALTER TABLE t ADD COLUMN st struct<u: struct<s0: int NOT NULL>>"
HAS = table("1 id int!, 2 s {3 a int!}", [{"id": 1, "s": {"a": 1}}])
NAMED = {"engines": ["pyiceberg"]}

CASES = [
    Case("in an added struct", T, ADD, ("st.s0",), "warning"),
    Case("at level schema", T, ADD, ("st.s0",), "info", {"level": "schema"}),
    Case("deeper", T, DEEP, ("st.u.s0",), "warning"),
    Case("there already", table("1 id int!", ROW, evolve("1 id int!, 2 s {3 a int!}")), None, ("s.a",), "warning"),
    Case("files may hold nulls", HAS, None, ("s.a",), "info"),
    Case("and the reader is named", HAS, None, ("s.a",), "warning", NAMED),
    Case("required by the change", table("1 id int!, 2 s {3 a int}", [{"id": 1, "s": {"a": 1}}]),
         UpdateSchema(format_version=2, allow_incompatible_changes=True).require_column("s.a"), ("s.a",), "info"),
    Case("for readers that cope", T, ADD, how={"engines": ["spark", "duckdb", "polars"]}),
    Case("an optional field", T, "ALTER TABLE t ADD COLUMN st struct<s0: int>"),
    Case("in a list, which no filter enters", T, "ALTER TABLE t ADD COLUMN l array<struct<s0: int NOT NULL>>"),
    Case("a required struct", table("1 id int!, 2 s {3 a int!}!", [{"id": 1, "s": {"a": 1}}]), None),
    Case("no rows", table("1 id int!"), ADD),
]  # fmt: skip
