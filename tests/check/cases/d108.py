from tests.check.case import Case
from tests.check.tables import table

ROWS = [{"id": 1, "v": 2}]
BY_GONE = {
    "sort-orders": [
        {
            "order-id": 1,
            "fields": [{"transform": "identity", "source-id": 9, "direction": "asc", "null-order": "nulls-first"}],
        }
    ],
    "default-sort-order-id": 1,
}
GONE_ORDER = table("1 id int, 2 v int", ROWS, load=BY_GONE)


CASES = [
    Case("the default order is by a column that is gone", GONE_ORDER, None, ("",), "error"),
    Case("that is not the change's doing", GONE_ORDER, "ALTER TABLE t ADD COLUMN b int"),
    Case("a column has the name of a field of a spec without files",
         table("1 id int, 2 v int", ROWS, load={"partition-specs": [
             {"spec-id": 0, "fields": []},
             {"spec-id": 1, "fields": [{"source-id": 1, "field-id": 1000, "name": "v", "transform": "bucket[4]"}]},
         ]}), None, ("v",), "error"),
    Case("an order by a column that is there", table("1 id int, 9 v int", [{"id": 1, "v": 2}], load=BY_GONE), None),
]  # fmt: skip
