"""`UpdateSchema`: what it records, and what is peculiar to it beside Java's answers."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest

from projector.errors import SchemaUpdateError
from projector.evolution.operations.schema import (
    AddColumn,
    DeleteColumn,
    DropIdentifierFields,
    MoveColumn,
    NextStatement,
    RenameColumn,
    Source,
    SqlText,
)
from projector.evolution.updates.update_schema import UpdateSchema
from projector.schema.schema import Schema
from projector.schema.types import (
    BinaryType,
    DecimalType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
)
from tests.evolution.tables import ORDERS


def names(schema: Schema) -> list[str]:
    return [".".join(path) for path, _ in schema.walk()]


def apply(update: UpdateSchema, base: Schema = ORDERS) -> Schema:
    return update.apply(base, max(base.highest_field_id, 13))[0]


def failing(update: UpdateSchema, base: Schema = ORDERS) -> SchemaUpdateError:
    with pytest.raises(SchemaUpdateError) as caught:
        apply(update, base)
    return caught.value


def test_nothing_is_looked_at_before_apply() -> None:
    update = UpdateSchema().rename_column("nowhere", "x").add_column("y", "no type").union_by_name("no schema")
    update.add_column(7, object()).delete_column(None)  # type: ignore[arg-type]
    assert len(update.operations) == 5


def test_an_empty_update_gives_the_base_itself() -> None:
    assert UpdateSchema().is_empty()
    assert UpdateSchema().apply(ORDERS, 40) == (ORDERS, 40)
    assert UpdateSchema().apply(ORDERS, 40)[0] is ORDERS


def test_one_update_can_be_applied_to_another_base() -> None:
    update = UpdateSchema().add_column("x", "int")
    other = Schema((NestedField(7, "a", LongType()),), schema_id=3)
    assert apply(update).find_field("x").field_id == 14
    assert update.apply(other, 90)[0].find_field("x").field_id == 91


@pytest.mark.parametrize(
    "spelling",
    [
        "decimal(10, 2)",
        "decimal(10,2)",
        '"decimal(10, 2)"',
        DecimalType(10, 2),
    ],
)
def test_types_as_text_or_objects(spelling: object) -> None:
    assert apply(UpdateSchema().add_column("x", spelling)).find_field("x").field_type == DecimalType(10, 2)


def test_nested_types_with_and_without_placeholder_ids() -> None:
    nested = {
        "type": "map",
        "key": "string",
        "value": {"type": "list", "element": {"type": "struct", "fields": [{"name": "a", "type": "int"}]}},
    }
    with_ids = MapType(1, StringType(), 2, ListType(3, StructType((NestedField(4, "a", IntegerType()),))))
    expected = MapType(15, StringType(), 16, ListType(17, StructType((NestedField(18, "a", IntegerType()),))))
    for given in (nested, json.dumps(nested), with_ids):
        assert apply(UpdateSchema().add_column("x", given)).find_field("x").field_type == expected


def test_a_type_given_as_a_dict_is_recorded_as_it_is_now() -> None:
    given = {"type": "list", "element": "int"}
    update = UpdateSchema().add_column("x", given)
    given["element"] = "string"
    assert apply(update).find_field("x").field_type == ListType(15, IntegerType())


@pytest.mark.parametrize("wrong", ["", "integer", "decimal(99, 1)", '{"type": "list"}', '{"type"', '"', 5, None, int])
def test_what_is_no_type(wrong: object) -> None:
    error = failing(UpdateSchema().add_column("x", wrong))
    assert error.operation_index == 0
    assert isinstance(error.operation, AddColumn)


@pytest.mark.parametrize("wrong", [None, 5, ("a", 5), b"id"])
def test_what_is_no_path(wrong: object) -> None:
    assert failing(UpdateSchema().delete_column(wrong)).message == f"Not a column name: {wrong!r}"  # type: ignore[arg-type]


def test_tuple_paths() -> None:
    update = UpdateSchema().add_column(("buyer", "zip"), "int").add_column(("a.b",), "int")
    update.rename_column(("buyer", "age"), "years").move_first(("buyer", "zip")).update_column_doc(("a.b",), "dotted")
    update.add_nested_column(("lines",), "n", "int").add_required_column(("id2",), "int", default=4)
    update.add_required_column("x", "int", default=4, parent=("buyer",))
    update.set_identifier_fields(("id",))
    update.format_version = 3
    schema = apply(update)
    assert names(schema) == [
        "id", "note", "day", "buyer", "buyer.zip", "buyer.name", "buyer.years", "buyer.x", "lines", "lines.element",
        "lines.element.sku", "lines.element.n", "prices", "prices.key", "prices.value", "prices.value.net",
        "a.b", "id2",
    ]  # fmt: skip
    assert schema.find_field(("a.b",)).doc == "dotted"
    assert schema.identifier_field_ids == (1,)


def test_a_literal_dot_beside_a_path() -> None:
    base = apply(UpdateSchema().add_column(("x.y",), "int"))
    schema = apply(UpdateSchema().add_column("x", {"type": "struct", "fields": []}), base)
    assert failing(UpdateSchema().add_nested_column("x", "y", "int"), schema).message == (
        "Cannot add column, name already exists: x.y"
    )
    assert failing(UpdateSchema().add_column(("x", "y"), "int"), schema).message == (
        "Invalid schema: multiple fields for name x.y: 14 and 16"
    )


def test_a_schema_with_two_fields_under_one_dotted_name_can_still_be_changed() -> None:
    base = Schema(
        (NestedField(1, "a.b", IntegerType()), NestedField(2, "a", StructType((NestedField(3, "b", IntegerType()),))))
    )
    schema = apply(UpdateSchema().update_column_type("a.b", "long").update_column_doc(("a", "b"), "nested"), base)
    assert schema.fields_by_id[1].field_type == LongType()
    assert schema.fields_by_id[3].doc == "nested"


def test_defaults_are_converted_exactly_or_refused() -> None:
    update = UpdateSchema(format_version=3)
    update.add_column("d", "date", default=date(1970, 1, 11)).add_column("e", "decimal(5, 2)", default=Decimal("1.5"))
    update.add_column("s", {"type": "struct", "fields": []}, default={}).add_column("n", "int", default=None)
    schema = apply(update)
    assert schema.find_field("d").initial_default == schema.find_field("d").write_default == 10
    assert str(schema.find_field("e").initial_default) == "1.50"
    assert schema.find_field("s").initial_default == {}
    assert schema.find_field("n").initial_default is None
    error = failing(UpdateSchema(format_version=3).add_column("x", "int", default=2**31))
    assert error.message == "Cannot cast default value to int: 2147483648"


def test_text_from_sql_is_not_hexadecimal() -> None:
    error = failing(UpdateSchema(format_version=3).add_column("b", "binary", default=SqlText("ff")))
    assert error.message == "Cannot cast default value to binary: 'ff'"
    update = UpdateSchema(format_version=3).add_column("b", BinaryType(), default="ff")
    assert apply(update).find_field("b").initial_default == b"\xff"


def test_the_defaults_of_a_promoted_column_are_promoted() -> None:
    base = apply(UpdateSchema(format_version=3).add_column("d", "date", default=1))
    schema = apply(UpdateSchema(format_version=3).update_column_type("d", "timestamp"), base)
    assert schema.find_field("d").initial_default == schema.find_field("d").write_default == 86_400_000_000
    assert failing(UpdateSchema().update_column_type("d", "timestamp"), base).message == (
        "Cannot change column type: d: date -> timestamp"
    )


def test_names_that_differ_only_in_case_are_refused_without_regard_to_case() -> None:
    twice = UpdateSchema(case_sensitive=False).add_column("total", "int").add_column("TOTAL", "int")
    assert failing(twice).message == "Cannot build lower case index: total and TOTAL collide"
    again = UpdateSchema(case_sensitive=False).add_column("NOTE", "int")
    assert failing(again).message == "Cannot add column, name already exists: NOTE"
    assert "NOTE" in names(apply(UpdateSchema().add_column("NOTE", "int")))


def test_an_identifier_field_with_capitals_does_not_stop_updates_without_regard_to_case() -> None:
    base = Schema((NestedField(1, "Id", IntegerType(), required=True),), identifier_field_ids=(1,))
    schema = apply(UpdateSchema(case_sensitive=False).add_column("x", "int"), base)
    assert schema.identifier_field_ids == (1,)


@pytest.mark.parametrize(
    ("update", "hint"),
    [
        (UpdateSchema().rename_column("note", "text").move_first("text"), "use note here"),
        (UpdateSchema().rename_column("buyer", "client").update_column_doc("client.age", ""), None),
        (UpdateSchema().rename_column("buyer", "client").delete_column("client"), "use buyer here"),
        (
            UpdateSchema().add_nested_column("lines", "n", "int").move_first("lines.n"),
            "this update adds lines.element.n",
        ),
        (UpdateSchema(case_sensitive=False).add_column("Xy", "int").move_first("xy"), "this update adds Xy"),
    ],
)
def test_a_name_that_the_update_itself_makes_gets_a_hint(update: UpdateSchema, hint: str | None) -> None:
    error = failing(update)
    assert "missing column" in error.message
    assert hint is None or (error.hint is not None and hint in error.hint)


def test_union_by_name_is_strict() -> None:
    given = Schema(
        (
            NestedField(9, "id", IntegerType(), doc="key"),
            NestedField(8, "buyer", StructType((NestedField(7, "zip", IntegerType()),))),
            NestedField(6, "lines", ListType(5, StructType((NestedField(4, "n", LongType(), doc="many"),)))),
            NestedField(3, "extra", StructType((NestedField(2, "must", LongType(), required=True),))),
        )
    )
    schema = apply(UpdateSchema().union_by_name(given))
    assert schema.find_field("id") == NestedField(1, "id", IntegerType(), doc="key")
    assert schema.find_field("buyer.zip").field_id == 14
    assert schema.find_field("lines.n") == NestedField(15, "n", LongType(), doc="many")
    assert schema.find_field("extra").field_id == 16
    assert schema.find_field("extra.must").required
    assert "note" in names(schema)
    for wrong, sentence in (
        (NestedField(1, "id", LongType()), "Cannot change column type: id: int -> long"),
        (NestedField(1, "id", StructType()), "Not a struct type: int"),
        (
            NestedField(1, "buyer", IntegerType()),
            f"Cannot change column type: buyer: {ORDERS.fields[3].field_type} -> int",
        ),
        (NestedField(1, "x", LongType(), required=True), "Incompatible change: cannot add required column by name: x"),
    ):
        assert failing(UpdateSchema().union_by_name(Schema((wrong,)))).message == sentence


def test_union_by_name_takes_arrow_schemas_and_json() -> None:
    arrow = pa.schema([pa.field("id", pa.int32(), nullable=False), pa.field("when", pa.timestamp("us", "UTC"))])
    with_arrow = apply(UpdateSchema().union_by_name(arrow))
    assert str(with_arrow.find_field("when").field_type) == "timestamptz"
    listed = {"type": "struct", "fields": [{"name": "when", "type": "timestamptz", "required": False}]}
    for given in (listed, json.dumps(listed)):
        assert apply(UpdateSchema().union_by_name(given)).same_columns(with_arrow)


def test_the_source_of_an_operation_is_told() -> None:
    text = "ALTER TABLE t\nDROP COLUMN nope"
    error = failing(UpdateSchema().record(DeleteColumn("nope", source=Source(text, text.index("nope")))))
    assert error.message == "Cannot delete missing column: nope"
    assert str(error) == "Cannot delete missing column: nope; at line 2, column 13"


def test_if_exists_and_if_not_exists() -> None:
    update = UpdateSchema().record(
        DeleteColumn("nope", if_exists=True),
        RenameColumn("nope", "x", if_exists=True),
        AddColumn(None, "note", "int", if_not_exists=True),
        MoveColumn("note", "first", only_if_added=True),
        AddColumn(None, "x", "int", if_not_exists=True),
        AddColumn(None, "x", "string", if_not_exists=True),
        MoveColumn("x", "first", only_if_added=True),
    )
    schema = apply(update)
    assert schema.fields[0] == NestedField(14, "x", IntegerType())
    assert schema.fields[1:] == ORDERS.fields


def test_statements_see_what_the_ones_before_them_did() -> None:
    update = UpdateSchema().rename_column("note", "text").add_nested_column("buyer", "zip", "int")
    update.record(NextStatement()).update_column_doc("text", "free").add_column("note", "int").record(NextStatement())
    update.rename_column("buyer.zip", "code").delete_column("note")
    schema, last_column_id = update.apply(ORDERS, 13)
    assert schema.find_field("text") == NestedField(2, "text", StringType(), doc="free")
    assert schema.find_field("buyer.code").field_id == 14
    assert (schema.schema_id, last_column_id) == (0, 15)
    back_again = UpdateSchema().rename_column("note", "x").record(NextStatement()).rename_column("x", "note")
    assert back_again.apply(ORDERS, 13)[0] is ORDERS


def test_dropping_identifier_fields() -> None:
    base = apply(
        UpdateSchema(allow_incompatible_changes=True).require_column("note").set_identifier_fields("id", "note")
    )
    assert apply(UpdateSchema().record(DropIdentifierFields(("note",))), base).identifier_field_ids == (1,)
    assert failing(UpdateSchema().record(DropIdentifierFields(("day",))), base).message == (
        "Cannot drop identifier field day: it is not an identifier field"
    )
    dropped = UpdateSchema().record(DropIdentifierFields(("note",))).delete_column("note")
    assert "note" not in names(apply(dropped, base))


def test_a_nested_identifier_field_follows_renames_that_swap() -> None:
    inner = StructType((NestedField(3, "k", IntegerType(), required=True),))
    other = StructType((NestedField(4, "k", IntegerType(), required=True),))
    base = Schema((NestedField(1, "a", inner, True), NestedField(2, "b", other, True)), identifier_field_ids=(3,))
    swapped = apply(UpdateSchema().rename_column("a", "b").rename_column("b", "a"), base)
    assert swapped.identifier_field_ids == (3,)


def test_ids_run_out() -> None:
    with pytest.raises(SchemaUpdateError, match="Cannot assign a field id above 2147483447"):
        UpdateSchema().add_column("x", "int").apply(ORDERS, 2147483447)


def nested(depth: int) -> ListType | IntegerType:
    found: ListType | IntegerType = IntegerType()
    for _ in range(depth):
        found = ListType(1, found)
    return found


@pytest.mark.parametrize("depth", [101, 400])
def test_a_column_deeper_than_can_be_read_is_refused(depth: int) -> None:
    """What could not be loaded again must not be committed."""
    base = Schema((NestedField(1, "a", LongType(), False),))
    too_deep = "nested more than 100 levels deep"
    assert Schema.from_json(UpdateSchema().add_column("b", nested(100)).apply(base, 1)[0].to_json())
    with pytest.raises(SchemaUpdateError, match=too_deep):
        UpdateSchema().add_column("b", nested(depth)).apply(base, 1)
    with pytest.raises(SchemaUpdateError, match=too_deep):
        UpdateSchema().union_by_name(Schema((NestedField(1, "b", nested(depth), False),))).apply(base, 1)


def test_a_column_that_grows_deeper_than_can_be_read_is_refused() -> None:
    inside = StructType((NestedField(3, "x", LongType(), False),))
    base = Schema((NestedField(1, "s", inside, False),))
    assert UpdateSchema().add_nested_column("s", "y", nested(99)).apply(base, 3)[1] == 103
    with pytest.raises(SchemaUpdateError, match=r"nested more than 100 levels deep.* \[field s \(id 1\)\]"):
        UpdateSchema().add_nested_column("s", "y", nested(100)).apply(base, 3)
