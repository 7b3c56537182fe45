"""Any sequence of updates of specs, orders and schemas keeps the invariants of the spec, and pyiceberg loads it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.table.metadata import TableMetadataUtil

from projector.errors import SchemaUpdateError
from projector.evolution.updates.transaction import Transaction, prepare_transaction
from projector.metadata.table_metadata import TableMetadata
from projector.metadata.transforms import parse_transform
from projector.schema.schema import Schema
from projector.schema.types import DateType, IntegerType, NestedField, StringType, StructType, TimestampType
from tests.evolution.tables import table_metadata

BASE = Schema(
    (
        NestedField(1, "a", IntegerType()),
        NestedField(2, "b", StringType()),
        NestedField(3, "ts", TimestampType()),
        NestedField(4, "d", DateType()),
        NestedField(5, "s", StructType((NestedField(6, "x", IntegerType()),))),
    )
)
COLUMNS = ("a", "b", "ts", "d", "s", "s.x", "x", "a_bucket_4", "ts_day", "p")
NUMBERS = ("identity", "bucket[4]", "bucket[8]", "truncate[2]")
TERMS = (
    *((column, transform) for column in ("a", "b", "s.x") for transform in NUMBERS),
    *(("ts", transform) for transform in ("identity", "year", "month", "day", "hour", "bucket[4]")),
    *(("d", transform) for transform in ("identity", "year", "month", "day")),
    ("x", "identity"),
    ("d", "hour"),
    ("s", "identity"),
)
FIELDS = ("a", "a_bucket_4", "b", "b_trunc_2", "ts_day", "ts_month", "d_year", "s.x", "s.x_bucket_8", "p", "q")
names = st.sampled_from(COLUMNS)
terms = st.sampled_from(TERMS)
new_names = st.sampled_from(FIELDS)
fields = st.one_of(st.integers(0, 5), st.integers(0, 5), new_names)
"""A field of the current spec by its place, or a name that may be one's."""
addition = st.tuples(st.just("add"), terms, st.sampled_from((None, None, None, "p", "q", "a_bucket_4")))
spec_change = st.one_of(
    addition,
    addition,
    st.tuples(st.just("remove"), fields),
    st.tuples(st.just("remove term"), terms),
    st.tuples(st.just("rename"), fields, new_names),
)
spec_changes = st.one_of(st.lists(spec_change, min_size=1, max_size=1), st.lists(spec_change, min_size=2, max_size=3))
updates = st.one_of(
    st.tuples(st.just("spec"), spec_changes),
    st.tuples(st.just("spec"), spec_changes),
    st.tuples(st.just("spec"), spec_changes),
    st.tuples(st.just("order"), st.lists(st.tuples(st.sampled_from(("asc", "desc")), terms), max_size=2)),
    st.tuples(st.just("drop"), names),
    st.tuples(st.just("add column"), names),
    st.tuples(st.just("rename column"), names, names),
    st.tuples(st.just("widen"), names),
    st.tuples(st.just("undelete"), names),
    st.tuples(st.just("upgrade"), st.sampled_from((2, 2, 3))),
)


def transaction_of(update: tuple[Any, ...], metadata: TableMetadata) -> Transaction:
    made = Transaction()
    known = [field.name for field in metadata.spec().fields] or ["none"]
    match update:
        case "spec", changes:
            spec = made.update_spec()
            for change in changes:
                match change:
                    case "add", (column, transform), name:
                        spec.add_field(column, transform, name)
                    case "remove", name:
                        spec.remove_field(known[name % len(known)] if isinstance(name, int) else name)
                    case "remove term", (column, transform):
                        spec.remove_field((column, transform))
                    case "rename", name, new_name:
                        spec.rename_field(known[name % len(known)] if isinstance(name, int) else name, new_name)
        case "order", fields:
            order = made.update_sort_order()
            for direction, (column, transform) in fields:
                getattr(order, direction)(column, transform)
        case "drop", name:
            made.update_schema().delete_column(name)
        case "add column", name:
            made.update_schema().add_column((name,), "int")
        case "rename column", name, new_name:
            made.update_schema().rename_column(name, new_name)
        case "widen", name:
            made.update_schema().update_column_type(name, "long")
        case "undelete", name:
            made.undelete_column(name)
        case "upgrade", version:
            made.upgrade_table_version(version)
    return made


def check_invariants(before: TableMetadata, after: TableMetadata) -> None:
    schema = after.current_schema
    # everything of the past is still there as it was, and nothing is there twice
    for kept, now in ((before.specs, after.specs), (before.sort_orders, after.sort_orders)):
        for number, value in kept.items():
            assert now[number] == value
    for schema_id in before.schema_ids:
        assert after.schema(schema_id) == before.schema(schema_id)
    shapes = [
        tuple((f.source_ids, f.name, str(parse_transform(f.transform))) for f in spec.fields)
        for spec in after.specs.values()
    ]
    assert len(set(shapes)) == len(shapes)
    orders = [order.fields for order in after.sort_orders.values()]
    assert len(set(orders)) == len(orders)
    # ids
    meanings: dict[int, set[tuple[Any, ...]]] = {}
    for spec in after.specs.values():
        ids = [f.field_id for f in spec.fields]
        assert len(set(ids)) == len(ids)
        assert len({f.name for f in spec.fields}) == len(ids)
        for field in spec.fields:
            assert field.field_id <= after.last_partition_id
            if not field.is_void:
                meanings.setdefault(field.field_id, set()).add((field.source_id, field.transform))
    assert all(len(meaning) == 1 for meaning in meanings.values())
    assert after.last_partition_id >= before.last_partition_id
    assert after.last_column_id >= before.last_column_id
    assert all(s.highest_field_id <= after.last_column_id for s in after.schemas)
    # what new files are written with is there
    for field in after.spec().fields:
        if not field.is_void:
            assert field.source_id in schema.fields_by_id
            taken = schema.ids_by_name.get(field.name)
            assert taken is None or taken == field.source_id
    for sort_field in after.sort_orders[after.default_sort_order_id].fields:
        assert sort_field.source_id in schema.fields_by_id
    assert not after.sort_orders[0].fields
    if after.format_version == 1:
        ids = [f.field_id for f in after.spec().fields]
        assert ids == list(range(1000, 1000 + len(ids)))


@settings(max_examples=80, deadline=None)
@given(
    version=st.sampled_from((1, 2, 3)),
    start=st.lists(terms, min_size=1, max_size=3, unique=True),
    sequence=st.lists(updates, max_size=12),
)
def test_invariants_hold(version: int, start: list[tuple[str, str]], sequence: list[tuple[Any, ...]]) -> None:
    metadata = table_metadata(BASE, format_version=version)
    if version == 1:
        metadata = TableMetadata.from_json({**metadata.raw, "partition-spec": []})
    applied = Transaction()
    first = metadata
    for update in (*(("spec", [("add", term, None)]) for term in start), *sequence):
        with suppress(SchemaUpdateError):
            one = transaction_of(update, metadata)
            commit = prepare_transaction(metadata, one, timestamp_ms=0)
            check_invariants(metadata, commit.metadata)
            assert commit.changed == (commit.metadata.raw != metadata.raw)
            metadata = commit.metadata
            applied.record(*one.updates)
    # one by one, or all at once
    assert prepare_transaction(first, applied, timestamp_ms=0).metadata.raw == metadata.raw
    loaded = TableMetadataUtil.parse_raw(metadata.to_json())
    assert loaded.current_schema_id == metadata.current_schema_id
    assert loaded.default_spec_id == metadata.default_spec_id
    assert loaded.default_sort_order_id == metadata.default_sort_order_id
    assert {spec.spec_id for spec in loaded.partition_specs} == set(metadata.spec_ids)
    assert loaded.last_partition_id == metadata.last_partition_id
