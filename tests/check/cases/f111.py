from typing import Any

from tests.check.case import Case
from tests.check.tables import Step, table
from tests.planning.tables import TableBuilder


def data(**change: Any) -> Step:
    def step(builder: TableBuilder) -> None:
        builder.commit(0, [builder.data_file([{"a": 1}], change=change)])

    return step


CASES = [
    Case("an Avro file", table("1 a int", data(file_format="AVRO")), None, ("",), "warning"),
    Case("Avro and ORC", table("1 a int", data(file_format="AVRO"), data(file_format="orc")), None, ("", "")),
    Case("Parquet", table("1 a int", data(file_format="parquet")), None),
    Case("that is not the change's doing", table("1 a int", data(file_format="AVRO")), "ALTER TABLE t DROP COLUMN a"),
]
