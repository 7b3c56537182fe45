import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import evolve, foreign, table

TEXT = "1 id int, 2 name string, 3 city string"
COLUMNS = {"id": pa.array([1], pa.int32()), "name": pa.array(["x"]), "city": pa.array(["y"])}

CASES = [
    Case("exchanged", table(TEXT, foreign(COLUMNS, id=1, name=3, city=2)), None, ("city", "name"), "warning"),
    Case("the same", table(TEXT, foreign(COLUMNS, id=1, name=2, city=3)), None),
    Case("an unknown name", table(TEXT, foreign({"nm": pa.array(["x"])}, nm=2)), None),
    Case("its earlier name", table(TEXT, foreign(COLUMNS, id=1, name=2, city=3),
                                   evolve("1 id int, 2 city string, 3 name string")), None),
    Case("no ids", table(TEXT, foreign(COLUMNS)), None),
]  # fmt: skip
