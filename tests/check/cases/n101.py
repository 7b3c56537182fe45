from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import table, without_rows

T = table("1 id int!", [{"id": 1}])
T3 = table("1 id int!", [{"id": 1}], version=3)


def forced() -> UpdateSchema:
    return UpdateSchema(allow_incompatible_changes=True).add_required_column("z", "int")


CASES = [
    Case("no default", T, "ALTER TABLE t ADD COLUMN z int NOT NULL", ("z",), "error"),
    Case("a default on version 3", T3, "ALTER TABLE t ADD COLUMN z int NOT NULL DEFAULT 7"),
    Case("optional", T, "ALTER TABLE t ADD COLUMN z int"),
    Case("forced", T, forced(), ("z",), "error"),
    Case("forced on a table without rows", without_rows("1 id int!"), forced()),
    Case("a required field in an added optional struct", T, "ALTER TABLE t ADD COLUMN s struct<a: int not null>"),
]
