from projector.schema.schema import Schema
from projector.schema.types import IntegerType, NestedField
from tests.check.case import Case
from tests.check.tables import without_rows

BOTH = Schema(
    (NestedField(1, "k", IntegerType(), True, None, 7, 7), NestedField(2, "o", IntegerType(), False, None, 7, 7))
)
T = without_rows(BOTH, version=3)

CASES = [
    Case("the write default of a required column goes", T, "ALTER TABLE t ALTER COLUMN k DROP DEFAULT", ("k",),
         "warning"),
    Case("another write default", T, "ALTER TABLE t ALTER COLUMN k SET DEFAULT 8"),
    Case("the write default of an optional column goes", T, "ALTER TABLE t ALTER COLUMN o DROP DEFAULT"),
]  # fmt: skip
