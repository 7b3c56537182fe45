import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import foreign, table

LACKS = foreign({"a": pa.array([1], pa.int32())}, a=1)

CASES = [
    Case("a file lacks it", table("1 a int, 2 b int!", LACKS), None, ("b",), "error"),
    Case("that is not the change's doing", table("1 a int, 2 b int!", LACKS), "ALTER TABLE t ADD COLUMN c int"),
    Case("every file has it", table("1 a int, 2 b int!", [{"a": 1, "b": 2}]), None),
    Case(
        "a rule on the change says it better", table("1 a int", [{"a": 1}]), "ALTER TABLE t ADD COLUMN b int NOT NULL"
    ),
    Case("the struct around it is missing", table("1 a int, 2 s {3 b int!}", LACKS), None),
]
