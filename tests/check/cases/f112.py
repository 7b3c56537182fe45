from tests.check.case import Case
from tests.check.cases.f111 import data
from tests.check.tables import table

CASES = [
    Case("a key in the manifest", table("1 a int", data(key_metadata=b"k")), None, ("",), "warning"),
    Case("no key", table("1 a int", data()), None),
]
