"""Tables of very many files: schemas that change, statistics by arithmetic, data files that are tiny or not there."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from .iceberg_files import Json, TableFiles, eight

LINKS_OF_ONE_FILE = 10_000
"""Paths that lead to one shared file; file systems allow some tens of thousands."""


@dataclass(frozen=True)
class ManyFiles:
    """How large a table is.

    Parameters
    ----------
    files, columns, rows:
        Data files, columns of the last schema, rows in each data file.
    versions:
        Schemas that it went through, each written by an equal share of the files.
    nesting:
        Depth of structs around every tenth column; 0 for a flat table.
    partitions:
        Values of its identity partition; 0 for an unpartitioned table.
    deletes:
        Position delete files beside the data files.
    statistics:
        Columns that manifests keep statistics of.
    data:
        `none` writes metadata alone, `tiny` a small file for each path, `shared` one file for all paths of a version,
        `new` tiny files none of which has the schema of another.
    """

    files: int
    columns: int = 20
    rows: int = 10
    versions: int = 1
    nesting: int = 0
    partitions: int = 0
    deletes: int = 0
    statistics: int = 20
    data: str = "none"

    def __str__(self) -> str:
        parts = [f"{self.files}x{self.columns}"]
        parts += [f"{n}{letter}" for n, letter in ((self.versions, "v"), (self.deletes, "d")) if n > (letter == "v")]
        return "-".join(parts)

    def version_of(self, file: int) -> int:
        """The schema that a file is written under."""
        return file * self.versions // self.files


def fields(table: ManyFiles, version: int) -> list[Json]:
    """A schema: from version to version one column is renamed, one promoted and one added."""
    found = []
    for i in range(1, table.columns + 1):
        added = table.versions > 1 and i > 3 and i % 5 == 0 and i // 5 % table.versions > version
        if added:
            continue
        promoted = i % 5 != 1 or i // 5 % table.versions <= version
        renamed = i % 5 == 2 and i // 5 % table.versions <= version
        kind: object = "string" if i % 5 == 3 else "long" if promoted else "int"
        if i <= 2:
            kind, renamed = "long", False
        if table.nesting and i % 10 == 4:
            for depth in range(table.nesting):
                inner = {"id": table.columns + i * table.nesting + depth, "name": "in", "required": False, "type": kind}
                kind = {"type": "struct", "fields": [inner]}
        name = f"renamed_{i}" if renamed else f"c{i}"
        found.append({"id": i, "name": name, "required": False, "type": kind})
    if table.versions > 1:  # whatever the number of columns, no two versions are of one shape
        found.append({"id": 1_000_000, "name": f"version_{version}", "required": False, "type": "int"})
    return found


def tiny_file(schema: list[Json], rows: int, mark: str = "") -> bytes:
    """A Parquet file of a schema; `mark` goes into the name of its last column."""
    arrow = pa.schema([_arrow_field(f, mark if f is schema[-1] else "") for f in schema])
    columns = [_values(f.type, rows) for f in arrow]
    out = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, schema=arrow), out, store_schema=False)
    return out.getvalue()


_ARROW = {"int": pa.int32(), "long": pa.int64(), "string": pa.string()}


def _arrow_field(field: Json, mark: str = "") -> pa.Field:
    kind = field["type"]
    found = _ARROW[kind] if isinstance(kind, str) else pa.struct([_arrow_field(f) for f in kind["fields"]])
    return pa.field(field["name"] + mark, found, metadata={"PARQUET:field_id": str(field["id"])})


def _values(kind: pa.DataType, rows: int) -> pa.Array:
    if pa.types.is_struct(kind):
        return pa.array([{"in": None}] * rows, kind)
    return pa.array(range(rows), pa.int64()).cast(kind)


def write_data(table: ManyFiles, folder: Path) -> Iterator[tuple[str, int]]:
    """Write the data files; gives the path and size of each, in their order."""
    folder.mkdir(parents=True, exist_ok=True)
    made: dict[int, bytes] = {}
    linked: Path | None = None
    for number in range(table.files):
        path = folder / f"part-{number:06}-0123456789abcdef.parquet"
        version = table.version_of(number)
        if table.data == "none":
            yield str(path), 100_000_000
            continue
        known = version in made
        if linked is not None and known and number % LINKS_OF_ONE_FILE:
            os.link(linked, path)
            yield str(path), len(made[version])
            continue
        if not known or table.data == "new":
            mark = f"_{number:06}" if table.data == "new" else ""
            made[version] = tiny_file(fields(table, version), table.rows, mark)
        path.write_bytes(made[version])
        linked = path if table.data == "shared" else None
        yield str(path), len(made[version])


def data_file(table: ManyFiles, number: int, path: str, size: int) -> Json:
    """A manifest entry's file: column 1 clustered by partition, column 2 sorted over the table, the others spread."""
    ids = range(1, min(table.statistics, table.columns) + 1)
    part = number * table.partitions // table.files
    first = {1: part, 2: number * table.rows}
    low = [{"key": i, "value": eight(first.get(i, number * i % 997))} for i in ids]
    high = [
        {"key": i, "value": eight(first.get(i, number * i % 997 + 1000) + (table.rows - 1) * (i == 2))} for i in ids
    ]
    return {
        "content": 0,
        "file_path": f"file://{path}",
        "file_format": "PARQUET",
        "partition": {"c1": part} if table.partitions else {},
        "record_count": table.rows,
        "file_size_in_bytes": size,
        "column_sizes": [{"key": i, "value": 100 + i * number % 9999} for i in ids],
        "value_counts": [{"key": i, "value": table.rows} for i in ids],
        "null_value_counts": [{"key": i, "value": 0} for i in ids],
        "lower_bounds": low,
        "upper_bounds": high,
        "split_offsets": [4],
    }


def write_table(table: ManyFiles, folder: Path) -> str:
    """Write a table, and give the path of its metadata file."""
    spec = [{"source-id": 1, "field-id": 1000, "name": "c1", "transform": "identity"}] if table.partitions else []
    writer = TableFiles(folder.absolute(), spec)
    batch: list[Json] = []
    version = 0
    writer.evolve(fields(table, 0))
    for number, (path, size) in enumerate(write_data(table, folder.absolute() / "data")):
        if table.version_of(number) != version:
            writer.append(batch)
            version, batch = table.version_of(number), []
            writer.evolve(fields(table, version))
        batch.append(data_file(table, number, path, size))
    writer.append(batch)
    if table.deletes:
        writer.append([_delete_file(table, n, folder.absolute()) for n in range(table.deletes)], content=1)
    return writer.finish()


def _delete_file(table: ManyFiles, number: int, folder: Path) -> Json:
    target = f"file://{folder}/data/part-{number * table.files // table.deletes:06}-0123456789abcdef.parquet"
    path = folder / "data" / f"deletes-{number:06}.parquet"
    arrow = pa.schema(
        [
            pa.field("file_path", pa.string(), False, {"PARQUET:field_id": "2147483546"}),
            pa.field("pos", pa.int64(), False, {"PARQUET:field_id": "2147483545"}),
        ]
    )
    pq.write_table(pa.table([[target], [0]], schema=arrow), path, store_schema=False)
    bound = target.encode()
    return {
        "content": 1,
        "file_path": f"file://{path}",
        "file_format": "PARQUET",
        "partition": {"c1": number * table.partitions // table.deletes} if table.partitions else {},
        "record_count": 1,
        "file_size_in_bytes": path.stat().st_size,
        "lower_bounds": [{"key": 2147483546, "value": bound}],
        "upper_bounds": [{"key": 2147483546, "value": bound}],
    }
