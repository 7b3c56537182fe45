from tests.check.case import Case
from tests.check.tables import without_rows

T = without_rows("1 id int, 2 a int, 3 s string")

CASES = [
    Case("added first", T, "ALTER TABLE t ADD COLUMN note string FIRST", ("note",), "info"),
    Case("added in the middle", T, "ALTER TABLE t ADD COLUMN note string AFTER id", ("note",), "info"),
    Case("moved", T, "ALTER TABLE t ALTER COLUMN s FIRST", ("s",), "info"),
    Case("dropped before others", T, "ALTER TABLE t DROP COLUMN a", ("s",), "info"),
    Case("added last", T, "ALTER TABLE t ADD COLUMN note string"),
    Case("dropped last", T, "ALTER TABLE t DROP COLUMN s"),
    Case("of one type", T, "ALTER TABLE t ALTER COLUMN a FIRST"),
    Case("promoted in its place", T, "ALTER TABLE t ALTER COLUMN a TYPE bigint"),
]
