"""The sample tables read as their history says."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import projector
from tests.conformance.engines import ENGINES

SAMPLES = Path(__file__).parent.parent / "sample_data"

ODYSSEY, DUBLINERS, ULYSSES, STONER = "9780140268867", "9780140186475", "9780141182803", "9780099561545"

# order_id, buyer_id, channel, price, items, shop, rating
CURRENT: list[tuple[Any, ...]] = [
    (1001, 501, "till", "12.99", [(ODYSSEY, 1, False)], "lisbon", None),
    (1002, 502, "till", "45.50", [(DUBLINERS, 2, False), (STONER, 1, False)], "lisbon", None),
    (1003, None, "till", "8.00", [], "lisbon", None),
    (1004, 503, "till", "19.90", [(ULYSSES, 1, False)], "porto", None),
    (1005, 501, "till", "31.25", None, "porto", None),
    (1006, 502, "till", "15.00", [(STONER, 1, False), None], "lisbon", None),
    (1007, 504, "till", "22.40", [(ULYSSES, None, False)], "porto", None),
    (1008, None, "till", None, [], "lisbon", None),
    (1009, 505, "web", "1250000.00", [(ODYSSEY, 3_000_000_000, False), (DUBLINERS, 1, True)], "lisbon", None),
    (1010, 501, None, "11.50", [(STONER, 1, None)], "porto", None),
    (1011, 506, "web", "27.80", [(ULYSSES, 1, True)], "web", 5),
    (1012, 502, "till", "9.95", [(ODYSSEY, 1, False)], "lisbon", None),
    (1013, 505, "web", "64.00", None, "web", 4),
]


def rows(name: str, engine: str, **scan: Any) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", projector.ProjectorWarning)
        read = ENGINES[engine](projector.load_table(SAMPLES / name).scan(**scan)).to_pylist()
    return sorted(read, key=lambda row: row.get("order_id", row.get("id")))


def items(value: list[dict[str, Any] | None] | None) -> list[tuple[Any, ...] | None] | None:
    return None if value is None else [None if item is None else tuple(item.values()) for item in value]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_orders_of_today(engine: str) -> None:
    read = [
        (
            row["order_id"],
            row["buyer_id"],
            row["channel"],
            None if row["price"] is None else str(row["price"]),
            items(row["items"]),
            row["shop"],
            row["rating"],
        )
        for row in rows("orders", engine)
    ]
    assert read == CURRENT


@pytest.mark.parametrize("engine", ENGINES)
def test_the_orders_of_the_first_quarter(engine: str) -> None:
    read = rows("orders", engine, ref="first-quarter", selected_fields=("order_id", "rating"))
    words = [None] * 5 + ["good", "very good", None, "good", "poor"]
    assert read == [{"order_id": 1001 + number, "rating": word} for number, word in enumerate(words)]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_orders_of_january_by_their_first_names(engine: str) -> None:
    read = rows("orders", engine, snapshot_id=4100000000000000001, selected_fields=("order_id", "customer_id", "shop"))
    assert [tuple(row.values()) for row in read] == [(row[0], row[1], row[5]) for row in CURRENT[:5]]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_table_of_spark(engine: str) -> None:
    read = [(row["x"], row["id"], row["w"] and row["w"].isoformat()) for row in rows("spark_readings", engine)]
    old = [(None, 1), (None, 2), (30, 3), (5_000_000_000, 4), (50, 5)]
    assert read == [(*row, None) for row in old] + [(60, 6, "2024-02-29")]


def test_the_script_makes_the_table_that_is_there(tmp_path: Path) -> None:
    script = "import sys, pathlib, make; make.make_orders(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "orders")], cwd=SAMPLES, check=True)
    there, made = SAMPLES / "orders", tmp_path / "orders"
    names = sorted(path.relative_to(there) for path in there.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(made) for path in made.rglob("*") if path.is_file())
    for name in names:
        if name.suffix in {".json", ".text"}:
            assert (there / name).read_bytes() == (made / name).read_bytes()
