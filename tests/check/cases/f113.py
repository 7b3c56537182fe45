from tests.check.case import Case
from tests.check.tables import Step, table
from tests.planning.tables import TableBuilder


def deletes(prefix: str, reference: bool = False) -> Step:
    """A position delete for the one data file, spelled with a prefix."""

    def step(builder: TableBuilder) -> None:
        path = prefix + builder.append([{"a": 1}, {"a": 2}])
        bound = [{"key": 2147483546, "value": path.encode()}]
        more = {"referenced_data_file": path} if reference else {"lower_bounds": bound, "upper_bounds": bound}
        builder.delete_positions([(path, 0)], **more)

    return step


CASES = [
    Case("another scheme, by bounds", table("1 a int", deletes("file://")), None, ("",), "warning"),
    Case("another authority, by reference", table("1 a int", deletes("hdfs://node", True)), None, ("",), "warning"),
    Case("the same spelling", table("1 a int", deletes("")), None),
    Case("no deletes", table("1 a int", [{"a": 1}]), None),
]
