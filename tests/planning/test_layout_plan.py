"""What a change of partitioning means for files, and what a filter costs before and after it."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform, MonthTransform, TruncateTransform
from pyiceberg.types import LongType, NestedField, StringType, TimestampType

import projector
from projector.evolution.sql import parse_alter, to_transaction
from projector.planning.forecast.layout_plan import FilterCosts, LayoutPlan
from projector.planning.forecast.rewrite_cost import Cost
from tests.check.tables import schema
from tests.planning.tables import TableBuilder

JUNE = [date(2024, 6, 21) + timedelta(days=i) for i in range(10)]
JULY = [date(2024, 7, 1) + timedelta(days=i) for i in range(10)]


def rows(days: list[date], per_day: int = 200) -> pa.Table:
    times = [
        datetime(day.year, day.month, day.day) + timedelta(seconds=86_400 * i // per_day)
        for day in days
        for i in range(per_day)
    ]
    count = len(times)
    return pa.table(
        {
            "id": pa.array(range(count), pa.int64()),
            "at": pa.array(times, pa.timestamp("us")),
            "region": pa.array([("EU", "US")[i % 2] for i in range(count)]),
        }
    )


SCHEMA = Schema(
    NestedField(1, "id", LongType()), NestedField(2, "at", TimestampType()), NestedField(3, "region", StringType())
)


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """2,000 June rows in one file by month."""
    catalog = InMemoryCatalog("test", warehouse=tmp_path_factory.mktemp("orders").as_uri())
    catalog.create_namespace("db")
    table = catalog.create_table("db.orders", SCHEMA)
    with table.update_spec() as update:
        update.add_field("at", MonthTransform(), "at_month")
    table.append(rows(JUNE))
    return table


def planned(table: Any, sql: str, row_filter: str | None = None) -> LayoutPlan:
    loaded = projector.load_table(table.metadata_location)
    after = loaded.prepare(to_transaction(parse_alter(sql))).metadata if sql else loaded.metadata
    return loaded.plan_layout(after, row_filter)


def costs(table: Any, sql: str, row_filter: str) -> FilterCosts:
    found = planned(table, sql, row_filter).costs
    assert found is not None
    return found


A_JUNE_DAY = "at >= timestamp '2024-06-25 00:00:00' and at < timestamp '2024-06-26 00:00:00'"
BY_DAY = "ALTER TABLE orders REPLACE PARTITION FIELD month(at) WITH day(at)"


def test_month_to_day(orders: Any) -> None:
    found = costs(orders, BY_DAY, A_JUNE_DAY)
    assert found.old_before == found.old_after == Cost(1, 1, 2000, 2000)
    assert found.expected == pytest.approx(200, rel=0.02)
    assert found.new_before.cost == Cost(1, 1, 2000, 2000)
    assert found.new_after.cost == Cost(1, 10, 200, 2000)


@pytest.mark.parametrize(
    ("sql", "row_filter", "cost"),
    [
        (BY_DAY, "at >= timestamp '2024-06-01 00:00:00'", Cost(10, 10, 2000, 2000)),
        (BY_DAY, "at >= timestamp '2024-07-01 00:00:00'", Cost(0, 10, 0, 2000)),
        (BY_DAY, "region = 'EU'", Cost(10, 10, 2000, 2000)),
        ("ALTER TABLE orders ADD PARTITION FIELD bucket(4, id)", "id = 7", Cost(1, 4, 500, 2000)),
        ("ALTER TABLE orders ADD PARTITION FIELD truncate(500, id)", "id = 7", Cost(1, 4, 500, 2000)),
        ("ALTER TABLE orders ADD PARTITION FIELD truncate(500, id)", "id >= 1000", Cost(2, 4, 1000, 2000)),
        ("ALTER TABLE orders ADD PARTITION FIELD id", "id = 7", Cost(1, 2000, 1, 2000)),
        ("ALTER TABLE orders DROP PARTITION FIELD month(at)", A_JUNE_DAY, Cost(1, 1, 2000, 2000)),
    ],
)
def test_new_files(orders: Any, sql: str, row_filter: str, cost: Cost) -> None:
    assert costs(orders, sql, row_filter).new_after.cost == cost


def test_what_manifests_cannot_count(orders: Any) -> None:
    found = costs(orders, "ALTER TABLE orders ADD PARTITION FIELD region", "region = 'EU'")
    assert found.new_after.uncounted == ("region",)
    assert found.new_after.cost == Cost(1, 1, 2000, 2000)


def test_the_use_of_specs_and_orders(orders: Any) -> None:
    use = planned(orders, f"{BY_DAY}; ALTER TABLE orders WRITE ORDERED BY id DESC").use
    assert [(s.id, s.text, s.files, s.records, s.is_default, s.becomes_default, s.added) for s in use.specs] == [
        (0, "unpartitioned", 0, 0, False, False, False),
        (1, "month(at)", 1, 2000, True, False, False),
        (2, "day(at)", 0, 0, False, True, True),
    ]
    assert [spec.id for spec in use.dead_specs] == [0]
    assert [(o.id, o.text, o.files) for o in use.orders] == [(0, "unsorted", 1), (1, "id desc nulls last", 0)]
    assert [order.id for order in use.orders_not_followed] == [1]


def test_filters_follow_the_change_of_their_columns(orders: Any) -> None:
    renamed = "ALTER TABLE orders RENAME COLUMN id TO key"
    for row_filter in ("id = 7", "key = 7"):
        assert costs(orders, renamed, row_filter).old_after == Cost(1, 1, 2000, 2000)
    dropped = planned(orders, "ALTER TABLE orders DROP COLUMN id", "id = 7")
    assert dropped.costs is None
    assert dropped.no_costs_because is not None
    with pytest.raises(projector.NotFoundError):
        planned(orders, renamed, "nope = 7")


def test_a_table_without_snapshots(tmp_path: Path) -> None:
    catalog = InMemoryCatalog("test", warehouse=tmp_path.as_uri())
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", SCHEMA)
    found = planned(table, "ALTER TABLE t ADD PARTITION FIELD id", "id = 7")
    assert found.costs is not None
    assert found.costs.new_after.cost == Cost(0, 0, 0, 0)
    assert [spec.id for spec in found.use.dead_specs] == [0]


# ---------------------------------------------------------------- tables under each evolved spec

SPECS = [
    ("identity", "region", IdentityTransform(), "region = 'EU'"),
    ("bucket[8]", "id", BucketTransform(8), "id = 1234"),
    ("truncate[250]", "id", TruncateTransform(250), "id >= 500 and id < 750"),
    ("truncate[1]", "region", TruncateTransform(1), "region = 'US'"),
    ("month", "at", MonthTransform(), "at < timestamp '2024-07-01 00:00:00'"),
    ("day", "at", DayTransform(), "at >= timestamp '2024-07-03 00:00:00' and at < timestamp '2024-07-04 00:00:00'"),
]


@pytest.mark.parametrize(("transform", "column", "theirs", "row_filter"), SPECS, ids=[s[0] + s[1] for s in SPECS])
def test_appended_before_and_after(tmp_path: Path, transform: str, column: str, theirs: Any, row_filter: str) -> None:
    """Our spec is the one that pyiceberg makes, its files are read right, and cost what was forecast."""
    catalog = InMemoryCatalog("test", warehouse=tmp_path.as_uri())
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", SCHEMA)
    table.append(rows(JUNE))
    loaded = projector.load_table(table.metadata_location)
    with loaded.update_spec(dry_run=True) as update:
        update.add_field(column, transform, "p")
    assert update.commit is not None
    forecast = loaded.plan_layout(update.commit.metadata, row_filter).costs
    assert forecast is not None
    with table.update_spec() as spec:
        spec.add_field(column, theirs, "p")
    made = projector.load_table(table.metadata_location).metadata
    assert update.commit.metadata.specs == made.specs
    assert update.commit.metadata.last_partition_id == made.last_partition_id
    table.append(rows(JULY))
    with table.update_spec() as spec:
        spec.remove_field("p")
    table.append(rows(JULY[:1]))
    everything = pa.concat_tables([rows(JUNE), rows(JULY), rows(JULY[:1])])
    scan = projector.load_table(table.metadata_location).scan(row_filter)
    expected = table.scan(row_filter=projector_filter(row_filter)).to_arrow()
    for engine in ("arrow", "rows", "polars", "duckdb"):
        got = scan.to_arrow(engine)
        keys = [("at", "ascending"), ("id", "ascending")]
        assert got.sort_by(keys).to_pylist() == expected.cast(got.schema).sort_by(keys).to_pylist()
    whole = projector.load_table(table.metadata_location).scan()
    assert whole.count() == everything.num_rows
    opened = [task for task in scan.plan_files() if task.spec_id == 1]
    written = [task for task in whole.plan_files() if task.spec_id == 1]
    assert len(opened) < len(written)
    if column != "at" and forecast.new_after.uncounted == ():
        # the July rows have the ids of the June rows
        assert (len(opened), len(written)) == (forecast.new_after.cost.files, forecast.new_after.cost.of_files)


def projector_filter(text: str) -> str:
    return text.replace("timestamp '", "'").replace(" 00:00:00'", "T00:00:00'")


@pytest.mark.parametrize("transform", ["truncate[3]", "identity", "bucket[4]"])
@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [("long", -(2**63), 2**63 - 1), ("decimal(38, 0)", -(10**37), 10**37), ("date", -(2**31), 2**31 - 1)],
)
def test_bounds_as_wide_as_their_type(kind: str, low: Any, high: Any, transform: str, tmp_path: Path) -> None:
    """More values than `len` counts lie between them."""
    values = [Decimal(v) if kind.startswith("decimal") else v for v in (low, high)]
    builder = TableBuilder(tmp_path, schema(f"1 x {kind}"))
    builder.append([{"x": value} for value in values])
    made = builder.load()
    sql = {"truncate[3]": "truncate(3, x)", "identity": "x", "bucket[4]": "bucket(4, x)"}[transform]
    if kind == "date" and transform == "truncate[3]":
        with pytest.raises(projector.SchemaUpdateError):
            made.prepare(f"ALTER TABLE t ADD PARTITION FIELD {sql}")
        return
    after = made.prepare(f"ALTER TABLE t ADD PARTITION FIELD {sql}").metadata
    plan = made.plan_layout(after, "x is not null")
    assert plan is not None
