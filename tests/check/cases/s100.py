from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import table

T = table("1 id int!, 2 note string", [{"id": 1, "note": "x"}])

CASES = [
    Case("a field of what is no struct", T, UpdateSchema().add_column(("note", "x"), "int"), ("note.x",), "error"),
    Case("an identifier field", T, "ALTER TABLE t SET IDENTIFIER FIELDS note", ("",), "error"),
    Case("every operation that is refused", T,
         UpdateSchema().add_column(("note", "x"), "int").add_column("a.b", "int").add_column("c", "int"),
         ("note.x", "a.b")),
    Case("explained by another rule", T, "ALTER TABLE t ALTER COLUMN id TYPE string"),
    Case("nothing refused", T, "ALTER TABLE t ADD COLUMN z int"),
]  # fmt: skip
