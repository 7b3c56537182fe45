from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from projector import check, load_table
from projector.check.report.findings import Direction
from projector.errors import (
    InvalidMetadataError,
    NotFoundError,
    ProjectorError,
    ProjectorWarning,
    SchemaUpdateError,
    UnsupportedError,
)
from projector.evolution.updates.schema_commit import prepare_schema_update
from projector.evolution.updates.update_schema import UpdateSchema
from projector.metadata.contradictions import contradictions
from projector.metadata.partitioning import PartitionField, PartitionSpec
from projector.metadata.snapshots import SnapshotRef
from projector.metadata.sort_order import UNSORTED, SortField, SortOrder
from projector.metadata.table_metadata import TableMetadata
from projector.schema.types import LongType, StringType
from tests.check.tables import table
from tests.metadata.build import schema, snapshot, version_1, version_2, without


def load(node: dict[str, Any]) -> TableMetadata:
    return TableMetadata.from_json(json.dumps(node))


def test_version_2() -> None:
    metadata = load(version_2())
    assert metadata.format_version == 2
    assert metadata.table_uuid == "9c12d441-03fe-4693-9a96-a0705ddf69c1"
    assert metadata.location == "s3://b/t"
    assert (metadata.last_sequence_number, metadata.last_updated_ms, metadata.last_column_id) == (2, 2000, 2)
    assert [f.name for f in metadata.current_schema.fields] == ["id", "data"]
    assert [f.field_type for f in metadata.schema(0).fields] == [LongType(), StringType()]
    assert metadata.spec() == PartitionSpec(0)
    assert metadata.sort_orders == {0: UNSORTED}
    assert metadata.last_partition_id == 999
    assert metadata.snapshot_ids == (10, 20)
    assert metadata.current_snapshot == metadata.snapshot(20)
    assert metadata.refs == {"main": SnapshotRef(20, "branch")}
    assert metadata.snapshot(10).operation == "append"
    assert metadata.name_mapping is None
    assert metadata.next_row_id == 0


def test_version_1_of_the_oldest_writers() -> None:
    metadata = load(version_1())
    assert metadata.format_version == 1
    assert metadata.table_uuid is None
    assert metadata.current_schema_id == 0
    assert metadata.current_schema.schema_id == 0
    assert metadata.schema_ids == (0,)
    assert metadata.default_spec_id == 0
    assert metadata.spec().fields == (
        PartitionField((2,), 1000, "data", "identity"),
        PartitionField((1,), 1001, "id_bucket", "bucket[16]"),
    )
    assert metadata.spec().identity_source_ids == {2: 1000}
    assert metadata.last_partition_id == 1001
    assert metadata.sort_orders == {0: UNSORTED}
    assert metadata.default_sort_order_id == 0
    assert metadata.last_sequence_number == 0
    assert metadata.current_snapshot is None
    assert metadata.refs == {}


def test_version_1_without_partitions_or_snapshots() -> None:
    metadata = load(without(version_1(**{"partition-spec": []}), "snapshots", "current-snapshot-id", "properties"))
    assert metadata.last_partition_id == 999
    assert metadata.snapshots == ()
    assert metadata.properties == {}


def test_version_1_with_embedded_manifests() -> None:
    node = without(
        snapshot(10, 1, manifests=["s3://b/t/m1.avro", "s3://b/t/m2.avro"]), "manifest-list", "sequence-number"
    )
    metadata = load(version_1(**{"snapshots": [without(node, "summary", "schema-id")], "current-snapshot-id": 10}))
    found = metadata.current_snapshot
    assert found is not None
    assert found.manifests == ("s3://b/t/m1.avro", "s3://b/t/m2.avro")
    assert (found.manifest_list, found.sequence_number, found.summary, found.operation) == (None, 0, None, None)
    assert metadata.refs == {"main": SnapshotRef(10, "branch")}


def test_version_1_whose_current_schema_has_no_id_of_its_own() -> None:
    node = version_1(schemas=[schema(3), schema(4)], schema=schema(4))
    assert load(node).current_schema_id == 4


def test_version_3() -> None:
    node = version_2(
        **{
            "format-version": 3,
            "next-row-id": 30,
            "encryption-keys": [],
            "snapshots": [snapshot(20, 2, **{"first-row-id": 10, "added-rows": 20, "key-id": "k"})],
        }
    )
    metadata = load(node)
    assert metadata.next_row_id == 30
    found = metadata.snapshot(20)
    assert (found.first_row_id, found.added_rows, found.key_id) == (10, 20, "k")
    with pytest.raises(InvalidMetadataError, match="Cannot parse missing long: next-row-id"):
        load(without(node, "next-row-id"))


def test_every_key_is_kept() -> None:
    node = version_2(**{"x-unknown": {"nested": [1, 2.5, None, "é\U0001f642"]}, "statistics": [{"any": "thing"}]})
    metadata = load(node)
    assert json.loads(metadata.to_json()) == node
    assert "é\U0001f642" in metadata.to_json()
    assert list(json.loads(metadata.to_json())) == list(node)
    assert TableMetadata.from_json(metadata.to_json()) == metadata
    assert TableMetadata.from_json(node) == metadata


def test_half_a_surrogate_pair_survives() -> None:
    metadata = TableMetadata.from_json(json.dumps(version_2(properties={"a": "\ud83d"})))
    assert json.loads(metadata.to_json().encode())["properties"] == {"a": "\ud83d"}


@pytest.mark.parametrize("version", [4, 5, 100])
def test_later_versions_are_refused_by_name(version: int) -> None:
    with pytest.raises(UnsupportedError, match=f"Cannot read unsupported version {version}"):
        TableMetadata.from_json({"format-version": version})


REFUSED: list[tuple[dict[str, Any], str]] = [
    (version_2(**{"current-schema-id": 7}), "Cannot find schema with current-schema-id=7 from schemas"),
    (version_2(**{"default-spec-id": 7}), "Cannot find partition spec with default-spec-id=7"),
    (version_2(**{"default-sort-order-id": 7}), "Cannot find sort order with default-sort-order-id=7"),
    (version_2(**{"current-snapshot-id": 7, "refs": {}}), "current-snapshot-id=7"),
    (version_2(schemas=[schema(), schema()]), "Two schemas have one id: 0"),
    (version_2(**{"partition-specs": [{"spec-id": 0, "fields": []}] * 2}), "Two partition specs have one id: 0"),
    (version_2(**{"sort-orders": [{"order-id": 0, "fields": []}] * 2}), "Two sort orders have one id: 0"),
    (version_2(snapshots=[snapshot(20, 1), snapshot(20, 2)]), "Two snapshots have one id: 20"),
    (version_2(refs={"old": {"snapshot-id": 5, "type": "tag"}}), "Snapshot for reference old does not exist"),
    (
        version_2(refs={"main": {"snapshot-id": 10, "type": "branch"}}),
        r"Current snapshot ID does not match main branch \(20 != 10\)",
    ),
    (version_2(**{"current-snapshot-id": -1}), "Current snapshot is not set, but main branch exists: 20"),
    (version_2(refs={"main": {"snapshot-id": 20, "type": "twig"}}), "Invalid snapshot ref type: twig"),
    (version_2(refs=[]), "Cannot parse refs from a non-object"),
    (version_2(**{"format-version": "2"}), "Cannot parse to an integer value: format-version: '2'"),
    (version_2(**{"format-version": True}), "Cannot parse to an integer value: format-version: True"),
    (version_2(**{"format-version": 0}), "Cannot read unsupported version 0"),
    (version_2(**{"last-column-id": 2.5}), "Cannot parse to an integer value: last-column-id: 2.5"),
    (version_2(**{"last-updated-ms": 2**63}), "Cannot parse to a long value: last-updated-ms"),
    (version_2(location=None), "Cannot parse to a string value: location: None"),
    (version_2(schemas={}), "Cannot parse schemas from non-array"),
    (version_2(schemas=[]), "Cannot find schema with current-schema-id=0"),
    (version_2(schemas=["x"]), "Cannot parse schema from a non-object: 'x'"),
    (version_2(snapshots=[{}]), "Cannot parse missing long: snapshot-id"),
    (version_2(properties={"a": 1}), "Cannot parse to a string value: a: 1"),
]
REFUSED += [
    (without(version_2(), name), name)
    for name in (
        "format-version", "location", "last-updated-ms", "last-column-id", "last-sequence-number", "table-uuid",
        "schemas", "current-schema-id", "partition-specs", "default-spec-id", "last-partition-id", "sort-orders",
        "default-sort-order-id",
    )
]  # fmt: skip
REFUSED += [(without(version_1(), name), name) for name in ("schema", "partition-spec", "location", "last-updated-ms")]


@pytest.mark.parametrize(("node", "message"), REFUSED)
def test_what_contradicts_itself_is_refused(node: dict[str, Any], message: str) -> None:
    with pytest.raises(ProjectorError, match=message) as caught:
        TableMetadata.from_json(json.dumps(node), file="v1.metadata.json")
    assert isinstance(caught.value, (InvalidMetadataError, UnsupportedError))
    assert "file v1.metadata.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_all_contradictions_are_told() -> None:
    node = version_2(**{"current-schema-id": 7, "default-spec-id": 8, "current-snapshot-id": 9})
    assert len(list(contradictions(TableMetadata(node)))) == 3
    assert list(contradictions(TableMetadata(version_2()))) == []


def test_an_id_above_last_column_id_stops_changes_only() -> None:
    column = {
        "id": 1,
        "name": "l",
        "required": False,
        "type": {"type": "list", "element-id": 9, "element": "int", "element-required": False},
    }
    node = version_2(schemas=[schema(fields=[column])])
    metadata = load(node)
    assert metadata.current_schema.name_of(9) == "l.element"
    for update in (UpdateSchema().add_column("x", "int"), UpdateSchema().rename_column("l", "m")):
        with pytest.raises(SchemaUpdateError, match=r"last-column-id 2.*field l.element \(id 9\)"):
            prepare_schema_update(metadata, update)
    assert load(version_2(schemas=[schema(fields=[column])], **{"last-column-id": 9})).last_column_id == 9


def test_a_table_with_an_id_above_last_column_id_is_read_with_a_warning(tmp_path: Path) -> None:
    made = table("1 a int, 2 b int", lambda b: b.append([{"a": 1, "b": 2}]))(tmp_path / "t")
    file = Path(made.metadata_file.removeprefix("file://"))
    file.write_text(json.dumps({**json.loads(file.read_text()), "last-column-id": 1}))
    with pytest.warns(ProjectorWarning, match="A field id is above last-column-id 1"):
        again = load_table(str(tmp_path / "t"))
    assert again.scan().to_arrow().to_pylist() == [{"a": 1, "b": 2}]
    report = check(again, sql="ALTER TABLE t ADD COLUMN x int", level="schema")
    assert any(finding.direction is Direction.CANNOT_APPLY for finding in report.findings)
    with pytest.raises(SchemaUpdateError, match="last-column-id is below the ids in use"):
        again.prepare("ALTER TABLE t ADD COLUMN x int")


def test_two_fields_of_one_id() -> None:
    twice = [{"id": 1, "name": name, "required": False, "type": "int"} for name in ("a", "b")]
    with pytest.raises(InvalidMetadataError, match="Two fields of schema 0 have one id: a and b"):
        load(version_2(schemas=[schema(fields=twice)]))


def test_a_malformed_part_of_the_past_is_an_error_when_it_is_asked_for() -> None:
    bad = {
        "type": "struct",
        "schema-id": 1,
        "fields": [{"id": 1, "name": "a", "required": False, "type": "no_such_type"}],
    }
    metadata = TableMetadata.from_json(
        version_2(schemas=[schema(), bad], snapshots=[snapshot(20, 2), {"snapshot-id": 10}]), file="v1.metadata.json"
    )
    assert metadata.schema().schema_id == 0
    assert metadata.snapshot(20).sequence_number == 2
    for touch in (lambda: metadata.schema(1), lambda: metadata.schemas, lambda: metadata.snapshot(10)):
        with pytest.raises(ProjectorError, match=r"file v1\.metadata\.json"):
            touch()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "3", '"x"', "{'a': 1}", '{"format-version": NaN}', "\x00", b"\xff\xfe", b"\x80abc",
     "[" * 100_000, '{"format-version": ' + "9" * 5000 + "}"],
)  # fmt: skip
def test_what_is_not_json_or_not_an_object(text: str | bytes) -> None:
    with pytest.raises(InvalidMetadataError) as caught:
        TableMetadata.from_json(text)
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_is_no_fault() -> None:
    assert TableMetadata.from_json(b"\xef\xbb\xbf" + json.dumps(version_2()).encode()).format_version == 2


def test_no_current_snapshot() -> None:
    for given in (-1, None):
        metadata = load(version_2(**{"current-snapshot-id": given, "refs": {}}))
        assert metadata.current_snapshot_id is None
        assert metadata.current_snapshot is None
        assert metadata.refs == {}


@pytest.mark.parametrize("refs", [None, {}])
def test_main_is_there_without_refs(refs: Any) -> None:
    assert load(version_2(refs=refs)).refs == {"main": SnapshotRef(20, "branch")}


def test_lookups() -> None:
    tag = {"snapshot-id": 10, "type": "tag", "max-ref-age-ms": 5}
    branch = {"snapshot-id": 10, "type": "branch", "min-snapshots-to-keep": 2, "max-snapshot-age-ms": 7}
    metadata = load(version_2(refs={"main": {"snapshot-id": 20, "type": "branch"}, "v1": tag, "dev": branch}))
    assert metadata.snapshot_by_ref("v1").snapshot_id == 10
    assert metadata.refs["v1"] == SnapshotRef(10, "tag", None, None, 5)
    assert metadata.refs["dev"] == SnapshotRef(10, "branch", 2, 7, None)
    with pytest.raises(NotFoundError, match="Cannot find ref v2"):
        metadata.snapshot_by_ref("v2")
    with pytest.raises(NotFoundError, match="Cannot find snapshot with id 30"):
        metadata.snapshot(30)
    with pytest.raises(NotFoundError, match="Cannot find schema with id 30"):
        metadata.schema(30)
    with pytest.raises(NotFoundError, match="Cannot find partition spec with id 30"):
        metadata.spec(30)


@pytest.mark.parametrize(("when", "snapshot_id"), [(1000, 10), (1999, 10), (2000, 20), (10**15, 20)])
def test_point_in_time(when: int, snapshot_id: int) -> None:
    assert load(version_2()).snapshot_as_of(when).snapshot_id == snapshot_id


def test_point_in_time_follows_the_log_and_not_the_snapshots() -> None:
    log = [{"timestamp-ms": t, "snapshot-id": s} for t, s in ((1000, 10), (2000, 20), (3000, 10), (4000, 20))]
    assert load(version_2(**{"snapshot-log": log})).snapshot_as_of(3500).snapshot_id == 10


def test_point_in_time_out_of_reach() -> None:
    with pytest.raises(NotFoundError, match="the snapshot log begins at 1000 ms"):
        load(version_2()).snapshot_as_of(999)
    with pytest.raises(NotFoundError, match="the snapshot log is empty"):
        load(without(version_2(), "snapshot-log")).snapshot_as_of(5000)
    log = [{"timestamp-ms": 1, "snapshot-id": 5}]
    with pytest.raises(NotFoundError, match="Cannot find snapshot with id 5"):
        load(version_2(**{"snapshot-log": log})).snapshot_as_of(5)


def test_name_mapping() -> None:
    text = json.dumps([{"field-id": 1, "names": ["id", "ID"]}])
    mapping = load(version_2(properties={"schema.name-mapping.default": text})).name_mapping
    assert mapping is not None
    assert mapping.fields[0].field_id == 1
    for bad in ("{", "{}", '[{"names": 3}]', "[5]"):
        metadata = load(version_2(properties={"schema.name-mapping.default": bad}))
        with pytest.raises(InvalidMetadataError, match=r"schema\.name-mapping\.default"):
            metadata.name_mapping  # noqa: B018


def test_partition_specs() -> None:
    specs = [
        {"spec-id": 0, "fields": []},
        {"spec-id": 4, "fields": [
            {"source-id": 2, "field-id": 1000, "name": "data", "transform": "IDENTITY"},
            {"source-ids": [1, 2], "field-id": 1003, "name": "both", "transform": "new_in_v9[3]"},
            {"source-ids": [1], "field-id": 1004, "name": "one", "transform": "identity"},
            {"source-id": 99, "field-id": 1005, "name": "gone", "transform": "void"},
        ]},
    ]  # fmt: skip
    metadata = load(version_2(**{"partition-specs": specs, "default-spec-id": 4, "last-partition-id": 1005}))
    spec = metadata.spec()
    assert spec.fields[1] == PartitionField((1, 2), 1003, "both", "new_in_v9[3]")
    assert spec.identity_source_ids == {2: 1000, 1: 1004}
    assert spec.fields_by_id[1005].is_void
    assert not spec.is_unpartitioned
    assert metadata.spec(0).is_unpartitioned
    assert PartitionSpec(1, (PartitionField((1,), 1000, "a", "void"),)).is_unpartitioned


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "Cannot parse partition spec fields from non-array"),
        ([1], "Cannot parse partition field from a non-object"),
        ([{"name": "a", "transform": "identity", "field-id": 1000}], "Cannot parse missing int: source-id"),
        ([{"name": "a", "source-id": 1, "field-id": 1000}], "Cannot parse missing string: transform"),
        ([{"name": "a", "transform": "identity", "source-ids": [], "field-id": 1000}], "source-ids: it is empty"),
        (
            [
                {"name": "a", "transform": "identity", "source-id": 1, "field-id": 1000},
                {"name": "b", "transform": "identity", "source-id": 2},
            ],
            "Cannot parse spec with missing field IDs: 1 missing of 2 fields",
        ),
        (
            [{"name": n, "transform": "identity", "source-id": 1, "field-id": 1000} for n in "ab"],
            "Two fields of a partition spec have one id: 1000",
        ),
    ],
)
def test_malformed_specs(fields: Any, message: str) -> None:
    metadata = load(version_2(**{"partition-specs": [{"spec-id": 0, "fields": fields}]}))
    with pytest.raises(InvalidMetadataError, match=message):
        metadata.specs  # noqa: B018


def test_sort_orders() -> None:
    order = {"order-id": 3, "fields": [
        {"transform": "bucket[4]", "source-id": 1, "direction": "desc", "null-order": "nulls-last"}]}  # fmt: skip
    metadata = load(version_2(**{"sort-orders": [order], "default-sort-order-id": 3}))
    assert metadata.sort_orders == {0: UNSORTED, 3: SortOrder(3, (SortField((1,), "bucket[4]", "desc", "nulls-last"),))}
    bad = {"order-id": 3, "fields": [{**order["fields"][0], "direction": "up"}]}  # type: ignore[index]
    with pytest.raises(InvalidMetadataError, match="Invalid sort direction: up"):
        load(version_2(**{"sort-orders": [bad]}))


def test_the_location_loses_the_slash_at_its_end() -> None:
    assert load(version_2(location="s3://b/t/")).location == "s3://b/t"


def test_logs() -> None:
    log = [{"timestamp-ms": 5, "metadata-file": "s3://b/t/metadata/v1.metadata.json"}]
    metadata = load(version_2(**{"metadata-log": log}))
    assert [(e.timestamp_ms, e.metadata_file) for e in metadata.metadata_log] == [
        (5, "s3://b/t/metadata/v1.metadata.json")
    ]
    assert [(e.timestamp_ms, e.snapshot_id) for e in metadata.snapshot_log] == [(1000, 10), (2000, 20)]


def test_a_long_history_is_not_shown_at_the_prompt() -> None:
    """Metadata may have millions of characters, and a table's `repr` shows its metadata."""
    assert repr(TableMetadata.from_json(json.dumps(version_2()), file="v2.json")) == "TableMetadata(file='v2.json')"
