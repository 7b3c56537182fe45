import pyarrow as pa

from projector import Transaction, UpdateSchema
from tests.check.case import Case
from tests.check.tables import foreign, table

MAPPING = '[{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["v"]}]'
IDLESS = foreign({"id": pa.array([1, 2], pa.int32()), "v": pa.array([5, 6], pa.int32())})
RENAME = "ALTER TABLE t RENAME COLUMN v TO w"

CASES = [
    Case("no mapping", table("1 id int, 2 v int", IDLESS), RENAME, ("w",), "info"),
    Case("a mapping", table("1 id int, 2 v int", IDLESS, properties={"schema.name-mapping.default": MAPPING}), RENAME),
    Case("a mapping in the same change", table("1 id int, 2 v int", IDLESS),
         Transaction().set_name_mapping().record(UpdateSchema().rename_column("v", "w"))),
    Case("files with ids", table("1 id int, 2 v int", [{"id": 1, "v": 2}]), RENAME),
]  # fmt: skip
