from tests.check.case import Case
from tests.check.tables import table

SPEC = [(1, 1000, "p", "identity")]
LONG = "a region with a long name"


def T(lower, upper, values=(LONG,), null=False, kind="string", **how):
    def step(b):
        records = [b.data_file([{"v": value}], {"p": value}) for value in values]
        summary = {"contains_null": null, "contains_nan": None, "lower_bound": lower, "upper_bound": upper}
        b.commit(0, records, partitions=[summary], **how)

    return table(f"1 v {kind}", step, spec=SPEC)


FULL = LONG.encode()
CASES = [
    Case("neither bounds nor nulls", T(None, None), None, ("p",), "error"),
    Case("inverted", T(b"b", b"a"), None, ("p",), "error"),
    Case("an upper bound that was cut", T(FULL[:4], FULL[:16]), None, ("p",), "error"),
    Case("a null that it leaves out", T(FULL, FULL, (None, LONG)), None, ("p",), "error"),
    Case("an upper bound that was rounded up", T(FULL[:4], b"b"), None),
    Case("nulls only", T(None, None, (None,), True), None),
    Case("NaN only perhaps", T(None, None, (float("nan"),), False, "double"), None),
    Case("no rows", T(None, None, (), added_rows_count=0), None),
    Case("as it should be", T(FULL, FULL, (LONG, None), True), None),
]
