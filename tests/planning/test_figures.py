"""What partitioning and sorting buy: tables that pyiceberg writes, and how many of their files a scan opens."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform, MonthTransform
from pyiceberg.types import LongType, NestedField, TimestampType

import projector
from projector.api.table import Table
from tests.planning.opens import Opens


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> Opens:
    return Opens(monkeypatch)


def catalog(folder: Path) -> InMemoryCatalog:
    made = InMemoryCatalog("test", warehouse=folder.as_uri())
    made.create_namespace("db")
    return made


def rows(days: Sequence[date], per_day: int) -> pa.Table:
    times = [
        datetime(day.year, day.month, day.day) + timedelta(seconds=86_400 * i // per_day)
        for day in days
        for i in range(per_day)
    ]
    return pa.table({"id": pa.array(range(len(times)), pa.int64()), "ordered_at": pa.array(times, pa.timestamp("us"))})


JUNE = [date(2024, 6, 21) + timedelta(days=i) for i in range(10)]
JULY = [date(2024, 7, 1) + timedelta(days=i) for i in range(10)]


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """2,000 June rows in one file by month, 2,000 July rows in ten files by day."""
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "ordered_at", TimestampType()))
    made = catalog(tmp_path_factory.mktemp("orders"))
    table = made.create_table("db.orders", schema)
    with table.update_spec() as update:
        update.add_field("ordered_at", MonthTransform(), "ordered_month")
    table.append(rows(JUNE, 200))
    with table.update_spec() as update:
        update.remove_field("ordered_month")
        update.add_field("ordered_at", DayTransform(), "ordered_day")
    table.append(rows(JULY, 200))
    assert len(list(table.scan().plan_files())) == 11
    return table


RANGES = [
    pytest.param("2024-06-25", "2024-06-26", 1, 2000, 200, id="a June day"),
    pytest.param("2024-07-05", "2024-07-06", 1, 200, 200, id="a July day"),
    pytest.param("2024-07-01", "2024-08-01", 10, 2000, 2000, id="all of July"),
    pytest.param("2024-06-01", "2024-07-01", 1, 2000, 2000, id="all of June"),
    pytest.param("2024-06-30", "2024-07-02", 2, 2200, 400, id="the seam"),
]


def check_range(
    table: Table, column: str, start: str, end: str, files: int, to_read: int, returned: int, opens: Opens
) -> None:
    scan = table.scan(f"{column} >= timestamp '{start} 00:00:00' and {column} < timestamp '{end} 00:00:00'")
    plan = scan.plan_files()
    assert len(plan.tasks) == files
    assert plan.records_to_read == to_read
    # Rows come evenly through the day, so the estimate is close.
    assert plan.records_expected == pytest.approx(returned, rel=0.02)
    listed = sum(total.files for total in plan.skipped)
    if plan.skipped_manifests:
        assert {skipped.reason for skipped in plan.skipped_manifests} == {"its partitions hold no row of the filter"}
    else:
        assert files + listed == 11
    pruning = scan.explain().pruning
    assert (pruning.files, pruning.records_to_read) == (files, to_read)
    assert pruning.records_expected == plan.records_expected
    assert pruning.manifests + len(pruning.skipped_manifests) == 2
    opens.paths.clear()
    assert scan.to_arrow().num_rows == returned
    assert opens.count(".parquet") == files
    assert scan.to_arrow("rows").num_rows == returned
    assert scan.count() == returned


@pytest.mark.parametrize(("start", "end", "files", "to_read", "returned"), RANGES)
def test_month_then_day(
    orders: Any, start: str, end: str, files: int, to_read: int, returned: int, opens: Opens
) -> None:
    check_range(
        projector.load_table(orders.metadata_location), "ordered_at", start, end, files, to_read, returned, opens
    )


@pytest.fixture(scope="module")
def renamed(orders: Any) -> Any:
    with orders.update_schema() as update:
        update.rename_column("ordered_at", "placed_at")
    return orders


@pytest.mark.parametrize(("start", "end", "files", "to_read", "returned"), RANGES)
def test_month_then_day_after_a_rename(
    renamed: Any, start: str, end: str, files: int, to_read: int, returned: int, opens: Opens
) -> None:
    check_range(
        projector.load_table(renamed.metadata_location), "placed_at", start, end, files, to_read, returned, opens
    )


@pytest.mark.parametrize(
    ("order", "opened"), [("none", 8), ("globally", 1), ("within files", 8)], ids=["unsorted", "sorted", "in files"]
)
def test_lookup_of_one_customer(tmp_path: Path, order: str, opened: int, opens: Opens) -> None:
    ids = list(range(8000))
    random.Random(7).shuffle(ids)
    if order == "globally":
        ids.sort()
    parts = [ids[start : start + 1000] for start in range(0, 8000, 1000)]
    if order == "within files":
        parts = [sorted(part) for part in parts]
    schema = Schema(NestedField(1, "customer_id", LongType()), NestedField(2, "n", LongType()))
    table = catalog(tmp_path).create_table("db.customers", schema)
    for part in parts:
        table.append(pa.table({"customer_id": pa.array(part, pa.int64()), "n": pa.array(part, pa.int64())}))

    scan = projector.load_table(table.metadata_location).scan("customer_id = 4321")

    assert len(scan.plan_files().tasks) == opened
    assert scan.plan_files().records_to_read == opened * 1000
    assert scan.to_arrow().column("n").to_pylist() == [4321]
    assert opens.count(".parquet") == opened
