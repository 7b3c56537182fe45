from tests.check.case import Case
from tests.check.tables import evolve, table

T = table("1 id int!, 2 n int", lambda b: b.append([{"id": 1, "n": 5}], partition={"shard": 3}),
          spec=[(2, 1000, "shard", "bucket[16]")])  # fmt: skip

GONE = table("1 id int!, 2 region string", lambda b: b.partition_by(), evolve("1 id int!"),
             spec=[(2, 1000, "region", "identity")])  # fmt: skip

CASES = [
    Case("its source is gone", GONE, "ALTER TABLE t ADD COLUMN region string", ("region",), "error"),
    Case("added", T, "ALTER TABLE t ADD COLUMN shard int", ("shard",), "error"),
    Case("renamed", T, "ALTER TABLE t RENAME COLUMN id TO shard", ("shard",), "error"),
    Case("another name", T, "ALTER TABLE t ADD COLUMN shard2 int"),
]
