import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import foreign, table

MAPPING = '[{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["v"]}]'
IDLESS = foreign({"id": pa.array([1, 2], pa.int32()), "v": pa.array([5, 6], pa.int32())})
T = table("1 id int, 2 v int", IDLESS, properties={"schema.name-mapping.default": MAPPING})
VALUES = {"level": "values", "engines": ["spark"]}

CASES = [
    Case(
        "a name is taken over in a mapping",
        T,
        "ALTER TABLE t RENAME COLUMN v TO w; ALTER TABLE t ADD COLUMN v int",
        ("v", "w"),
        "error",
        VALUES,
    ),
    Case("a rename that the mapping follows", T, "ALTER TABLE t RENAME COLUMN v TO w", how=VALUES),
    Case("a promotion", T, "ALTER TABLE t ALTER COLUMN v TYPE bigint", how=VALUES),
    Case("a drop", T, "ALTER TABLE t DROP COLUMN v", how=VALUES),
]
