"""What each statement asks for, in each dialect."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from projector.evolution.operations.schema import (
    AddColumn,
    DeleteColumn,
    DropIdentifierFields,
    MakeColumnOptional,
    MoveColumn,
    NextStatement,
    RenameColumn,
    RequireColumn,
    SetIdentifierFields,
    UpdateColumnDefault,
    UpdateColumnDoc,
    UpdateColumnType,
)
from projector.evolution.sql import parse_alter, to_update
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    UUIDType,
)

INT, LONG, STRING = IntegerType(), LongType(), StringType()
UTC = datetime.UTC


def add(*path: str, type: Any = INT, **more: Any) -> AddColumn:
    return AddColumn(path[:-1], path[-1], type, **more)


POINT = StructType((NestedField(1, "x", DoubleType(), True), NestedField(2, "y", DoubleType(), False, "up")))
STATEMENTS: list[tuple[str, str, list[Any]]] = [
    # Spark
    ("spark", "ALTER TABLE t ADD COLUMN c int", [add("c")]),
    ("spark", "alter table cat.db.t add columns c int, d bigint", [add("c"), add("d", type=LONG)]),
    ("spark", "ALTER TABLE t ADD COLUMNS (c int, s.d string)", [add("c"), add("s", "d", type=STRING)]),
    ("spark", "ALTER TABLE t ADD COLUMN `a.b` int", [add("a.b")]),
    ("spark", "ALTER TABLE t ADD COLUMN `a``b` int", [add("a`b")]),
    ("spark", "ALTER TABLE t ADD COLUMN 2nd int", [add("2nd")]),
    ("spark", "ALTER TABLE t ADD COLUMN p struct<x: double NOT NULL, y double COMMENT 'up'>", [add("p", type=POINT)]),
    ("spark", "ALTER TABLE t ADD COLUMN l.element.z int", [add("l", "element", "z")]),
    ("spark", "ALTER TABLE t ADD COLUMN m.value.b int", [add("m", "value", "b")]),
    ("spark", "ALTER TABLE t ADD COLUMN c int FIRST", [add("c"), MoveColumn(("c",), "first")]),
    (
        "spark",
        "ALTER TABLE t ADD COLUMN s.c int AFTER b COMMENT 'x' NOT NULL DEFAULT 3",
        [add("s", "c", required=True, doc="x", default=3), MoveColumn(("s", "c"), "after", ("s", "b"))],
    ),
    ("spark", "ALTER TABLE t ADD COLUMN c int DEFAULT NULL", [add("c", default=None)]),
    ("spark", "ALTER TABLE t RENAME COLUMN a.b TO c", [RenameColumn(("a", "b"), "c")]),
    ("spark", "ALTER TABLE t ALTER COLUMN a.b TYPE bigint", [UpdateColumnType(("a", "b"), LONG)]),
    ("spark", "ALTER TABLE t ALTER a TYPE bigint", [UpdateColumnType(("a",), LONG)]),
    ("spark", "ALTER TABLE t CHANGE COLUMN a TYPE bigint", [UpdateColumnType(("a",), LONG)]),
    ("spark", 'ALTER TABLE t ALTER COLUMN a COMMENT "it\'s"', [UpdateColumnDoc(("a",), "it's")]),
    ("spark", r"ALTER TABLE t ALTER COLUMN a COMMENT 'it\'s\n'", [UpdateColumnDoc(("a",), "it's\n")]),
    ("spark", r"ALTER TABLE t ALTER COLUMN a COMMENT r'\d'", [UpdateColumnDoc(("a",), r"\d")]),
    ("spark", "ALTER TABLE t ALTER COLUMN s.a FIRST", [MoveColumn(("s", "a"), "first")]),
    ("spark", "ALTER TABLE t ALTER COLUMN s.a AFTER b", [MoveColumn(("s", "a"), "after", ("s", "b"))]),
    ("spark", "ALTER TABLE t ALTER COLUMN a SET NOT NULL", [RequireColumn(("a",))]),
    ("spark", "ALTER TABLE t ALTER COLUMN a DROP NOT NULL", [MakeColumnOptional(("a",))]),
    ("spark", "ALTER TABLE t ALTER COLUMN a SET DEFAULT -1.50", [UpdateColumnDefault(("a",), Decimal("-1.50"))]),
    ("spark", "ALTER TABLE t ALTER COLUMN a DROP DEFAULT", [UpdateColumnDefault(("a",), None)]),
    (
        "spark",
        "ALTER TABLE t ALTER COLUMN a TYPE bigint, b COMMENT 'x'",
        [UpdateColumnType(("a",), LONG), UpdateColumnDoc(("b",), "x")],
    ),
    (
        "spark",
        "ALTER TABLE t CHANGE COLUMN s.a A bigint COMMENT 'x' AFTER b",
        [
            UpdateColumnType(("s", "a"), LONG),
            UpdateColumnDoc(("s", "a"), "x"),
            MoveColumn(("s", "a"), "after", ("s", "b")),
        ],
    ),
    ("spark", "ALTER TABLE t DROP COLUMN a", [DeleteColumn(("a",))]),
    ("spark", "ALTER TABLE t DROP COLUMNS a, s.b", [DeleteColumn(("a",)), DeleteColumn(("s", "b"))]),
    (
        "spark",
        "ALTER TABLE t DROP COLUMNS IF EXISTS (a, s.b)",
        [DeleteColumn(("a",), True), DeleteColumn(("s", "b"), True)],
    ),
    ("spark", "ALTER TABLE t SET IDENTIFIER FIELDS a, s.b", [SetIdentifierFields((("a",), ("s", "b")))]),
    ("spark", "ALTER TABLE t DROP IDENTIFIER FIELDS a", [DropIdentifierFields((("a",),))]),
    # Trino
    ("trino", "ALTER TABLE IF EXISTS t ADD COLUMN s.c integer", [add("s", "c")]),
    (
        "trino",
        "ALTER TABLE t ADD COLUMN IF NOT EXISTS c integer DEFAULT 1 NOT NULL COMMENT 'it''s' AFTER b",
        [
            add("c", default=1, required=True, doc="it's", if_not_exists=True),
            MoveColumn(("c",), "after", ("b",), only_if_added=True),
        ],
    ),
    ("trino", "ALTER TABLE t ADD COLUMN c integer LAST", [add("c")]),
    ("trino", 'ALTER TABLE t ADD COLUMN "a""b.c" integer', [add('a"b.c')]),
    ("trino", "ALTER TABLE t ADD COLUMN Foo integer", [add("foo")]),
    ("trino", "ALTER TABLE t DROP COLUMN IF EXISTS s.c", [DeleteColumn(("s", "c"), True)]),
    ("trino", "ALTER TABLE t RENAME COLUMN IF EXISTS a TO b", [RenameColumn(("a",), "b", True)]),
    ("trino", "ALTER TABLE t ALTER COLUMN s.a SET DATA TYPE bigint", [UpdateColumnType(("s", "a"), LONG)]),
    ("trino", "ALTER TABLE t ALTER COLUMN a DROP NOT NULL", [MakeColumnOptional(("a",))]),
    ("trino", "ALTER TABLE t ALTER COLUMN a SET NOT NULL", [RequireColumn(("a",))]),
    ("trino", r"COMMENT ON COLUMN c.s.t.a IS 'back\slash'", [UpdateColumnDoc(("a",), r"back\slash")]),
    ("trino", "COMMENT ON COLUMN t.a IS NULL", [UpdateColumnDoc(("a",), None)]),
    # DuckDB
    ("duckdb", "ALTER TABLE t ADD c INTEGER", [add("c")]),
    ("duckdb", "ALTER TABLE t ADD COLUMN s.c INTEGER DEFAULT (3) NOT NULL", [add("s", "c", default=3, required=True)]),
    ("duckdb", "ALTER TABLE t ADD COLUMN IF NOT EXISTS c INTEGER", [add("c", if_not_exists=True)]),
    ("duckdb", "ALTER TABLE t DROP c CASCADE", [DeleteColumn(("c",))]),
    ("duckdb", "ALTER TABLE t DROP COLUMN IF EXISTS s.c", [DeleteColumn(("s", "c"), True)]),
    ("duckdb", "ALTER TABLE t RENAME i TO j", [RenameColumn(("i",), "j")]),
    ("duckdb", "ALTER TABLE t RENAME COLUMN s.i TO j", [RenameColumn(("s", "i"), "j")]),
    ("duckdb", "ALTER TABLE t ALTER i TYPE BIGINT", [UpdateColumnType(("i",), LONG)]),
    ("duckdb", "ALTER TABLE t ALTER COLUMN i SET DATA TYPE BIGINT", [UpdateColumnType(("i",), LONG)]),
    ("duckdb", 'ALTER TABLE t ALTER "a.b" SET DEFAULT 1_000', [UpdateColumnDefault(("a.b",), 1000)]),
    ("duckdb", "ALTER TABLE t ALTER i DROP DEFAULT", [UpdateColumnDefault(("i",), None)]),
    ("duckdb", "ALTER TABLE t ALTER i SET NOT NULL", [RequireColumn(("i",))]),
    ("duckdb", "ALTER TABLE t ALTER i DROP NOT NULL", [MakeColumnOptional(("i",))]),
    ("duckdb", "COMMENT ON COLUMN main.t.i IS $$it's$$", [UpdateColumnDoc(("i",), "it's")]),
]


@pytest.mark.parametrize(("dialect", "text", "expected"), STATEMENTS, ids=[f"{d}: {s}" for d, s, _ in STATEMENTS])
def test_statement(dialect: str, text: str, expected: list[Any]) -> None:
    for spelled in (text, f"-- before\n{text} ; -- after\n;", f"/* before */ {text}"):
        script = parse_alter(spelled, dialect)
        assert [located.operation for located in script.operations] == expected
        assert len(script.statements) == 1
        assert script.source(script.statements[0]) == text


DEFAULTS: list[tuple[str, str, Any, Any]] = [
    ("spark", "int DEFAULT 5", INT, 5),
    ("spark", "bigint DEFAULT -5L", LONG, -5),
    ("spark", "double DEFAULT 1.5D", DoubleType(), 1.5),
    ("spark", "decimal(10, 2) DEFAULT 1.5BD", DecimalType(10, 2), Decimal("1.5")),
    ("spark", "string DEFAULT 'x'", STRING, "x"),
    ("spark", "binary DEFAULT X'abc'", BinaryType(), b"\x0a\xbc"),
    ("spark", "date DEFAULT DATE '2024-02-29'", DateType(), datetime.date(2024, 2, 29)),
    ("spark", "date DEFAULT CAST('2024-02-29' AS DATE)", DateType(), datetime.date(2024, 2, 29)),
    (
        "spark",
        "timestamp DEFAULT TIMESTAMP '2024-01-01 01:02:03.5+02:00'",
        TimestamptzType(),
        datetime.datetime(2024, 1, 1, 1, 2, 3, 500000, datetime.timezone(datetime.timedelta(hours=2))),
    ),
    (
        "spark",
        "timestamp_ntz DEFAULT TIMESTAMP_NTZ '2024-01-01 01:02:03'",
        TimestampType(),
        datetime.datetime(2024, 1, 1, 1, 2, 3),
    ),
    ("trino", "decimal(10, 2) DEFAULT DECIMAL '1.50'", DecimalType(10, 2), Decimal("1.50")),
    ("trino", "varbinary DEFAULT X'ab 12'", BinaryType(), b"\xab\x12"),
    (
        "trino",
        "uuid DEFAULT UUID '123e4567-e89b-12d3-a456-426614174000'",
        UUIDType(),
        UUID("123e4567-e89b-12d3-a456-426614174000"),
    ),
    ("trino", "timestamp DEFAULT TIMESTAMP '2024-01-01'", TimestampType(), datetime.datetime(2024, 1, 1)),
    ("duckdb", r"BLOB DEFAULT '\xABc'", BinaryType(), b"\xabc"),
    ("duckdb", "DATE DEFAULT '2024-02-29'::DATE", DateType(), datetime.date(2024, 2, 29)),
    ("duckdb", r"TEXT DEFAULT E'a\tb'", STRING, "a\tb"),
    (
        "duckdb",
        "TIMESTAMPTZ DEFAULT '2024-01-01 01:00+00'",
        TimestamptzType(),
        datetime.datetime(2024, 1, 1, 1, tzinfo=UTC),
    ),
]


@pytest.mark.parametrize(("dialect", "written", "type_", "value"), DEFAULTS, ids=[f"{d}: {s}" for d, s, *_ in DEFAULTS])
def test_default(dialect: str, written: str, type_: Any, value: Any) -> None:
    (located,) = parse_alter(f"ALTER TABLE t ADD COLUMN c {written}", dialect).operations
    assert located.operation == add("c", type=type_, default=value)
    assert type(located.operation.default) is type(value) or isinstance(value, str)  # type: ignore[attr-defined]


def test_operations_keep_their_place() -> None:
    text = "ALTER TABLE t\n  ADD COLUMNS (a int, b bigint AFTER x);\nALTER TABLE t DROP COLUMN y"
    script = parse_alter(text)
    assert [script.source(located) for located in script.operations] == ["a int", "b bigint", "AFTER x", "y"]
    assert [script.line_and_column(located.start) for located in script.operations] == [
        (2, 16),
        (2, 23),
        (2, 32),
        (3, 27),
    ]
    sources = [operation.source for operation in to_update(script).operations]
    assert all(source is not None and source.text is text for source in sources)


def test_statements_see_what_the_ones_before_them_did() -> None:
    base = Schema((NestedField(1, "a", INT), NestedField(2, "b", STRING)))
    text = """
        ALTER TABLE t RENAME COLUMN a TO tmp; ALTER TABLE t RENAME COLUMN b TO a; ALTER TABLE t RENAME COLUMN tmp TO b;
        ALTER TABLE t ALTER COLUMN b TYPE bigint; ALTER TABLE t ADD COLUMN c int; ALTER TABLE t RENAME COLUMN c TO d;
    """
    update = to_update(parse_alter(text))
    assert sum(isinstance(operation, NextStatement) for operation in update.operations) == 5
    schema, last = update.apply(base, 2)
    assert [(f.field_id, f.name, f.field_type) for f in schema.fields] == [
        (1, "b", LONG),
        (2, "a", STRING),
        (3, "d", INT),
    ]
    assert last == 3


def test_names_match_without_regard_to_case_unless_asked() -> None:
    base = Schema((NestedField(1, "Qty", INT),))
    script = parse_alter("ALTER TABLE t ALTER COLUMN QTY TYPE bigint")
    assert to_update(script).apply(base, 1)[0].fields[0].field_type == LONG
    with pytest.raises(Exception, match="Cannot update missing column: QTY"):
        to_update(script, case_sensitive=True).apply(base, 1)


def test_conditions_look_at_the_schema() -> None:
    base = Schema((NestedField(1, "a", INT), NestedField(2, "b", INT)))
    text = """
        ALTER TABLE t ADD COLUMN IF NOT EXISTS b bigint FIRST; ALTER TABLE t DROP COLUMN IF EXISTS zz;
        ALTER TABLE t RENAME COLUMN IF EXISTS zz TO y; ALTER TABLE t ADD COLUMN IF NOT EXISTS c integer FIRST
    """
    schema, _ = to_update(parse_alter(text, "trino")).apply(base, 2)
    assert [(f.field_id, f.name) for f in schema.fields] == [(3, "c"), (1, "a"), (2, "b")]


def test_identifier_fields_in_any_case() -> None:
    base = Schema((NestedField(1, "Id", INT, True), NestedField(2, "key", INT, True)))
    script = parse_alter("ALTER TABLE t SET IDENTIFIER FIELDS ID, key; ALTER TABLE t DROP IDENTIFIER FIELDS KEY")
    assert to_update(script).apply(base, 2)[0].identifier_field_ids == (1,)


@pytest.mark.parametrize("other", ["t", "db.t", "cat.db.t", "`DB`.T"])
def test_one_table_may_be_spelled_short(other: str) -> None:
    script = parse_alter(f"ALTER TABLE db.t DROP COLUMN a; ALTER TABLE {other} DROP COLUMN b")
    assert len(script.statements) == 2
    assert len(script.table) >= 2


def test_text_in_a_binary_default_is_never_read_as_hexadecimal() -> None:
    base = Schema((NestedField(1, "b", BinaryType()),))
    update = to_update(parse_alter("ALTER TABLE t ALTER COLUMN b SET DEFAULT 'abcd'"), format_version=3)
    with pytest.raises(Exception, match="binary"):
        update.apply(base, 1)
