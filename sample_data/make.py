"""Make the sample table `orders`: a bookshop, and what happened to its schema. Run it as `python sample_data/make.py`.

The history, from the first day:

1. Orders come from two tills. A Hive-style export of January, one folder per shop, is registered as it is: its Parquet
   files have no field ids, so the table's name mapping leads to them, and the shop is only in the path.
2. `customer_id` is renamed `buyer_id`. New files are partitioned by month. February is written.
3. `price` is widened from decimal(7, 2) to decimal(10, 2), and `copies` in `items` from int to long: a school orders.
4. The table goes to format version 3. `channel` is added, with the default `till` for all that was sold before; the
   structs in `items` grow by `gift`, by default false. March is written, and tagged `first-quarter`.
5. `rating`, a word until now, is dropped; a new `rating`, a number, takes its name.
6. Partitions by month become partitions by day. April is written.
"""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from table_writer import DataFile, Json, TableWriter

HERE = Path(__file__).parent
LOCATION = "file:///warehouse/bookshop/orders"


def day(text: str) -> int:
    return (date.fromisoformat(text) - date(1970, 1, 1)).days


def month(text: str) -> int:
    year, number = map(int, text.split("-"))
    return (year - 1970) * 12 + number - 1


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def milliseconds(text: str) -> int:
    return int(at(text).timestamp() * 1000)


def column(field_id: int, name: str, kind: Any, **more: Any) -> Json:
    return {"id": field_id, "name": name, "required": False, "type": kind, **more}


FIRST: Json = {
    "identifier-field-ids": [1],
    "fields": [
        {"id": 1, "name": "order_id", "required": True, "type": "long"},
        column(2, "customer_id", "long", doc="null: paid in cash, no card"),
        column(3, "ordered_at", "timestamptz"),
        column(4, "price", "decimal(7, 2)", doc="in euro, of the whole order"),
        column(5, "rating", "string"),
        column(
            6,
            "items",
            {
                "type": "list",
                "element-id": 7,
                "element-required": False,
                "element": {"type": "struct", "fields": [column(8, "isbn", "string"), column(9, "copies", "int")]},
            },
        ),
        column(10, "shop", "string"),
    ],
}
FIRST_MAPPING: list[Json] = [
    {"field-id": 1, "names": ["order_id"]},
    {"field-id": 2, "names": ["customer_id"]},
    {"field-id": 3, "names": ["ordered_at"]},
    {"field-id": 4, "names": ["price"]},
    {"field-id": 5, "names": ["rating"]},
    {
        "field-id": 6,
        "names": ["items"],
        "fields": [
            {
                "field-id": 7,
                "names": ["element"],
                "fields": [{"field-id": 8, "names": ["isbn"]}, {"field-id": 9, "names": ["copies"]}],
            }
        ],
    },
    {"field-id": 10, "names": ["shop"]},
]


def changed(schema: Json, *changes: Callable[[list[Json]], None]) -> Json:
    """A copy of a schema after changes to its columns."""
    schema = copy.deepcopy(schema)
    for change in changes:
        change(schema["fields"])
    return schema


def by_id(columns: list[Json], field_id: int) -> Json:
    return next(column for column in columns if column["id"] == field_id)


def item_fields(columns: list[Json]) -> list[Json]:
    fields: list[Json] = by_id(columns, 6)["type"]["element"]["fields"]
    return fields


RENAMED = changed(FIRST, lambda columns: by_id(columns, 2).update(name="buyer_id"))
WIDENED = changed(
    RENAMED,
    lambda columns: by_id(columns, 4).update(type="decimal(10, 2)"),
    lambda columns: by_id(item_fields(columns), 9).update(type="long"),
)
GROWN = changed(
    WIDENED,
    lambda columns: columns.insert(
        3, column(11, "channel", "string", **{"initial-default": "till", "write-default": "web"})
    ),
    lambda columns: item_fields(columns).append(
        column(12, "gift", "boolean", **{"initial-default": False, "write-default": False})
    ),
)
DROPPED = changed(GROWN, lambda columns: columns.remove(by_id(columns, 5)))
READDED = changed(DROPPED, lambda columns: columns.append(column(13, "rating", "int", doc="1 to 5 stars")))

RENAMED_MAPPING = copy.deepcopy(FIRST_MAPPING)
RENAMED_MAPPING[1]["names"].append("buyer_id")
GROWN_MAPPING = copy.deepcopy(RENAMED_MAPPING)
GROWN_MAPPING[5]["fields"][0]["fields"].append({"field-id": 12, "names": ["gift"]})
GROWN_MAPPING.append({"field-id": 11, "names": ["channel"]})
READDED_MAPPING = copy.deepcopy(GROWN_MAPPING)
READDED_MAPPING[4]["names"].clear()
READDED_MAPPING.append({"field-id": 13, "names": ["rating"]})

ARROW: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "string": pa.string(),
    "timestamptz": pa.timestamp("us", "UTC"),
    "decimal(7, 2)": pa.decimal128(7, 2),
    "decimal(10, 2)": pa.decimal128(10, 2),
}


def arrow_field(field: Json, ids: bool) -> pa.Field:
    kind = field["type"]
    metadata = {"PARQUET:field_id": str(field["id"])} if ids else None
    return pa.field(field["name"], arrow_type(kind, ids), nullable=not field["required"] or not ids, metadata=metadata)


def arrow_type(kind: Any, ids: bool) -> pa.DataType:
    if isinstance(kind, str):
        return ARROW[kind]
    if kind["type"] == "struct":
        return pa.struct([arrow_field(field, ids) for field in kind["fields"]])
    return pa.list_(arrow_field(column(kind["element-id"], "element", kind["element"]), ids))


def rows(schema: Json, *values: Sequence[Any], ids: bool = True, without: Sequence[str] = ()) -> pa.Table:
    """Rows of a schema's columns, in their order; `without` are columns that the file does not have."""
    fields = [arrow_field(field, ids) for field in schema["fields"] if field["name"] not in without]
    names = [field.name for field in fields]
    return pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in values], pa.schema(fields))


def item(isbn: str, copies: int | None, **more: Any) -> Json:
    return {"isbn": isbn, "copies": copies, **more}


ODYSSEY, DUBLINERS, ULYSSES, STONER = "9780140268867", "9780140186475", "9780141182803", "9780099561545"


def january() -> list[DataFile]:
    def export(*values: Sequence[Any]) -> pa.Table:
        return rows(FIRST, *values, ids=False, without=("rating", "shop"))

    lisbon = export(
        (1001, 501, at("2024-01-05T09:12:00"), Decimal("12.99"), [item(ODYSSEY, 1)]),
        (1002, 502, at("2024-01-09T16:40:00"), Decimal("45.50"), [item(DUBLINERS, 2), item(STONER, 1)]),
        (1003, None, at("2024-01-22T11:05:00"), Decimal("8.00"), []),
    )
    porto = export(
        (1004, 503, at("2024-01-11T10:00:00"), Decimal("19.90"), [item(ULYSSES, 1)]),
        (1005, 501, at("2024-01-30T18:21:00"), Decimal("31.25"), None),
    )
    return [
        DataFile(f"data/january-export/shop={shop}/part-00000.parquet", table, 0, {"shop": shop})
        for shop, table in (("lisbon", lisbon), ("porto", porto))
    ]


def february() -> list[DataFile]:
    table = rows(
        RENAMED,
        (1006, 502, at("2024-02-02T12:00:00"), Decimal("15.00"), "good", [item(STONER, 1), None], "lisbon"),
        (1007, 504, at("2024-02-14T13:30:00"), Decimal("22.40"), "very good", [item(ULYSSES, None)], "porto"),
        (1008, None, at("2024-02-29T17:59:59.999999"), None, None, [], "lisbon"),
    )
    return [DataFile("data/ordered_at_month=2024-02/00000-1.parquet", table, 1, {"ordered_at_month": month("2024-02")})]


def march() -> list[DataFile]:
    bought = [item(ODYSSEY, 3_000_000_000, gift=False), item(DUBLINERS, 1, gift=True)]
    present = [item(STONER, 1, gift=None)]
    table = rows(
        GROWN,
        (1009, 505, at("2024-03-04T08:15:00"), "web", Decimal("1250000.00"), "good", bought, "lisbon"),
        (1010, 501, at("2024-03-20T19:45:00"), None, Decimal("11.50"), "poor", present, "porto"),
    )
    return [DataFile("data/ordered_at_month=2024-03/00000-2.parquet", table, 1, {"ordered_at_month": month("2024-03")})]


def april() -> list[DataFile]:
    second = rows(
        READDED,
        (1011, 506, at("2024-04-02T10:10:00"), "web", Decimal("27.80"), [item(ULYSSES, 1, gift=True)], "web", 5),
        (1012, 502, at("2024-04-02T15:00:00"), "till", Decimal("9.95"), [item(ODYSSEY, 1, gift=False)], "lisbon", None),
    )
    third = rows(READDED, (1013, 505, at("2024-04-03T09:00:00"), "web", Decimal("64.00"), None, "web", 4))
    return [
        DataFile(f"data/ordered_at_day={text}/00000-{number}.parquet", table, 2, {"ordered_at_day": day(text)})
        for number, (text, table) in enumerate((("2024-04-02", second), ("2024-04-03", third)), start=3)
    ]


def spec(spec_id: int, field_id: int, source_id: int, name: str, transform: str) -> Json:
    part = {"source-id": source_id, "field-id": field_id, "name": name, "transform": transform}
    return {"spec-id": spec_id, "fields": [part]}


def make_orders(folder: Path) -> None:
    """Write the table into `folder`, replacing what is there."""
    shutil.rmtree(folder, ignore_errors=True)
    table = TableWriter(
        folder,
        LOCATION,
        FIRST,
        spec(0, 1000, 10, "shop", "identity"),
        {"schema.name-mapping.default": json.dumps(FIRST_MAPPING)},
        milliseconds("2024-01-31T20:00:00"),
    )
    table.append(milliseconds("2024-01-31T20:05:00"), 4100000000000000001, january())
    table.evolve(milliseconds("2024-02-01T08:00:00"), RENAMED, RENAMED_MAPPING)
    table.partition_by(milliseconds("2024-02-01T08:10:00"), spec(1, 1001, 3, "ordered_at_month", "month"))
    table.append(milliseconds("2024-02-29T22:00:00"), 4200000000000000002, february())
    table.evolve(milliseconds("2024-03-01T08:00:00"), WIDENED, RENAMED_MAPPING)
    table.upgrade(milliseconds("2024-03-01T08:10:00"))
    table.evolve(milliseconds("2024-03-01T08:20:00"), GROWN, GROWN_MAPPING)
    table.append(milliseconds("2024-03-31T22:00:00"), 4300000000000000003, march())
    table.tag(milliseconds("2024-03-31T22:05:00"), "first-quarter")
    table.evolve(milliseconds("2024-04-01T08:00:00"), DROPPED, GROWN_MAPPING)
    table.evolve(milliseconds("2024-04-01T08:10:00"), READDED, READDED_MAPPING)
    table.partition_by(milliseconds("2024-04-01T08:20:00"), spec(2, 1002, 3, "ordered_at_day", "day"))
    table.append(milliseconds("2024-04-03T22:00:00"), 4400000000000000004, april())


if __name__ == "__main__":
    make_orders(HERE / "orders")
