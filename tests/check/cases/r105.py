import json

from tests.check.case import Case
from tests.check.tables import table


def T(text):
    return table("1 id int, 2 v int", [{"id": 1, "v": 2}], properties={"schema.name-mapping.default": text})


GOOD = [{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["v"]}]

CASES = [
    Case("no JSON", T("[{"), None, ("",), "error"),
    Case("one name twice", T(json.dumps([*GOOD, {"field-id": 3, "names": ["v"]}])), None, ("",), "error"),
    Case("one id twice", T(json.dumps([*GOOD, {"field-id": 2, "names": ["w"]}])), None, ("",), "error"),
    Case("as it should be", T(json.dumps(GOOD)), None),
    Case("names empty and no id", T(json.dumps([*GOOD, {"names": ["junk"]}, {"field-id": 9, "names": []}])), None),
    Case("no mapping", table("1 id int", [{"id": 1}]), None),
]
