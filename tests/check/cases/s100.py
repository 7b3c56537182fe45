from tests.check.case import Case
from tests.check.tables import table

T = table("1 id int!, 2 note string", [{"id": 1, "note": "x"}])

CASES = [
    Case("a name that exists", T, "ALTER TABLE t ADD COLUMN note int", ("note",), "error"),
    Case("every operation that is refused", T, "ALTER TABLE t DROP COLUMN a; ALTER TABLE t DROP COLUMN b", ("a", "b")),
    Case("what follows from it is not told", T,
         "ALTER TABLE t ADD COLUMN note int FIRST; ALTER TABLE t ADD COLUMN fine int", ("note",)),
    Case("explained by another rule", T, "ALTER TABLE t ALTER COLUMN id TYPE string"),
    Case("nothing refused", T, "ALTER TABLE t ADD COLUMN z int"),
]  # fmt: skip
