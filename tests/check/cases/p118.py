from projector import Transaction, UpdateSpec
from tests.check.case import Case
from tests.check.tables import table, without_rows

P = [(2, 1000, "p", "identity")]
ROWS = [lambda b, p=p: b.append([{"id": p, "p": p}], partition={"p": p}) for p in range(1, 5)]
MADE = table("1 id int, 2 p int", *ROWS, spec=P)
PLAIN = table("1 id int, 2 p int", [{"id": 1, "p": 1}, {"id": 2, "p": 2}])

CASES = [
    Case("the only field goes", MADE, "ALTER TABLE t DROP PARTITION FIELD p", ("p",), "info"),
    Case("one takes the place of another", MADE, "ALTER TABLE t REPLACE PARTITION FIELD p WITH bucket(4, p)",
         ("p", "p"), "info"),
    Case("a field is added", PLAIN, "ALTER TABLE t ADD PARTITION FIELD p", ("p",), "info"),
    Case("metadata alone", PLAIN, "ALTER TABLE t ADD PARTITION FIELD p", ("p",), "info", {"level": "schema"}),
    Case("recorded, not written", MADE, Transaction().record(UpdateSpec().remove_field("p")), ("p",), "info"),
    Case("a field is renamed", MADE, Transaction().record(UpdateSpec().rename_field("p", "q"))),
    Case("no rows", without_rows("1 id int, 2 p int"), "ALTER TABLE t ADD PARTITION FIELD p"),
    Case("columns only", MADE, "ALTER TABLE t ADD COLUMN x int"),
    Case("a field that is not there", MADE, "ALTER TABLE t DROP PARTITION FIELD bucket(4, id)"),
]  # fmt: skip
