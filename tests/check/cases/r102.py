import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import foreign, table

MAPPING = '[{"field-id": 1, "names": ["id"]}]'
IDLESS = foreign({"id": pa.array([1, 2], pa.int32())})

CASES = [
    Case("no mapping", table("1 id int", IDLESS), None, ("",), "error"),
    Case("among files with ids", table("1 id int", [{"id": 1}], IDLESS), None, ("",), "error"),
    Case("a change then", table("1 id int", IDLESS), "ALTER TABLE t ADD COLUMN x int"),
    Case("a mapping", table("1 id int", IDLESS, properties={"schema.name-mapping.default": MAPPING}), None),
    Case("files with ids", table("1 id int", [{"id": 1}]), None),
]
