"""What Spark 3.5 refuses in ALTER TABLE is refused in its dialect, though Iceberg's own API would take it."""

from __future__ import annotations

import pytest

from projector import Schema
from projector.errors import ParseError, SchemaUpdateError
from projector.evolution.sql import parse_alter, to_update

SCHEMA = Schema.from_json(
    {
        "type": "struct",
        "fields": [
            {"id": 1, "name": "a", "required": False, "type": "int"},
            {"id": 2, "name": "s", "required": False, "type": "string"},
            {
                "id": 3,
                "name": "l",
                "required": False,
                "type": {
                    "type": "list",
                    "element-id": 4,
                    "element-required": False,
                    "element": {"type": "struct", "fields": [{"id": 5, "name": "x", "required": False, "type": "int"}]},
                },
            },
            {
                "id": 6,
                "name": "m",
                "required": False,
                "type": {
                    "type": "map",
                    "key-id": 7,
                    "key": "string",
                    "value-id": 8,
                    "value-required": False,
                    "value": {"type": "struct", "fields": [{"id": 9, "name": "y", "required": False, "type": "int"}]},
                },
            },
        ],
    }
)


def applied(change: str, dialect: str = "spark") -> Schema:
    script = parse_alter(f"ALTER TABLE t {change}", dialect)
    return to_update(script, format_version=3).apply(SCHEMA, 9)[0]


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        ("ALTER COLUMN a COMMENT 'it''s'", r"write \\'"),
        ('ALTER COLUMN a COMMENT "it""s"', r'write \\"'),
        ("ALTER COLUMN a COMMENT 'it' 's'", "write one string"),
        ("ALTER COLUMN a TYPE smallint", "write INT"),
        ("ALTER COLUMN a TYPE tinyint", "write INT"),
        ("ALTER COLUMN s TYPE varchar(10)", "write STRING"),
        ("ALTER COLUMN s TYPE char(3)", "write STRING"),
        ("RENAME COLUMN a TO a", "leave it out"),
        ("ADD COLUMN n struct<>", "give it a field"),
    ],
)
def test_the_parser_refuses(change: str, hint: str) -> None:
    with pytest.raises(ParseError, match=hint):
        applied(change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("ADD COLUMN l.z int", "write l.element.z"),
        ("ADD COLUMN m.z int", "write m.value.z"),
        ("RENAME COLUMN l.element TO e", "element of a list"),
        ("RENAME COLUMN m.key TO k", "key of a map"),
        ("RENAME COLUMN m.value TO v", "value of a map"),
    ],
)
def test_the_update_refuses(change: str, message: str) -> None:
    with pytest.raises(SchemaUpdateError, match=message):
        applied(change)


@pytest.mark.parametrize(
    "change", ["ADD COLUMN l.element.z int", "ADD COLUMN m.value.z int", "ALTER COLUMN a TYPE int"]
)
def test_what_spark_takes_is_taken(change: str) -> None:
    assert applied(change).highest_field_id == (9 if "TYPE" in change else 10)


@pytest.mark.parametrize("change", ["ADD COLUMN n int DEFAULT 1", "ALTER COLUMN a SET DEFAULT 1"])
def test_a_default_is_taken_with_a_note(change: str) -> None:
    (note,) = parse_alter(f"ALTER TABLE t {change}", "spark").notes
    assert "Spark 3.5 refuses DEFAULT" in note.message


def test_a_field_named_like_a_part_of_a_list_can_be_renamed() -> None:
    schema = Schema.from_json(
        {
            "type": "struct",
            "fields": [
                {
                    "id": 1,
                    "name": "s",
                    "required": False,
                    "type": {
                        "type": "struct",
                        "fields": [{"id": 2, "name": "value", "required": False, "type": "int"}],
                    },
                }
            ],
        }
    )
    script = parse_alter("ALTER TABLE t RENAME COLUMN s.value TO v", "spark")
    assert to_update(script, format_version=2).apply(schema, 2)[0].name_of(2) == "s.v"


def test_other_dialects_follow_icebergs_api() -> None:
    assert applied("ADD COLUMN l.z int", "trino").name_of(10) == "l.element.z"
