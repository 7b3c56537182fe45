from tests.check.case import Case
from tests.check.tables import without_rows

T = without_rows("1 id int", version=3)

CASES = [
    Case("out of range", T, "ALTER TABLE t ADD COLUMN z int DEFAULT 3000000000", ("z",), "error"),
    Case("too many digits", T, "ALTER TABLE t ADD COLUMN z decimal(5, 2) DEFAULT 0.125", ("z",), "error"),
    Case("no day", T, "ALTER TABLE t ADD COLUMN z date DEFAULT '2024-02-30'", ("z",), "error"),
    Case("fits", T, "ALTER TABLE t ADD COLUMN z decimal(5, 2) DEFAULT 0.12"),
    Case("a day", T, "ALTER TABLE t ADD COLUMN z date DEFAULT '2024-02-29'"),
]
