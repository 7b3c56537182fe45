from tests.check.case import Case
from tests.check.tables import table

ROWS = lambda b: b.append([{"id": 1}], partition={"p": 1})  # noqa: E731
SPEC = [(1, 1000, "p", "identity")]


def specs(*fields, spec_id=0):
    made = [{"source-id": 1, "field-id": i, "name": f"p{i}", "transform": "identity"} for i in fields]
    return {"partition-specs": [{"spec-id": spec_id, "fields": made}], "default-spec-id": spec_id}


CASES = [
    Case("a field more", table("1 id int!", ROWS, spec=SPEC, load=specs(1000, 1001)), None, ("",), "warning"),
    Case("a field less", table("1 id int!", ROWS, spec=SPEC, load=specs()), None, ("",), "warning"),
    Case("an unknown spec", table("1 id int!", ROWS, spec=SPEC, load=specs(1000, spec_id=7)), None, ("",), "warning"),
    Case("the same fields", table("1 id int!", ROWS, spec=SPEC), None),
    Case("unpartitioned", table("1 id int!", [{"id": 1}]), None),
]
