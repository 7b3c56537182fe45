from projector.schema.schema import Schema
from projector.schema.types import IntegerType, NestedField
from tests.check.case import Case
from tests.check.tables import table

T = table("1 id int!", [{"id": 1}])
TWINS = Schema((NestedField(1, "a-b", IntegerType()), NestedField(2, "a_x2Db", IntegerType())))
PARTITIONED = table("1 id int!, 2 v int", spec=[(2, 1000, "v bucket", "bucket[4]")])

CASES = [
    Case("a dash", T, "ALTER TABLE t ADD COLUMN `a-b` int", ("a-b",), "info"),
    Case("a digit first", T, "ALTER TABLE t ADD COLUMN `2nd` int", ("2nd",), "info"),
    Case("two spelt alike", table(TWINS), None, ("a-b", "a_x2Db")),
    Case("a partition field", PARTITIONED, None, ("v bucket",), "info"),
    Case("letters of any script", T, "ALTER TABLE t ADD COLUMN `näme_é` int"),
    Case("plain", T, "ALTER TABLE t ADD COLUMN _ab2 int"),
]
