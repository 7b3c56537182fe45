from projector import UpdateSchema
from tests.check.case import Case
from tests.check.tables import table

FAR = table("1 id int, 2 until date", [{"id": 1, "until": 2932896}], version=3)  # 9999-12-31
NEAR = table("1 id int, 2 until date", [{"id": 1, "until": 19000}], version=3)


def to(kind: str) -> UpdateSchema:
    return UpdateSchema(format_version=3).update_column_type("until", kind)


CASES = [
    Case("the year 9999 in nanoseconds", FAR, to("timestamp_ns"), ("until",), "error"),
    Case("the year 9999 in microseconds", FAR, to("timestamp")),
    Case("the year 2022 in nanoseconds", NEAR, to("timestamp_ns")),
    Case("bounds are in the manifests, which level schema does not read", FAR, to("timestamp_ns"), (),
         how={"level": "schema"}),
]  # fmt: skip
