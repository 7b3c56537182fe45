from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import without_rows

CASES = [
    Case("variant on version 2", without_rows("1 k int"), UpdateSchema().add_column("v", "variant"), ("v",), "error"),
    Case("inside a struct", without_rows("1 k int"),
         UpdateSchema().add_column("v", '{"type": "struct", "fields": [{"name": "t", "type": "timestamp_ns"}]}'),
         ("v",)),
    Case("variant on version 3", without_rows("1 k int", version=3), UpdateSchema().add_column("v", "variant")),
]  # fmt: skip
