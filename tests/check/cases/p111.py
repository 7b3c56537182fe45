import math
import struct

from tests.check.case import Case
from tests.check.tables import table


def T(kind, lower, upper):
    change = {f"{end}_bounds": [{"key": 1, "value": v}] for end, v in (("lower", lower), ("upper", upper))}
    return table(f"1 v {kind}", lambda b: b.append([{"v": None}], change=change))


def number(value):
    return struct.pack("<d", value)


def whole(value, size=4):
    return value.to_bytes(size, "little", signed=True)


CASES = [
    Case("inverted", T("int", whole(7), whole(-3)), None, ("v",), "error"),
    Case("inverted text", T("string", b"b", b"a"), None, ("v",), "error"),
    Case("NaN", T("double", number(math.nan), number(1.0)), None, ("v",), "error"),
    Case("NaN twice", T("double", number(math.nan), number(math.nan)), None, ("v",), "error"),
    Case("inverted longs", T("long", whole(7, 8), whole(-3, 8)), None, ("v",), "error"),
    Case("as it should be", T("int", whole(-3), whole(7)), None),
    Case("equal", T("int", whole(7), whole(7)), None),
    Case("two zeros", T("double", number(0.0), number(-0.0)), None),
    Case("of two widths", T("long", whole(-3), whole(7, 8)), None),
]
