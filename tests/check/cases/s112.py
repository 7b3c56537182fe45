from tests.check.case import Case
from tests.check.tables import without_rows

T = without_rows("1 id int, 2 s {3 a int}")

CASES = [
    Case("_file", T, "ALTER TABLE t ADD COLUMN _file string", ("_file",), "warning"),
    Case("rename", T, "ALTER TABLE t RENAME COLUMN id TO pos", ("pos",), "warning"),
    Case("in a struct", T, "ALTER TABLE t ADD COLUMN s._file string"),
    Case("another name with an underscore", T, "ALTER TABLE t ADD COLUMN _source string"),
]
