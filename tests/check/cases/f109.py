import pyarrow as pa

from tests.check.case import Case
from tests.check.tables import Maker, foreign, table

NANOS, MILLIS, MICROS = pa.timestamp("ns"), pa.timestamp("ms"), pa.timestamp("us")


def one(kind: pa.DataType, requested: str, value: object = 1) -> Maker:
    return table(f"1 c {requested}", foreign({"c": pa.array([value], kind)}, c=1))


CASES = [
    Case("nanoseconds", one(NANOS, "timestamp", 1000), None, ("c",), "warning"),
    Case("milliseconds", one(MILLIS, "timestamp"), None, ("c",), "warning"),
    Case("microseconds", one(MICROS, "timestamp"), None),
    Case("adjusted to UTC", one(pa.timestamp("us", "UTC"), "timestamp"), None, ("c",), "warning"),
    Case("UTC under UTC", one(pa.timestamp("us", "UTC"), "timestamptz"), None),
    Case("eight bits", one(pa.int8(), "int"), None, ("c",), "warning"),
    Case("without sign", one(pa.uint32(), "long"), None, ("c",), "warning"),
    Case("a promoted int", one(pa.int32(), "long"), None),
    Case("half floats", one(pa.float16(), "float", 1.0), None, ("c",), "warning"),
    Case("a promoted float", one(pa.float32(), "double", 1.0), None),
    Case("bytes under string", one(pa.binary(), "string", b"x"), None, ("c",), "warning"),
    Case("string under binary", one(pa.string(), "binary", "x"), None, ("c",), "info"),
    Case("16 bytes under uuid", one(pa.binary(16), "uuid", bytes(16)), None, ("c",), "info"),
    Case("a time of milliseconds", one(pa.time32("ms"), "time"), None, ("c",), "warning"),
    Case("it is so before the change", one(NANOS, "timestamp", 1000), "ALTER TABLE t RENAME COLUMN c TO d"),
]
