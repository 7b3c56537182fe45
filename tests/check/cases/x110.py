import json

import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import foreign, table

FILE = foreign({"a": pa.array([1], pa.int32()), "old": pa.array([1], pa.int32())})
WITHOUT = {"schema.name-mapping.default": json.dumps([{"field-id": 1, "names": ["a"]}, {"names": ["old"]}])}
WITH = {"schema.name-mapping.default": json.dumps([{"field-id": 1, "names": ["a"]}])}

CASES = [
    Case("an entry without an id", table("1 a int", FILE, properties=WITHOUT), None, ("",), "warning"),
    Case("for readers that cope", table("1 a int", FILE, properties=WITHOUT), None, how={"engines": ("duckdb",)}),
    Case("every file has ids", table("1 a int", [{"a": 1}], properties=WITHOUT), None),
    Case("every entry has an id", table("1 a int", FILE, properties=WITH), None),
]
