"""What a commit would write: rules of partitioning, properties that follow, the REST request, pyiceberg's habits."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from projector.errors import InvalidMetadataError, SchemaUpdateError
from projector.evolution.commit.rest_body import schema_update_body
from projector.evolution.operations.schema import NextStatement
from projector.evolution.updates.pyiceberg_style import UpdateSchemaContext
from projector.evolution.updates.schema_commit import SchemaCommit, prepare_schema_update
from projector.evolution.updates.update_schema import UpdateSchema
from projector.metadata.table_metadata import TableMetadata
from projector.schema.schema import Schema
from projector.schema.types import DateType, IntegerType, NestedField, TimestampType, UnknownType
from tests.evolution.tables import ORDERS, table_metadata


def spec(*fields: tuple[int, str, str], spec_id: int = 0) -> dict[str, Any]:
    return {
        "spec-id": spec_id,
        "fields": [
            {"source-id": source, "field-id": 1000 + place, "name": name, "transform": transform}
            for place, (source, name, transform) in enumerate(fields)
        ],
    }


def refused(metadata: TableMetadata, update: UpdateSchema) -> str:
    with pytest.raises(SchemaUpdateError) as caught:
        prepare_schema_update(metadata, update)
    return caught.value.message


@pytest.mark.parametrize("transform", ["identity", "bucket[16]"])
def test_a_promotion_that_changes_partition_values_is_refused(transform: str) -> None:
    update = UpdateSchema().update_column_type("day", "timestamp")
    said = (
        "Cannot change column type: day: date -> timestamp: it would change the values of"
        f" partition field 1000: p: {transform}(3)"
    )
    metadata = table_metadata(format_version=3, partition_specs=[spec((3, "p", transform))])
    assert refused(metadata, update) == said
    replaced = [spec((3, "p", transform)), spec(spec_id=1)]
    snapshot = {"snapshot-id": 1, "sequence-number": 1, "timestamp-ms": 1, "manifest-list": "m", "summary": {}}
    metadata = table_metadata(
        format_version=3, partition_specs=replaced, default_spec_id=1, snapshots=[snapshot], current_snapshot_id=1
    )
    assert refused(metadata, update) == said


@pytest.mark.parametrize("transform", ["year", "month", "day", "void"])
def test_a_promotion_that_keeps_partition_values_is_allowed(transform: str) -> None:
    metadata = table_metadata(format_version=3, partition_specs=[spec((3, "p", transform))])
    commit = prepare_schema_update(metadata, UpdateSchema().update_column_type("day", "timestamp"))
    assert commit.schema.find_field("day").field_type == TimestampType()


def test_int_to_long_under_every_transform_is_allowed() -> None:
    metadata = table_metadata(
        partition_specs=[spec((1, "id", "identity"), (1, "b", "bucket[4]"), (1, "t", "truncate[4]"))]
    )
    assert prepare_schema_update(metadata, UpdateSchema().update_column_type("id", "long")).changed


def test_unknown_may_not_become_what_its_transform_does_not_take() -> None:
    schema = Schema((NestedField(1, "u", UnknownType()), NestedField(2, "x", IntegerType())))
    metadata = table_metadata(schema, format_version=3, partition_specs=[spec((1, "p", "bucket[4]"))])
    said = refused(metadata, UpdateSchema().update_column_type("u", "boolean"))
    assert said == "Invalid source type boolean for transform: bucket[4]"


def test_the_source_of_a_void_or_historical_partition_field_can_go() -> None:
    drop = UpdateSchema().delete_column("note")
    assert prepare_schema_update(table_metadata(partition_specs=[spec((2, "note", "void"))]), drop).changed
    specs = [spec((2, "note", "identity")), spec(spec_id=1)]
    without = prepare_schema_update(table_metadata(partition_specs=specs, default_spec_id=1), drop)
    assert without.changed


def test_a_new_column_does_not_take_the_name_of_an_old_partition_field() -> None:
    """Java looks at the names of all specs when it loads a table, also if the source of a field is gone."""
    specs = [spec((2, "note", "identity")), spec(spec_id=1)]
    drop = UpdateSchema().delete_column("note")
    without = prepare_schema_update(table_metadata(partition_specs=specs, default_spec_id=1), drop)
    for update in (UpdateSchema().add_column("note", "int"), UpdateSchema().rename_column("id", "note")):
        assert refused(without.metadata, update) == (
            "Cannot create identity partition sourced from different field in schema: note"
        )


def test_what_was_wrong_before_does_not_stop_a_change() -> None:
    metadata = table_metadata(partition_specs=[spec((99, "gone", "identity"))])
    assert prepare_schema_update(metadata, UpdateSchema().add_column("x", "int")).changed


def test_the_source_inside_a_dropped_struct_is_seen() -> None:
    metadata = table_metadata(partition_specs=[spec((6, "age", "identity"))])
    assert refused(metadata, UpdateSchema().delete_column("buyer")) == (
        "Cannot find source column for partition field: 1000: age: identity(6)"
    )


def test_a_partition_field_of_several_sources() -> None:
    field = {"source-ids": [1, 2], "field-id": 1000, "name": "p", "transform": "zorder"}
    metadata = table_metadata(format_version=3, partition_specs=[{"spec-id": 0, "fields": [field]}])
    assert refused(metadata, UpdateSchema().delete_column("note")) == (
        "Cannot find source column for partition field: 1000: p: zorder(1, 2)"
    )


def test_the_table_decides_the_format_version() -> None:
    update = UpdateSchema(format_version=3).add_column("x", "int", default=1)
    assert refused(table_metadata(), update) == (
        "Invalid schema for v2: Invalid initial default for x: non-null default (1) is not supported until v3"
    )
    commit = prepare_schema_update(table_metadata(format_version=3), UpdateSchema().add_column("x", "int", default=1))
    assert commit.schema.find_field("x").initial_default == 1


def test_nothing_changed_is_the_same_metadata() -> None:
    metadata = table_metadata()
    commit = prepare_schema_update(metadata, UpdateSchema().rename_column("note", "note"), metadata_file="/t/v1")
    assert commit == SchemaCommit(metadata, ORDERS, added=False, changed=False)
    assert commit.metadata is metadata
    undone = UpdateSchema().rename_column("note", "x").record(NextStatement()).rename_column("x", "note")
    assert prepare_schema_update(metadata, undone).metadata is metadata


def test_version_1_metadata_with_one_schema_only() -> None:
    raw = dict(table_metadata(format_version=1).raw)
    for key in ("schemas", "current-schema-id"):
        del raw[key]
    before = copy.deepcopy(raw)
    commit = prepare_schema_update(TableMetadata.from_json(raw), UpdateSchema().add_column("x", "int"))
    assert raw == before
    assert [schema["schema-id"] for schema in commit.metadata.raw["schemas"]] == [0, 1]
    assert commit.metadata.raw["current-schema-id"] == 1
    assert commit.metadata.raw["schema"] == commit.metadata.raw["schemas"][1] == commit.schema.to_json_dict()


def test_ids_of_older_schemas_are_never_used_again() -> None:
    older = Schema((*ORDERS.fields, NestedField(40, "gone", IntegerType())), schema_id=1)
    metadata = table_metadata(schemas=[older.to_json_dict(), ORDERS.to_json_dict()])
    assert prepare_schema_update(metadata, UpdateSchema().add_column("x", "int")).schema.find_field("x").field_id == 41


def test_the_time_of_a_commit_never_goes_back() -> None:
    update = UpdateSchema().add_column("x", "int")
    assert prepare_schema_update(table_metadata(), update, timestamp_ms=5).metadata.last_updated_ms == 1_700_000_000_000
    later = 1_800_000_000_000
    assert prepare_schema_update(table_metadata(), update, timestamp_ms=later).metadata.last_updated_ms == later


@pytest.mark.parametrize(("kept", "length"), [(None, 4), ("3", 3), ("1", 1), ("0", 1)])
def test_the_metadata_log_has_the_length_the_table_asks_for(kept: str | None, length: int) -> None:
    log = [{"timestamp-ms": n, "metadata-file": f"/t/v{n}.metadata.json"} for n in (1, 2, 3)]
    properties = {} if kept is None else {"write.metadata.previous-versions-max": kept}
    metadata = table_metadata(metadata_log=log, properties=properties)
    commit = prepare_schema_update(metadata, UpdateSchema().add_column("x", "int"), metadata_file="/t/v4.metadata.json")
    new = {"timestamp-ms": 1_700_000_000_000, "metadata-file": "/t/v4.metadata.json"}
    assert commit.metadata.raw["metadata-log"] == [*log, new][-length:]
    assert metadata.raw["metadata-log"] == log


def test_a_length_of_the_metadata_log_that_is_no_number() -> None:
    metadata = table_metadata(properties={"write.metadata.previous-versions-max": "many"})
    with pytest.raises(InvalidMetadataError, match="'many' is not a number"):
        prepare_schema_update(metadata, UpdateSchema().add_column("x", "int"), metadata_file="/t/v4.metadata.json")


def test_properties_follow_through_several_statements() -> None:
    properties = {"write.metadata.metrics.column.note": "full", "write.parquet.bloom-filter-fpp.column.note": "0.1"}
    update = UpdateSchema().rename_column("note", "text").record(NextStatement()).rename_column("text", "memo")
    commit = prepare_schema_update(table_metadata(properties=properties), update)
    assert commit.metadata.properties == {
        "write.metadata.metrics.column.memo": "full",
        "write.parquet.bloom-filter-fpp.column.note": "0.1",
    }


# ---------------------------------------------------------------- the REST request

REQUIREMENTS = [
    {"type": "assert-table-uuid", "uuid": "8b1a2f6e-0000-4000-8000-000000000000"},
    {"type": "assert-current-schema-id", "current-schema-id": 0},
    {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 13},
]


def test_a_request_that_adds_a_schema() -> None:
    metadata = table_metadata()
    commit = prepare_schema_update(metadata, UpdateSchema().add_column("x", "int").delete_column("note"))
    body = schema_update_body("db.sales", "orders", metadata, commit)
    assert body == {
        "identifier": {"namespace": ["db", "sales"], "name": "orders"},
        "requirements": REQUIREMENTS,
        "updates": [
            {"action": "add-schema", "schema": commit.schema.to_json_dict(), "last-column-id": 14},
            {"action": "set-current-schema", "schema-id": -1},
        ],
    }
    assert json.loads(json.dumps(body)) == body


def test_a_request_that_uses_a_schema_again_and_properties_that_follow() -> None:
    mapping = '[{"field-id": 2, "names": ["note"]}]'
    properties = {"write.metadata.metrics.column.note": "full", "schema.name-mapping.default": mapping, "owner": "me"}
    renamed = prepare_schema_update(table_metadata(properties=properties), UpdateSchema().rename_column("note", "text"))
    body = schema_update_body(("a.b",), "t", table_metadata(properties=properties), renamed)
    assert body["identifier"]["namespace"] == ["a.b"]
    assert [update["action"] for update in body["updates"]] == [
        "add-schema", "set-current-schema", "set-properties", "remove-properties",
    ]  # fmt: skip
    changed = body["updates"][2]["updates"]
    assert changed.keys() == {"write.metadata.metrics.column.text", "schema.name-mapping.default"}
    assert json.loads(changed["schema.name-mapping.default"]) == [{"field-id": 2, "names": ["note", "text"]}]
    assert body["updates"][3]["removals"] == ["write.metadata.metrics.column.note"]

    back = prepare_schema_update(renamed.metadata, UpdateSchema().rename_column("text", "note"))
    assert (back.added, back.changed, back.schema.schema_id) == (False, True, 0)
    updates = schema_update_body("db", "t", renamed.metadata, back)["updates"]
    assert updates[0] == {"action": "set-current-schema", "schema-id": 0}
    assert "add-schema" not in {update["action"] for update in updates}


def test_a_request_that_changes_nothing_and_a_table_without_uuid() -> None:
    raw = dict(table_metadata(format_version=1).raw)
    del raw["table-uuid"]
    metadata = TableMetadata.from_json(raw)
    body = schema_update_body("db", "t", metadata, prepare_schema_update(metadata, UpdateSchema()))
    assert body["updates"] == []
    assert body["requirements"] == REQUIREMENTS[1:]


# ---------------------------------------------------------------- pyiceberg's habits


def context(update: UpdateSchema) -> UpdateSchemaContext:
    return UpdateSchemaContext(
        update, lambda recorded: prepare_schema_update(table_metadata(format_version=3), recorded)
    )


def test_a_with_block_records_and_finishes() -> None:
    with context(UpdateSchema()) as update:
        update.add_column("x", IntegerType(), doc="new").add_column(
            ("buyer", "zip"), "int", required=True, default_value=1
        )
        update.rename_column("note", "text").update_column("id", field_type="long", doc="key").move_first("x")
        update.move_before(("buyer", "zip"), ("buyer", "name")).move_after("day", "buyer").delete_column("prices")
        update.make_column_optional("id").set_default_value("x", 4).union_by_name(
            Schema((NestedField(1, "d", DateType()),))
        )
        assert update.commit is None
    commit = update.commit
    assert commit is not None
    assert [".".join(path) for path, _ in commit.schema.walk()] == [
        "x", "id", "text", "buyer", "buyer.zip", "buyer.name", "buyer.age", "day", "lines", "lines.element",
        "lines.element.sku", "d",
    ]  # fmt: skip
    assert str(commit.schema.find_field("id")) == "1: id: optional long (key)"
    assert commit.schema.find_field("x").write_default == 4
    assert commit.schema.find_field("buyer.zip").required


def test_a_with_block_that_fails_commits_nothing() -> None:
    update = context(UpdateSchema())
    with pytest.raises(ZeroDivisionError), update:
        update.add_column("x", f"decimal({1 // 0}, 0)")
    assert update.commit is None
    with pytest.raises(SchemaUpdateError, match=r"ambiguous name: a\.b"), context(UpdateSchema()) as update:
        update.add_column("a.b", "int")


def test_pyiceberg_types_are_understood() -> None:
    from pyiceberg import types as p

    nested = p.ListType(
        1, p.StructType(p.NestedField(2, "a", p.DecimalType(9, 2), required=True)), element_required=False
    )
    with context(UpdateSchema()) as update:
        update.add_column("x", nested).add_column("y", p.TimestamptzType()).set_identifier_fields("id")
    assert update.commit is not None
    schema = update.commit.schema
    assert str(schema.find_field("x").field_type) == "list<struct<16: a: required decimal(9, 2)>>"
    assert str(schema.find_field("y").field_type) == "timestamptz"
    assert schema.identifier_field_ids == (1,)
