import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import foreign, table

ONE = {"id": pa.array([1], pa.int32())}
TEXT, SPEC = "1 id int, 2 p string", [(2, 1000, "p", "identity")]
STORED = table(TEXT, lambda b: b.append([{"id": 1, "p": "eu"}], partition={"p": "eu"}), spec=SPEC)

CASES = [
    Case("not in the file", table(TEXT, foreign(ONE, {"p": "eu"}, id=1), spec=SPEC), None, ("p",), "info"),
    Case("in the file", STORED, None),
    Case("not an identity", table("1 id int, 2 p string", foreign(ONE, {"b": 1}, id=1),
                                  spec=[(2, 1000, "b", "bucket[4]")]), None),
]  # fmt: skip
