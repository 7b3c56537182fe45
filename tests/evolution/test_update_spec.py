"""Changes of partition specs and sort orders: names, ids, what is used again, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from projector.errors import SchemaUpdateError
from projector.evolution.updates.spec_commit import SpecChange, change_spec
from projector.evolution.updates.update_sort_order import SortOrderChange, UpdateSortOrder, change_sort_order
from projector.evolution.updates.update_spec import UpdateSpec
from projector.metadata.table_metadata import TableMetadata
from projector.metadata.transforms import Bucket
from projector.schema.schema import Schema
from projector.schema.types import (
    BooleanType,
    DateType,
    IntegerType,
    ListType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestamptzType,
    VariantType,
)
from tests.evolution.tables import table_metadata

EVENTS = Schema(
    (
        NestedField(1, "id", IntegerType(), required=True),
        NestedField(2, "name", StringType()),
        NestedField(3, "ts", TimestamptzType()),
        NestedField(4, "day", DateType()),
        NestedField(5, "info", StructType((NestedField(6, "Zip", StringType()),))),
        NestedField(7, "tags", ListType(8, StringType())),
        NestedField(9, "m", MapType(10, StringType(), 11, IntegerType())),
        NestedField(12, "id_bucket_8", IntegerType()),
        NestedField(13, "ok", BooleanType()),
    )
)


def table(version: int = 2, **changes: Any) -> TableMetadata:
    return table_metadata(EVENTS, format_version=version, **changes)


def after(*updates: UpdateSpec, version: int = 2) -> SpecChange:
    metadata = table(version)
    for update in updates:
        change = change_spec(metadata, update)
        metadata = change.metadata
    return change


def shown(change: SpecChange) -> list[str]:
    return [f"{f.field_id} {f.name} {f.transform}({f.source_id})" for f in change.spec.fields]


def refused(*updates: UpdateSpec, version: int = 2) -> str:
    with pytest.raises(SchemaUpdateError) as caught:
        after(*updates, version=version)
    assert "\n" not in str(caught.value)
    return caught.value.message


@pytest.mark.parametrize(
    ("column", "transform", "name"),
    [
        ("name", None, "name"),
        ("name", "identity", "name"),
        ("id", "bucket[16]", "id_bucket_16"),
        ("id", Bucket(16), "id_bucket_16"),
        ("name", "truncate[10]", "name_trunc_10"),
        ("ts", "year", "ts_year"),
        ("ts", "month", "ts_month"),
        ("ts", "day", "ts_day"),
        ("ts", "hour", "ts_hour"),
        ("info.Zip", None, "info.Zip"),
        (("info", "Zip"), "bucket[4]", "info.Zip_bucket_4"),
    ],
)
def test_names_are_javas(column: Any, transform: Any, name: str) -> None:
    change = after(UpdateSpec().add_field(column, transform))
    assert [f.name for f in change.spec.fields] == [name]
    assert (change.spec.spec_id, change.added, change.is_default) == (1, True, True)
    assert change.metadata.last_partition_id == 1000


def test_transforms_of_pyiceberg() -> None:
    transforms = pytest.importorskip("pyiceberg.transforms")
    change = after(
        UpdateSpec()
        .add_field("id", transforms.BucketTransform(16), "b")
        .add_field("ts", transforms.DayTransform())
        .add_identity("name")
    )
    assert shown(change) == ["1000 b bucket[16](1)", "1001 ts_day day(3)", "1002 name identity(2)"]


@pytest.mark.parametrize(
    ("update", "message"),
    [
        (
            UpdateSpec().add_field("nope"),
            f"Cannot find field 'nope' in struct: {EVENTS.as_struct()}",
        ),
        (UpdateSpec().add_field("NAME"), f"Cannot find field 'NAME' in struct: {EVENTS.as_struct()}"),
        (UpdateSpec().add_field("ok", "bucket[4]"), "Cannot bind: bucket[4] cannot transform boolean values from 'ok'"),
        (UpdateSpec().add_field("day", "hour"), "Cannot bind: hour cannot transform date values from 'day'"),
        (UpdateSpec().add_field("id", "bucket[0]"), "Invalid number of buckets: 0 (must be > 0)"),
        (UpdateSpec().add_field("id", "truncate[0]"), "Invalid truncate width: 0 (must be > 0)"),
        (UpdateSpec().add_field("id", "zorder"), "Unknown transform: zorder"),
        (
            UpdateSpec().add_field("info"),
            f"Cannot partition by non-primitive source field: {EVENTS.fields[4].field_type}",
        ),
        (UpdateSpec().add_field("tags.element"), "Invalid partition field parent: list<string>"),
        (UpdateSpec().add_field("m.value"), "Invalid partition field parent: map<string, int>"),
        (
            UpdateSpec().add_field("id").add_field("id"),
            'Cannot add duplicate partition field null=ref(name="id"), already added: 1000: id: identity(1)',
        ),
        (
            UpdateSpec().add_field("id", "bucket[4]", "p").add_field("name", None, "p"),
            "Cannot add duplicate partition field: 1000: p: bucket[4](1)",
        ),
        (
            UpdateSpec().add_field("ts", "day").add_field("ts", "hour"),
            "Cannot add redundant partition field: 1000: ts_day: day(3) conflicts with 1001: ts_hour: hour(3)",
        ),
        (UpdateSpec().remove_field("p"), "Cannot find partition field to remove: p"),
        (
            UpdateSpec().remove_field(("id", "bucket[4]")),
            'Cannot find partition field to remove: bucket[4](ref(name="id"))',
        ),
        (UpdateSpec().add_field("id").remove_field("id"), "Cannot delete newly added field: 1000: id: identity(1)"),
        (
            UpdateSpec().add_field("id").remove_field(("id", None)),
            "Cannot delete newly added field: 1000: id: identity(1)",
        ),
        (UpdateSpec().add_field("id").rename_field("id", "x"), "Cannot rename newly added partition field: id"),
        (UpdateSpec().rename_field("p", "x"), "Cannot find partition field to rename: p"),
        (
            UpdateSpec().add_field("id", "bucket[8]"),
            "Cannot create identity partition sourced from different field in schema: id_bucket_8",
        ),
        (
            UpdateSpec().add_field("id", None, "name"),
            "Cannot create identity partition sourced from different field in schema: name",
        ),
        (
            UpdateSpec().add_field("id", "bucket[4]", "id"),
            "Cannot create partition from name that exists in schema: id",
        ),
        (UpdateSpec().add_field("id", None, ""), "Cannot use empty partition name:"),
    ],
)
def test_what_java_refuses(update: UpdateSpec, message: str) -> None:
    assert refused(update) == message


PARTITIONED = UpdateSpec().add_field("name").add_field("id", "bucket[4]").add_field("ts", "day")


@pytest.mark.parametrize(
    ("update", "message"),
    [
        (
            UpdateSpec().add_field("ts", "day", "d"),
            'Cannot add duplicate partition field d=day(ref(name="ts")), conflicts with 1002: ts_day: day(3)',
        ),
        (UpdateSpec().add_field("id", "bucket[5]", "ts_day"), "Cannot add duplicate partition field name: ts_day"),
        (UpdateSpec().rename_field("name", "x").remove_field("name"), "Cannot rename and delete partition field: name"),
        (
            UpdateSpec().rename_field("name", "x").remove_field(("name", None)),
            "Cannot rename and delete partition field: name",
        ),
        (UpdateSpec().remove_field("name").rename_field("name", "x"), "Cannot delete and rename partition field: name"),
        (UpdateSpec().rename_field("name", "ts_day"), "Cannot use partition name more than once: ts_day"),
        (
            UpdateSpec().rename_field("ts_day", "id"),
            "Cannot create identity partition sourced from different field in schema: id",
        ),
    ],
)
def test_what_java_refuses_of_a_partitioned_table(update: UpdateSpec, message: str) -> None:
    assert refused(PARTITIONED, update) == message


def test_operations_are_placed() -> None:
    with pytest.raises(SchemaUpdateError) as caught:
        after(UpdateSpec().add_field("id").add_field("id"))
    assert caught.value.operation_index == 1


def test_a_removed_field_is_gone_or_void() -> None:
    removal = UpdateSpec().remove_field("id_bucket_4")
    assert shown(after(PARTITIONED, removal)) == ["1000 name identity(2)", "1002 ts_day day(3)"]
    assert shown(after(PARTITIONED, removal, version=1)) == [
        "1000 name identity(2)", "1001 id_bucket_4 void(1)", "1002 ts_day day(3)",
    ]  # fmt: skip


def test_a_removed_field_that_is_added_again_in_the_same_update_stays() -> None:
    change = after(PARTITIONED, UpdateSpec().remove_field("ts_day").add_field("ts", "day"))
    assert not change.changed
    renamed = after(PARTITIONED, UpdateSpec().remove_field("ts_day").add_field("ts", "day", "d"))
    assert shown(renamed)[-1] == "1002 d day(3)"


def test_an_equivalent_earlier_field_keeps_its_id() -> None:
    removal, again = UpdateSpec().remove_field("ts_day"), UpdateSpec().add_field("ts", "day")
    back = after(PARTITIONED, removal, again)
    assert (back.spec.spec_id, back.added, back.is_default) == (1, False, True)
    named = after(PARTITIONED, removal, UpdateSpec().add_field("ts", "day", "d"))
    assert shown(named)[-1] == "1003 d day(3)"
    unnamed = after(PARTITIONED, removal, UpdateSpec().add_field("name", "truncate[2]").add_field("ts", "day"))
    assert shown(unnamed) == [
        "1000 name identity(2)",
        "1001 id_bucket_4 bucket[4](1)",
        "1003 name_trunc_2 truncate[2](2)",
        "1002 ts_day day(3)",
    ]
    assert unnamed.metadata.last_partition_id == 1003


def test_version_1_uses_no_field_again() -> None:
    change = after(
        UpdateSpec().add_field("name"), UpdateSpec().remove_field("name"), UpdateSpec().add_field("name"), version=1
    )
    assert shown(change) == ["1000 name_1000 void(2)", "1001 name identity(2)"]
    assert change.metadata.raw["partition-spec"] == change.metadata.raw["partition-specs"][-1]["fields"]


def test_a_void_field_of_version_1_gives_up_its_name() -> None:
    first = UpdateSpec().add_field("id", "bucket[4]", "p")
    dropped = UpdateSpec().remove_field("p")
    assert shown(after(first, dropped, UpdateSpec().add_field("name", "truncate[1]", "p"), version=1)) == [
        "1000 p_1000 void(1)", "1001 p truncate[1](2)",
    ]  # fmt: skip
    at_once = after(first, UpdateSpec().remove_field("p").add_field("name", "truncate[1]", "p"), version=1)
    assert shown(at_once) == ["1000 p_1000 void(1)", "1001 p truncate[1](2)"]
    renamed = after(
        first, dropped, UpdateSpec().add_field("ts", "day"), UpdateSpec().rename_field("ts_day", "p"), version=1
    )
    assert shown(renamed) == ["1000 p_1000 void(1)", "1001 p day(3)"]


def test_an_id_under_a_void_field_of_version_1_is_not_given_twice() -> None:
    """Java gives both fields the id 1000."""
    voided = after(UpdateSpec().add_field("name"), UpdateSpec().remove_field("name"), version=1).metadata
    raw = {key: value for key, value in voided.raw.items() if key not in ("schema", "partition-spec")}
    upgraded = TableMetadata.from_json({**raw, "format-version": 2})
    change = change_spec(upgraded, UpdateSpec().add_field("name"))
    assert shown(change) == ["1000 name_1000 void(2)", "1001 name identity(2)"]


def test_back_to_unpartitioned() -> None:
    removal = UpdateSpec().remove_field("name").remove_field(("id", "bucket[4]")).remove_field(("ts", "day"))
    change = after(PARTITIONED, removal)
    assert (change.spec.spec_id, change.added, change.spec.fields) == (0, False, ())
    void = after(PARTITIONED, removal, version=1)
    assert (void.spec.spec_id, void.spec.is_unpartitioned) == (2, True)


def test_a_spec_that_is_only_added() -> None:
    change = after(UpdateSpec(set_as_default=False).add_field("name"))
    assert (change.added, change.is_default, change.changed) == (True, False, True)
    assert change.metadata.default_spec_id == 0
    assert change.metadata.spec_ids == (0, 1)


def test_names_in_any_case() -> None:
    assert shown(after(UpdateSpec(case_sensitive=False).add_field("INFO.zip"))) == ["1000 info.Zip identity(6)"]


def test_a_spec_with_an_unknown_transform_is_left_alone() -> None:
    field = {"source-id": 1, "field-id": 1000, "name": "p", "transform": "zorder"}
    metadata = table(partition_specs=[{"spec-id": 0, "fields": [field]}])
    with pytest.raises(SchemaUpdateError) as caught:
        change_spec(metadata, UpdateSpec().add_field("name"))
    assert caught.value.message == "Cannot update partition spec with unknown transform: 1000: p: zorder(1)"


def test_version_1_metadata_with_one_spec_only() -> None:
    raw = dict(table(1).raw)
    for key in ("partition-specs", "default-spec-id", "last-partition-id"):
        del raw[key]
    raw["partition-spec"] = [{"source-id": 1, "name": "id", "transform": "identity"}]
    change = change_spec(TableMetadata.from_json(raw), UpdateSpec().add_field("name"))
    assert shown(change) == ["1000 id identity(1)", "1001 name identity(2)"]
    assert change.metadata.spec_ids == (0, 1)
    assert change.metadata.last_partition_id == 1001


# ---------------------------------------------------------------- sort orders


def sorted_by(*updates: UpdateSortOrder) -> SortOrderChange:
    metadata = table()
    for update in updates:
        change = change_sort_order(metadata, update)
        metadata = change.metadata
    return change


def test_orders_are_kept_and_used_again() -> None:
    first, second = (
        UpdateSortOrder().asc("name"),
        UpdateSortOrder().desc("ts", "day").asc("id", null_order="nulls-last"),
    )
    change = sorted_by(first, second)
    assert (change.order.order_id, change.added) == (2, True)
    assert change.metadata.raw["sort-orders"][-1] == {
        "order-id": 2,
        "fields": [
            {"transform": "day", "source-id": 3, "direction": "desc", "null-order": "nulls-last"},
            {"transform": "identity", "source-id": 1, "direction": "asc", "null-order": "nulls-last"},
        ],
    }
    again = sorted_by(first, second, first)
    assert (again.order.order_id, again.added, again.changed) == (1, False, True)
    unsorted = sorted_by(first, second, UpdateSortOrder())
    assert (unsorted.order.order_id, unsorted.added, unsorted.metadata.default_sort_order_id) == (0, False, 0)
    assert sorted_by(first, first).changed is False


@pytest.mark.parametrize(
    ("update", "message"),
    [
        (UpdateSortOrder().asc("nope"), f"Cannot find field 'nope' in struct: {EVENTS.as_struct()}"),
        (UpdateSortOrder().asc("ok", "bucket[3]"), "Cannot bind: bucket[3] cannot transform boolean values from 'ok'"),
        (UpdateSortOrder().asc("tags"), "Cannot sort by non-primitive source field: list<string>"),
        (UpdateSortOrder().asc("id", null_order="sometimes"), "Invalid null order: sometimes"),
    ],
)
def test_orders_that_are_refused(update: UpdateSortOrder, message: str) -> None:
    with pytest.raises(SchemaUpdateError) as caught:
        sorted_by(update)
    assert caught.value.message == message


def test_variant_is_neither_a_partition_nor_an_order() -> None:
    metadata = table_metadata(Schema((NestedField(1, "v", VariantType()),)), format_version=3)
    with pytest.raises(SchemaUpdateError, match="Unsupported type for identity: variant"):
        change_spec(metadata, UpdateSpec().add_field("v"))
    with pytest.raises(SchemaUpdateError, match="Unsupported type for identity: variant"):
        change_sort_order(metadata, UpdateSortOrder().asc("v"))


def test_null_orders_of_pyiceberg() -> None:
    orders = pytest.importorskip("pyiceberg.table.sorting")
    change = sorted_by(UpdateSortOrder().asc("id", null_order=orders.NullOrder.NULLS_LAST))
    assert change.order.fields[0].null_order == "nulls-last"
