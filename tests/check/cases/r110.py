from tests.check.case import Case
from tests.check.tables import table

PREFIX = "write.metadata.metrics.column."


def T(name):
    return table("1 id int!, 2 buyer {3 name string}", [{"id": 1, "buyer": None}], properties={PREFIX + name: "full"})


CASES = [
    Case("of a field in a renamed struct", T("buyer.name"), "ALTER TABLE t RENAME COLUMN buyer TO customer",
         ("buyer.name",), "info"),
    Case("there already", T("nobody"), None, ("nobody",), "info"),
    Case("of the renamed column itself", T("id"), "ALTER TABLE t RENAME COLUMN id TO key"),
    Case("of a column that is there", T("buyer.name"), None),
]  # fmt: skip
