"""Create the tables that engines are measured on, each with a copy of its rows in the final schema.

Run it from the checkout as `python -m benchmarks.tables.evolved FOLDER [TABLE...]`. The table `wide` becomes
`FOLDER/wide/table`, an Iceberg table whose schema changed while it was filled, and `FOLDER/wide/raw`, Parquet files of
the same rows, file for file, in the last schema. The sizes are those of the published figures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .iceberg_files import Json, TableFiles
from .metrics import metrics


@dataclass(frozen=True)
class Column:
    """A top-level column in the history of a table.

    Parameters
    ----------
    name, kind:
        In the last schema; `kind` is spec JSON.
    before:
        Its first name and type, and the stage that introduced the last ones; None if they did not change.
    added:
        The stage that added it, 0 for the first.
    default:
        Its value in older files.
    """

    field_id: int
    name: str
    kind: Any
    before: tuple[str, Any, int] | None = None
    added: int = 0
    default: Any = None

    def at(self, stage: int) -> tuple[str, Any] | None:
        """Return its name and type at a stage; None if it does not exist yet."""
        if stage < self.added:
            return None
        if self.before is not None and stage < self.before[2]:
            return self.before[:2]
        return self.name, self.kind


@dataclass(frozen=True)
class EvolvedTable:
    """A table: its number of files, of rows in each file and of stages, and the values of its columns.

    `read` names the columns of a full read; None for all of them.
    """

    name: str
    files: int
    rows: int
    stages: int
    manifest_files: int
    columns: tuple[Column, ...]
    values: Callable[[Column, int, EvolvedTable, np.random.Generator], pa.Array]
    read: tuple[str, ...] | None = None


def stage_of(table: EvolvedTable, file: int) -> int:
    return file * table.stages // table.files


def fields_at(table: EvolvedTable, stage: int) -> list[Json]:
    fields = []
    for column in table.columns:
        found = column.at(stage)
        if found is not None:
            default = {} if column.default is None else {"initial-default": column.default}
            fields.append({"id": column.field_id, "name": found[0], "required": False, "type": found[1], **default})
    return fields


SIMPLE = {"int": pa.int32(), "long": pa.int64(), "float": pa.float32(), "double": pa.float64(), "string": pa.string()}


def arrow_type(kind: Any) -> pa.DataType:
    if isinstance(kind, str):
        return SIMPLE[kind]
    match kind["type"]:
        case "struct":
            return pa.struct([arrow_field(f["id"], f["name"], f["type"]) for f in kind["fields"]])
        case "list":
            return pa.list_(arrow_field(kind["element-id"], "element", kind["element"]))
        case _:
            key = arrow_field(kind["key-id"], "key", kind["key"]).with_nullable(False)
            return pa.map_(key, arrow_field(kind["value-id"], "value", kind["value"]))


def arrow_field(field_id: int, name: str, kind: Any) -> pa.Field:
    return pa.field(name, arrow_type(kind), metadata={"PARQUET:field_id": str(field_id)})


def write_evolved(table: EvolvedTable, folder: Path) -> None:
    """Write the table and its raw copy."""
    location = (folder / table.name / "table").absolute()
    raw = folder / table.name / "raw"
    raw.mkdir(parents=True)
    (location / "data").mkdir(parents=True)
    writer = TableFiles(location, format_version=3)
    final = pa.schema([arrow_field(c.field_id, c.name, c.kind) for c in table.columns])
    random = np.random.default_rng(7)
    stage = 0
    batch: list[Json] = []
    writer.evolve(fields_at(table, 0))
    for file in range(table.files):
        if stage_of(table, file) != stage or len(batch) == table.manifest_files:
            writer.append(batch)
            batch = []
        if stage_of(table, file) != stage:
            stage = stage_of(table, file)
            writer.evolve(fields_at(table, stage))
        rows, copy = file_rows(table, file, random)
        write_parquet(pa.Table.from_arrays(copy, schema=final), raw / f"{file:05}.parquet")
        path = location / "data" / f"{file:05}.parquet"
        write_parquet(rows, path)
        batch.append(
            {
                "content": 0,
                "file_path": f"file://{path}",
                "file_format": "PARQUET",
                "partition": {},
                "record_count": rows.num_rows,
                "file_size_in_bytes": path.stat().st_size,
                **metrics(rows),
            }
        )
    writer.append(batch)
    writer.finish()


def write_parquet(rows: pa.Table, path: Path) -> None:
    pq.write_table(rows, path, compression="zstd", store_schema=False)


def file_rows(table: EvolvedTable, file: int, random: np.random.Generator) -> tuple[pa.Table, list[pa.Array]]:
    """Return the rows of a file as they were written, and as they read in the last schema."""
    stage = stage_of(table, file)
    arrays, fields, copy = [], [], []
    for column in table.columns:
        found, last = column.at(stage), arrow_type(column.kind)
        if found is None:
            copy.append(
                pa.nulls(table.rows, last)
                if column.default is None
                else pa.repeat(column.default, table.rows).cast(last)
            )
            continue
        then = arrow_field(column.field_id, *found)
        values = table.values(column, file, table, random)
        arrays.append(values if values.type == then.type else reshaped(values, then.type))
        fields.append(then)
        copy.append(reshaped(arrays[-1], last))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields)), copy


def reshaped(array: pa.Array, target: pa.DataType) -> pa.Array:
    """Convert an array to another version of its type. Match children by their field ids."""
    if pa.types.is_struct(target):
        have = {f.metadata[b"PARQUET:field_id"]: i for i, f in enumerate(array.type)}
        children = []
        for f in target:
            at = have.get(f.metadata[b"PARQUET:field_id"])
            children.append(pa.nulls(len(array), f.type) if at is None else reshaped(array.field(at), f.type))
        return pa.StructArray.from_arrays(children, fields=list(target), mask=array.is_null())
    if pa.types.is_list(target):
        below = reshaped(array.values, target.value_type)
        return pa.ListArray.from_arrays(array.offsets, below, type=target, mask=array.is_null())
    if pa.types.is_map(target):
        items = reshaped(array.items, target.item_type)
        return pa.MapArray.from_arrays(array.offsets, array.keys, items, type=target, mask=array.is_null())
    return array.cast(target)


# ------------------------------------------------------------------------------------------------------ what they hold


def flat_values(column: Column, file: int, table: EvolvedTable, random: np.random.Generator) -> pa.Array:
    rows = table.rows
    match column.name:
        case "id" | "clustered":
            return pa.array(np.arange(file * rows, (file + 1) * rows))
        case "scattered":
            return pa.array(random.integers(0, table.files * rows, rows))
        case "amount":
            return pa.array(random.integers(0, 1_000_000, rows).astype(np.int32))
        case "label":
            return pc.take(pa.array([f"label {i:06}" for i in range(5000)]), pa.array(random.integers(0, 5000, rows)))
    if column.kind == "string":
        words = pa.array([f"{column.name} {i}" for i in range(40)])
        return pc.take(words, pa.array(random.integers(0, 40, rows)))
    if column.kind == "double":
        return pa.array(random.integers(0, 4000, rows).astype(np.float32))
    return pa.array(random.integers(0, 250, rows).astype(np.int32))


def flat_columns(count: int, stages: int) -> tuple[Column, ...]:
    """Return `count` columns: an id, two renamed ones to filter on, a promoted one to sum, and others that change."""
    columns = [
        Column(1, "id", "long"),
        Column(2, "clustered", "long", ("position", "long", 1)),
        Column(3, "scattered", "long", ("lottery", "long", 1)),
        Column(4, "amount", "long", ("amount", "int", stages // 2)),
        Column(5, "label", "string"),
    ]
    for i in range(6, count + 1):
        stage = 1 + i % (stages - 1)
        match i % 5:
            case 0:
                columns.append(Column(i, f"c{i}", "long", (f"c{i}", "int", stage)))
            case 1:
                columns.append(Column(i, f"c{i}", "double", (f"c{i}", "float", stage)))
            case 2:
                columns.append(Column(i, f"c{i}", "int", (f"old{i}", "int", stage)))
            case 3:
                columns.append(Column(i, f"c{i}", "string"))
            case _:
                columns.append(Column(i, f"c{i}", "int", None, stage, 7))
    return tuple(columns)


def nested_values(column: Column, file: int, table: EvolvedTable, random: np.random.Generator) -> pa.Array:
    rows = table.rows
    if isinstance(column.kind, str):
        return flat_values(column, file, table, random)
    if column.name == "place":
        return structs(rows, LAST_PLACE, random)
    lengths = random.integers(0, 5, rows)
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    count, mask = int(lengths.sum()), pa.array(random.integers(0, 20, rows) == 0)
    if column.name == "items":
        below = structs(count, LAST_ITEM, random)
        return pa.ListArray.from_arrays(offsets, below, type=arrow_type(column.kind), mask=mask)
    number = np.arange(count) - np.repeat(np.asarray(offsets)[:-1], lengths)
    keys = pc.take(pa.array([f"k{i}" for i in range(8)]), pa.array(number))
    return pa.MapArray.from_arrays(
        offsets, keys, structs(count, LAST_ITEM, random), type=arrow_type(column.kind), mask=mask
    )


def structs(count: int, kind: Any, random: np.random.Generator) -> pa.Array:
    target = arrow_type(kind)
    children = []
    for f in target:
        if pa.types.is_string(f.type):
            words = pa.array([f"{f.name} {i}" for i in range(500)])
            children.append(pc.take(words, pa.array(random.integers(0, 500, count))))
        else:
            children.append(pa.array(random.integers(0, 100_000, count).astype(np.int32)).cast(f.type))
    return pa.StructArray.from_arrays(children, fields=list(target), mask=pa.array(random.integers(0, 25, count) == 0))


def part(field_id: int, name: str, kind: str) -> Json:
    return {"id": field_id, "name": name, "required": False, "type": kind}


def struct(*fields: Json) -> Json:
    return {"type": "struct", "fields": list(fields)}


def array_of(element_id: int, element: Json) -> Json:
    return {"type": "list", "element-id": element_id, "element-required": False, "element": element}


def map_of(key_id: int, value_id: int, value: Json) -> Json:
    ids = {"key-id": key_id, "value-id": value_id}
    return {"type": "map", **ids, "key": "string", "value-required": False, "value": value}


FIRST_PLACE = struct(part(20, "street", "string"), part(21, "zip", "int"), part(22, "town", "string"))
LAST_PLACE = struct(part(20, "street", "string"), part(22, "city", "string"), part(21, "zip", "long"))
FIRST_ITEM = struct(part(30, "sku", "string"), part(31, "qty", "int"), part(32, "old", "int"))
LAST_ITEM = struct(part(31, "quantity", "long"), part(30, "sku", "string"), part(33, "gift", "int"))


def item(base: int, which: Json) -> Json:
    return struct(*({**f, "id": f["id"] + base} for f in which["fields"]))


NESTED = (
    Column(1, "id", "long"),
    Column(2, "clustered", "long", ("position", "long", 1)),
    Column(3, "scattered", "long", ("lottery", "long", 1)),
    Column(4, "amount", "long", ("amount", "int", 2)),
    Column(5, "place", LAST_PLACE, ("place", FIRST_PLACE, 1)),
    Column(6, "items", array_of(7, LAST_ITEM), ("lines", array_of(7, FIRST_ITEM), 2)),
    Column(8, "by_name", map_of(9, 10, item(10, LAST_ITEM)), ("by_name", map_of(9, 10, item(10, FIRST_ITEM)), 3)),
)

FIVE = ("clustered", "scattered", "amount", "c8", "c9")
"""Columns of the wide table: two renamed, one promoted, one unchanged, and one that older files do not have."""

TABLES = {
    "wide": EvolvedTable("wide", 64, 100_000, 4, 16, flat_columns(200, 4), flat_values, FIVE),
    "many": EvolvedTable("many", 2000, 1000, 12, 20, flat_columns(20, 12), flat_values),
    "nested": EvolvedTable("nested", 32, 50_000, 4, 8, NESTED, nested_values),
}


def main(arguments: list[str]) -> Iterator[str]:
    """Write the tables that are named, or all of them; yield the folder of each."""
    folder = Path(arguments[0]).absolute()
    for name in arguments[1:] or TABLES:
        write_evolved(TABLES[name], folder)
        yield f"{folder / name}"


if __name__ == "__main__":
    for line in main(sys.argv[1:]):
        print(line, file=sys.stderr)
