"""Every table that a commit leaves can be loaded by Java: its rules of loading, stated here by themselves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projector.check.change.proposal import from_sql
from projector.errors import SchemaUpdateError
from projector.evolution.updates.transaction import Transaction, prepare_transaction
from projector.metadata.table_metadata import TableMetadata

TABLE: dict[str, Any] = {
    "format-version": 2,
    "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
    "location": "/warehouse/t",
    "last-sequence-number": 0,
    "last-updated-ms": 0,
    "last-column-id": 3,
    "schemas": [
        {
            "type": "struct",
            "schema-id": 0,
            "fields": [
                {"id": 1, "name": "a", "required": False, "type": "int"},
                {"id": 2, "name": "b", "required": False, "type": "string"},
                {"id": 3, "name": "k", "required": True, "type": "long"},
            ],
        }
    ],
    "current-schema-id": 0,
    "partition-specs": [{"spec-id": 0, "fields": []}],
    "default-spec-id": 0,
    "last-partition-id": 999,
    "sort-orders": [{"order-id": 0, "fields": []}],
    "default-sort-order-id": 0,
    "properties": {},
}
TIMES = ("year", "month", "day", "hour")


def java_cannot_load(raw: dict[str, Any]) -> list[str]:
    """Return what Java 1.10 refuses to load: it binds every spec, the default order and the identifier fields to the
    current schema. The schemas here have no nested fields."""
    schema = next(s for s in raw["schemas"] if s["schema-id"] == raw["current-schema-id"])
    ids = {field["name"]: field["id"] for field in schema["fields"]}
    fields = {field["id"]: field for field in schema["fields"]}
    wrong = []
    for spec in raw["partition-specs"]:
        names = [field["name"] for field in spec["fields"]]
        if len(set(names)) < len(names) or "" in names:
            wrong.append(f"names of spec {spec['spec-id']}: {names}")
        for field in spec["fields"]:
            if ids.get(field["name"], field["source-id"]) != field["source-id"]:
                wrong.append(f"{field['name']} of spec {spec['spec-id']} is the name of another column")
            source = fields.get(field["source-id"])
            if source is None and spec["spec-id"] == raw["default-spec-id"] and field["transform"] != "void":
                wrong.append(f"the column of {field['name']} in the default spec is gone")
            if source is not None and field["transform"] in TIMES and source["type"] in ("int", "long", "string"):
                wrong.append(f"{field['transform']} of {source['type']}")
            if field["field-id"] > raw["last-partition-id"]:
                wrong.append("last-partition-id is too low")
    for order in raw["sort-orders"]:
        if order["order-id"] == raw["default-sort-order-id"]:
            wrong += [f"sort source {f['source-id']}" for f in order["fields"] if f["source-id"] not in fields]
    for field_id in schema.get("identifier-field-ids", []):
        if field_id not in fields or not fields[field_id]["required"]:
            wrong.append(f"identifier field {field_id}")
    if max(field["id"] for s in raw["schemas"] for field in s["fields"]) > raw["last-column-id"]:
        wrong.append("last-column-id is too low")
    return wrong


NAMES = st.sampled_from(["a", "b", "k", "p", "a_bucket_4"])
CHANGES = st.one_of(
    st.builds("ADD COLUMN {} {}".format, NAMES, st.sampled_from(["int", "string"])),
    st.builds("DROP COLUMN {}".format, NAMES),
    st.lists(NAMES, min_size=2, max_size=2, unique=True).map(lambda two: "RENAME COLUMN {} TO {}".format(*two)),
    st.builds("ADD PARTITION FIELD {}".format, NAMES),
    st.builds("ADD PARTITION FIELD bucket(4, {}) AS {}".format, NAMES, NAMES),
    st.builds("ADD PARTITION FIELD bucket(4, {})".format, NAMES),
    st.builds("DROP PARTITION FIELD {}".format, NAMES),
    st.builds("WRITE ORDERED BY {}".format, NAMES),
    st.just("WRITE UNORDERED"),
    st.sampled_from(["SET IDENTIFIER FIELDS k", "DROP IDENTIFIER FIELDS k"]),
)


def applied(metadata: TableMetadata, changes: list[str]) -> TableMetadata:
    """Return the metadata after those of the changes that are not refused, each committed by itself."""
    for change in changes:
        update = from_sql(f"ALTER TABLE t {change}", "spark", metadata).update
        transaction = update if isinstance(update, Transaction) else Transaction().record(update)
        try:
            metadata = prepare_transaction(metadata, transaction, timestamp_ms=0).metadata
        except SchemaUpdateError:
            continue
    return metadata


@given(version=st.sampled_from([1, 2]), changes=st.lists(CHANGES, max_size=12))
@settings(max_examples=300, deadline=None)
def test_leaves_a_table_that_java_loads(version: int, changes: list[str]) -> None:
    raw = dict(TABLE)
    if version == 1:
        raw |= {"format-version": 1, "schema": raw["schemas"][0], "partition-spec": []}
    assert java_cannot_load(dict(applied(TableMetadata.from_json(raw), changes).raw)) == []


@pytest.mark.parametrize(
    ("changes", "refused", "name"),
    [
        (
            ["ADD PARTITION FIELD bucket(4, a) AS pb", "DROP PARTITION FIELD pb", "DROP COLUMN a"],
            "ADD COLUMN pb string",
            "pb",
        ),
        (["ADD PARTITION FIELD a", "DROP PARTITION FIELD a", "DROP COLUMN a"], "ADD COLUMN a string", "a"),
        (["ADD PARTITION FIELD a", "DROP PARTITION FIELD a", "DROP COLUMN a"], "RENAME COLUMN b TO a", "a"),
    ],
)
def test_refuses_the_name_of_a_partition_field_whose_column_is_gone(
    changes: list[str], refused: str, name: str
) -> None:
    metadata = applied(TableMetadata.from_json(TABLE), changes)
    update = from_sql(f"ALTER TABLE t {refused}", "spark", metadata).update
    with pytest.raises(SchemaUpdateError) as caught:
        prepare_transaction(metadata, Transaction().record(update))  # type: ignore[arg-type]
    assert caught.value.message == f"Cannot create identity partition sourced from different field in schema: {name}"


def test_does_not_blame_a_change_for_what_was_wrong_before() -> None:
    broken = {
        **TABLE,
        "sort-orders": [
            {
                "order-id": 1,
                "fields": [{"source-id": 9, "transform": "identity", "direction": "asc", "null-order": "nulls-first"}],
            }
        ],
        "default-sort-order-id": 1,
    }
    after = applied(TableMetadata.from_json(broken), ["ADD COLUMN x int"])
    assert [field.name for field in after.current_schema.fields] == ["a", "b", "k", "x"]
