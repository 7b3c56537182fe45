from tests.check.case import Case
from tests.check.tables import evolve, table


def T(kind, bound, *after):
    bounds = [{"key": 1, "value": bound}]
    rows = lambda b: b.append([{"v": None}], change={"lower_bounds": bounds, "upper_bounds": bounds})  # noqa: E731
    return table(f"1 v {kind}", rows, *after)


CASES = [
    Case("eight bytes of an int", T("int", bytes(8)), None, ("v",), "error"),
    Case("no UTF-8", T("string", b"\xff"), None, ("v",), "error"),
    Case("beyond the precision", T("decimal(3,0)", b"\x7f\xff"), None, ("v",), "error"),
    Case("four bytes of a time", T("time", bytes(4)), None, ("v",), "error"),
    Case("four bytes of a long", T("long", bytes(4)), None),
    Case("four bytes of a timestamp", T("timestamp", b"\xff\xff\xff\x7f"), None),
    Case("of an int that became a long", T("int", bytes(4), evolve("1 v long")), None),
    Case("a text that was cut", T("string", b"ab"), None),
    Case("NaN", T("float", b"\x00\x00\xc0\x7f"), None),
]
