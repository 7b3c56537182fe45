from tests.check.case import Case
from tests.check.tables import schema, table

ROWS = [{"id": 1, "region": "eu", "note": "x", "s": {"a": 1}}]
TEXT = "1 id int!, 2 region string, 3 note string, 4 s {5 a int}"


def T(spec=(), identifiers=(), **load):
    rows = lambda b: b.append(ROWS, partition={"p": 0 if "bucket" in spec[0][3] else None} if spec else None)  # noqa: E731
    return table(schema(TEXT, identifiers=identifiers), rows, spec=spec, load=load)


def order(source):
    fields = [{"source-id": source, "transform": "identity", "direction": "asc", "null-order": "nulls-first"}]
    return {"sort-orders": [{"order-id": 1, "fields": fields}], "default-sort-order-id": 1}


BUCKET = T([(2, 1000, "p", "bucket[4]")])
CASES = [
    Case("a partition source", BUCKET, "ALTER TABLE t DROP COLUMN region", ("region",), "error"),
    Case("the parent of one", T([(5, 1000, "p", "bucket[4]")]), "ALTER TABLE t DROP COLUMN s", ("s.a",), "error"),
    Case("a sort source", T(**order(3)), "ALTER TABLE t DROP COLUMN note", ("note",), "error"),
    Case("an identifier", T(identifiers=[1]), "ALTER TABLE t DROP COLUMN id", ("id",), "error"),
    Case("two at once", T([(2, 1000, "p", "bucket[4]")], **order(3)), "ALTER TABLE t DROP COLUMNS (region, note)",
         ("region", "note"), "error"),
    Case("another column", BUCKET, "ALTER TABLE t DROP COLUMN note"),
    Case("the source of a void field", T([(2, 1000, "p", "void")]), "ALTER TABLE t DROP COLUMN region"),
    Case("without data", table(TEXT, spec=[(2, 1000, "p", "identity")]), "ALTER TABLE t DROP COLUMN region",
         ("region",), "error"),
]  # fmt: skip
