from tests.check.case import Case
from tests.check.tables import table
from tests.planning.tables import TableBuilder

ROWS = [{"v": 3}, {"v": 5}]
CHANGE = "ALTER TABLE t ADD COLUMN z int"


def in_two_manifests(builder: TableBuilder) -> None:
    record = builder.data_file(ROWS)
    builder.commit(0, [record])
    builder.commit(0, [record])


def in_one_manifest(builder: TableBuilder) -> None:
    record = builder.data_file(ROWS)
    builder.commit(0, [record, record])


def spelled_twice(builder: TableBuilder) -> None:
    record = builder.data_file(ROWS)
    other = {**record, "data_file": {**record["data_file"], "file_path": "file:" + record["data_file"]["file_path"]}}
    builder.commit(0, [record])
    builder.commit(0, [other])


def a_delete_file(builder: TableBuilder) -> None:
    builder.delete_positions([(builder.append(ROWS), 0)])
    builder.manifests.append({**builder.manifests[-1]})
    builder.commit(0, [builder.data_file(ROWS)])


def two_vectors(builder: TableBuilder) -> None:
    file = builder.append(ROWS)
    builder.delete_vectors({file: [0]})
    builder.delete_vectors({file: [1]})


def in_two_snapshots(builder: TableBuilder) -> None:
    """A snapshot after the other, which lists the file anew: a rewritten manifest."""
    record = builder.data_file(ROWS)
    builder.commit(0, [record])
    builder.manifests.clear()
    builder.commit(0, [record])


CASES = [
    *(
        Case(f"{name}, {'check' if sql else 'audit'}", table("1 v int", step, version=version), sql, ("",), "error")
        for sql in (None, CHANGE)
        for name, step, version in (
            ("two manifests", in_two_manifests, 2),
            ("one manifest", in_one_manifest, 2),
            ("two spellings", spelled_twice, 2),
            ("two vectors", two_vectors, 3),
        )
    ),
    Case("the same manifest twice in a list", table("1 v int", a_delete_file), None, ()),
    Case("a rewritten manifest", table("1 v int", in_two_snapshots), None),
    Case("two files", table("1 v int", ROWS, ROWS), CHANGE),
]
