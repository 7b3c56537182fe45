"""Differences by field id."""

from __future__ import annotations

from projector.evolution.schema_diff import ChangeKind, FieldChange, schema_diff
from projector.schema.schema import Schema
from projector.schema.types import (
    DecimalType,
    IntegerType,
    ListType,
    LongType,
    NestedField,
    StringType,
    StructType,
)


def field(field_id: int, name: str, kind: object = StringType(), **more: object) -> NestedField:
    return NestedField(field_id, name, kind, **more)  # type: ignore[arg-type]


def kinds(old: Schema, new: Schema) -> list[tuple[str, int]]:
    return [(change.kind.name, change.field_id) for change in schema_diff(old, new)]


def test_a_rename_keeps_its_id() -> None:
    old, new = Schema((field(1, "a"), field(2, "b"))), Schema((field(1, "a"), field(2, "c")))
    assert schema_diff(old, new) == (FieldChange(ChangeKind.RENAMED, 2, "c", "b", "c"),)


def test_a_name_used_again_is_a_drop_and_an_add() -> None:
    assert kinds(Schema((field(1, "a"), field(2, "b"))), Schema((field(1, "a"), field(3, "b")))) == [
        ("DROPPED", 2),
        ("ADDED", 3),
    ]


def test_swapped_names_are_two_renames() -> None:
    assert kinds(Schema((field(1, "a"), field(2, "b"))), Schema((field(1, "b"), field(2, "a")))) == [
        ("RENAMED", 1),
        ("RENAMED", 2),
    ]


def test_one_field_may_change_in_many_ways() -> None:
    old = Schema((field(1, "a", DecimalType(9, 2), required=True, doc="x"),))
    new = Schema((field(1, "b", DecimalType(18, 2), doc="y"),))
    assert schema_diff(old, new) == (
        FieldChange(ChangeKind.RENAMED, 1, "b", "a", "b"),
        FieldChange(ChangeKind.TYPE, 1, "b", "decimal(9, 2)", "decimal(18, 2)"),
        FieldChange(ChangeKind.OPTIONAL, 1, "b"),
        FieldChange(ChangeKind.DOC, 1, "b", "x", "y"),
    )


def test_defaults() -> None:
    old = Schema((field(1, "a", IntegerType(), write_default=1), field(2, "b", IntegerType())))
    new = Schema(
        (field(1, "a", IntegerType(), write_default=2), field(2, "b", IntegerType(), initial_default=0)),
    )
    assert schema_diff(old, new) == (
        FieldChange(ChangeKind.WRITE_DEFAULT, 1, "a", "1", "2"),
        FieldChange(ChangeKind.INITIAL_DEFAULT, 2, "b", None, "0"),
    )


def test_children_have_changes_of_their_own() -> None:
    def schema(*fields: NestedField) -> Schema:
        return Schema((field(1, "l", ListType(2, StructType(fields))),))

    old = schema(field(3, "x", IntegerType()), field(4, "y"))
    new = schema(field(3, "x", LongType()), field(5, "z", StructType((field(6, "q"),))))
    assert schema_diff(old, new) == (
        FieldChange(ChangeKind.DROPPED, 4, "l.element.y", before="string"),
        FieldChange(ChangeKind.TYPE, 3, "l.element.x", "int", "long"),
        FieldChange(ChangeKind.ADDED, 5, "l.element.z", after="optional struct<6: q: optional string>"),
    )


def test_an_added_or_dropped_parent_stands_for_its_children() -> None:
    nested = Schema((field(1, "id"), field(2, "s", StructType((field(3, "x"), field(4, "y"))))))
    plain = Schema((field(1, "id"),))
    assert kinds(plain, nested) == [("ADDED", 2)]
    assert kinds(nested, plain) == [("DROPPED", 2)]


def test_the_fewest_moves_explain_an_order() -> None:
    old = Schema(tuple(field(number, f"c{number}") for number in range(1, 6)))

    def reordered(*numbers: int) -> list[tuple[str, int]]:
        return kinds(old, Schema(tuple(field(number, f"c{number}") for number in numbers)))

    assert reordered(5, 1, 2, 3, 4) == [("MOVED", 5)]
    assert reordered(2, 3, 4, 5, 1) == [("MOVED", 1)]
    assert reordered(1, 4, 2, 3, 5) == [("MOVED", 4)]
    assert reordered(2, 4, 5) == [("DROPPED", 1), ("DROPPED", 3)]
    assert reordered(1, 9, 2, 3, 4, 5) == [("ADDED", 9)]


def test_identifier_fields() -> None:
    fields = (field(1, "a", required=True), field(2, "b", required=True))
    assert kinds(Schema(fields, 0, (1,)), Schema(fields, 1, (2,))) == [("IDENTIFIER", 2), ("NOT_IDENTIFIER", 1)]


def test_equal_schemas_do_not_differ() -> None:
    fields = (field(1, "a"), field(2, "s", StructType((field(3, "x"),))))
    assert schema_diff(Schema(fields, 0), Schema(fields, 7)) == ()
