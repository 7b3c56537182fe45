"""SQL types: what every dialect stores for them in an Iceberg table."""

from __future__ import annotations

import pytest

from projector.errors import ParseError
from projector.evolution.operations.schema import AddColumn
from projector.evolution.sql import AlterScript, parse_alter

SAME = {
    "boolean": "boolean",
    "bigint": "long",
    "int": "int",
    "integer": "int",
    "real": "float",
    "double": "double",
    "date": "date",
    "decimal(12, 3)": "decimal(12, 3)",
    "decimal(12)": "decimal(12, 0)",
    "variant": "variant",
}
TYPES = {
    "spark": {
        **SAME,
        "byte": "int", "tinyint": "int", "short": "int", "smallint": "int", "long": "long", "float": "float",
        "decimal": "decimal(10, 0)", "dec": "decimal(10, 0)", "numeric(4,2)": "decimal(4, 2)", "string": "string",
        "varchar(9)": "string", "char(9)": "string", "binary": "binary", "timestamp": "timestamptz",
        "timestamp_ltz": "timestamptz", "timestamp_ntz": "timestamp", "void": "unknown",
        "array<int>": "list<int>", "map<string, array<bigint>>": "map<string, list<long>>",
        "struct<a: int, b string>": "struct<1: a: optional int, 2: b: optional string>",
    },
    "trino": {
        **SAME,
        "tinyint": "int", "smallint": "int", "decimal": "decimal(38, 0)", "varchar": "string", "varchar(9)": "string",
        "char": "string", "varbinary": "binary", "uuid": "uuid", "time": "time", "time(6)": "time", "time(3)": "time",
        "timestamp": "timestamp", "timestamp(6)": "timestamp", "timestamp(3)": "timestamp",
        "timestamp(9)": "timestamp_ns", "timestamp with time zone": "timestamptz",
        "timestamp(6) with time zone": "timestamptz", "timestamp(9) with time zone": "timestamptz_ns",
        "timestamp without time zone": "timestamp", "double precision": "double",
        "array(int)": "list<int>", "array<int>": "list<int>", "int array": "list<int>",
        "map(varchar, array(bigint))": "map<string, list<long>>",
        "row(a int, B varchar)": "struct<1: a: optional int, 2: b: optional string>",
    },
    "duckdb": {
        **SAME,
        "decimal": "decimal(18, 3)", "numeric": "decimal(18, 3)", "bool": "boolean", "int8": "long", "float": "float",
        "float8": "double", "varchar": "string", "varchar(9)": "string", "text": "string", "blob": "binary",
        "bytea": "binary", "uuid": "uuid", "time": "time", "timestamp": "timestamp", "datetime": "timestamp",
        "timestamp(9)": "timestamp_ns", "timestamp_ns": "timestamp_ns", "timestamptz": "timestamptz",
        "timestamp with time zone": "timestamptz", '"int"': "int",
        "int[]": "list<int>", "int[][]": "list<list<int>>", "int array": "list<int>",
        "map(varchar, bigint[])": "map<string, list<long>>",
        'struct(a int, "B" varchar)': "struct<1: a: optional int, 2: B: optional string>",
    },
}  # fmt: skip
LOSSES = {
    "spark": ["byte", "tinyint", "short", "smallint", "varchar(9)", "char(9)"],
    "trino": ["tinyint", "smallint", "varchar(9)", "char", "time(3)", "timestamp(3)"],
    "duckdb": ["varchar(9)"],
}
REFUSED = {
    "spark": ["uuid", "time", "interval day", "geometry(4326)", "decimal(39, 0)", "decimal(3, 4)", "varchar", "int[]",
              "array(int)", "struct<>", "struct<a: uuid>", "hugeint", "void2", "struct<a: int, a: int>"],
    "trino": ["string", "float", "json", "ipaddress", "timestamp(10)", "time with time zone", "time(9)", "row(int)",
              "hyperloglog", "array(interval year to month)", "struct(a int)", "timestamp_ntz"],
    "duckdb": ["tinyint", "smallint", "utinyint", "ubigint", "hugeint", "uhugeint", "json", "bit", "timetz",
               "timestamp_ms", "interval", "enum('a')", "union(a int)", "int[3]", "array<int>", "list(int)",
               "timestamp(3) with time zone2", "foo"],
}  # fmt: skip


def script(dialect: str, written: str) -> AlterScript:
    return parse_alter(f"ALTER TABLE t ADD COLUMN c {written}", dialect)


@pytest.mark.parametrize(("dialect", "written"), [(d, w) for d, table in TYPES.items() for w in table])
def test_type(dialect: str, written: str) -> None:
    for spelled in (written, written.upper() if '"' not in written else written):
        (located,) = script(dialect, spelled).operations
        assert isinstance(located.operation, AddColumn)
        assert str(located.operation.field_type).lower() == TYPES[dialect][written].lower()


@pytest.mark.parametrize(("dialect", "written"), [(d, w) for d, table in TYPES.items() for w in table])
def test_what_iceberg_does_not_keep_is_noted(dialect: str, written: str) -> None:
    notes = script(dialect, written).notes
    if written in LOSSES[dialect]:
        assert notes[0].position == len("ALTER TABLE t ADD COLUMN c ")
        assert "becomes" in notes[0].message
    else:
        assert [note for note in notes if "becomes" in note.message] == []


@pytest.mark.parametrize(("dialect", "written"), [(d, w) for d, listed in REFUSED.items() for w in listed])
def test_refused(dialect: str, written: str) -> None:
    with pytest.raises(ParseError) as raised:
        script(dialect, written)
    assert raised.value.position is not None
    assert raised.value.position >= len("ALTER TABLE t ADD COLUMN c ")


def test_an_unknown_dialect_is_named() -> None:
    with pytest.raises(Exception, match="Unknown SQL dialect: mysql"):
        parse_alter("ALTER TABLE t DROP COLUMN a", "mysql")


@pytest.mark.parametrize(
    ("dialect", "before", "after"),
    [
        ("spark", "array<", ">"),
        ("spark", "map<string, ", ">"),
        ("spark", "struct<a: ", ">"),
        ("trino", "array(", ")"),
        ("trino", "", " array"),
        ("duckdb", "", "[]"),
        ("duckdb", "struct(a int, b ", ")[]"),
    ],
)
def test_types_of_any_depth_are_parsed_or_refused(dialect: str, before: str, after: str) -> None:
    levels = before.count("(") + before.count("<") + after.count("[") + after.count("array") or 1
    deepest = 100 // levels
    parse_alter(f"ALTER TABLE t ADD COLUMN c {before * deepest}int{after * deepest}", dialect)
    for depth in (deepest + 1, 5000):
        with pytest.raises(ParseError, match="nested more than 100 levels deep"):
            parse_alter(f"ALTER TABLE t ADD COLUMN c {before * depth}int{after * depth}", dialect)
