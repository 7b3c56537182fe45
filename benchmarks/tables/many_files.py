"""Create tables of very many files: schemas change, statistics are computed, data files are tiny or missing.

If the data files exist, their sizes, counts and bounds are true. Column 1 holds the number of the partition, column 2
counts over the whole table, and the other columns count from 0 in every file. If there are no data files, the bounds
of the other columns are spread.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .iceberg_files import Json, TableFiles, eight

LINKS_OF_ONE_FILE = 10_000
"""The most paths that link to one shared file. File systems allow some tens of thousands."""

_RENUMBERED_ROWS = 1000
"""Files of up to so many rows are made by replacing numbers in another file: column 2 is one page then."""

_STAND_IN = 0x5A17_C0DE_0BAD_0000
"""The first value of column 2 in that file: no other eight bytes are like it."""


@dataclass(frozen=True)
class ManyFiles:
    """The size of a table.

    Parameters
    ----------
    files, columns, rows:
        The number of data files, of columns in the last schema, and of rows in each data file.
    versions:
        The number of schemas in its history. An equal share of the files is written with each.
    nesting:
        Depth of structs around every tenth column; 0 for a flat table.
    partitions:
        Values of its identity partition; 0 for an unpartitioned table.
    deletes:
        The number of position delete files.
    statistics:
        The number of columns with statistics in manifests: the first ones of each file.
    data:
        `none` writes metadata only; `tiny` a small file for each path; `shared` one file for all paths of a version
        and a partition (column 2 counts from 0 in all of them); `new` tiny files, each with its own schema.
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

    def scaled(self, scale: float) -> ManyFiles:
        """Return the same table with more or fewer files, but at least one for each version and partition."""
        return replace(self, files=max(1, self.versions, self.partitions, round(self.files * scale)))

    def version_of(self, file: int) -> int:
        """Return the schema version of a file."""
        return file * self.versions // self.files

    def partition_of(self, file: int) -> int:
        """Return the value of column 1 in a file."""
        return file * self.partitions // self.files

    def first_of(self, file: int) -> int:
        """Return the value of column 2 in the first row of a file."""
        return 0 if self.data == "shared" else file * self.rows


@dataclass(frozen=True)
class Written:
    """A written data file: its size, the sizes of its columns, and the offsets of its row groups."""

    path: str
    size: int
    column_sizes: tuple[int, ...] = ()
    split_offsets: tuple[int, ...] = (4,)


def fields(table: ManyFiles, version: int) -> list[Json]:
    """Return the fields of a schema version. Each version renames, promotes and adds columns."""
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
    if table.versions > 1:  # so that no two versions have the same shape
        found.append({"id": 1_000_000, "name": f"version_{version}", "required": False, "type": "int"})
    return found


def tiny_file(table: ManyFiles, version: int, part: int = 0, first: int = 0, mark: str = "") -> bytes:
    """Return a Parquet file of a schema version. `mark` is appended to the name of its last column."""
    columns = fields(table, version)
    schema = pa.schema([_arrow_field(f, mark if f is columns[-1] else "") for f in columns])
    rows = np.arange(table.rows)
    values = {1: np.full(table.rows, part), 2: rows + first}
    arrays = [_values(to.type, values.get(f["id"], rows)) for f, to in zip(columns, schema, strict=True)]
    paths = [path for each in schema for path in _paths(each)]
    second = schema.field(1).name  # not encoded, so that it can be found in the file
    out = io.BytesIO()
    pq.write_table(
        pa.Table.from_arrays(arrays, schema=schema),
        out,
        store_schema=False,
        use_dictionary=[path for path in paths if path != second],
        compression={path: "none" if path == second else "snappy" for path in paths},
    )
    return out.getvalue()


def _renumbered(file: bytes, rows: int, first: int) -> bytes:
    """Replace the stand-in values of column 2, in its page and its statistics."""
    old, new = (np.arange(rows, dtype="<i8") + start for start in (_STAND_IN, first))
    for before, after in ((old, new), (old[:1], new[:1]), (old[-1:], new[-1:])):
        file = file.replace(before.tobytes(), after.tobytes())
    return file


_ARROW = {"int": pa.int32(), "long": pa.int64(), "string": pa.string()}


def _arrow_field(column: Json, mark: str = "") -> pa.Field:
    kind = column["type"]
    found = _ARROW[kind] if isinstance(kind, str) else pa.struct([_arrow_field(f) for f in kind["fields"]])
    return pa.field(column["name"] + mark, found, metadata={"PARQUET:field_id": str(column["id"])})


def _paths(column: pa.Field) -> list[str]:
    if not pa.types.is_struct(column.type):
        return [column.name]
    return [f"{column.name}.{path}" for child in column.type for path in _paths(child)]


def _values(kind: pa.DataType, numbers: np.ndarray) -> pa.Array:
    if pa.types.is_struct(kind):
        return pa.StructArray.from_arrays([_values(child.type, numbers) for child in kind], fields=list(kind))
    if pa.types.is_string(kind):
        return pa.array([_text(number) for number in numbers])
    return pa.array(numbers, pa.int64()).cast(kind)


def _text(number: int) -> str:
    return f"{number:08}"


def write_data(table: ManyFiles, folder: Path) -> Iterator[Written]:
    """Write the data files, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    write = {"none": _nothing, "tiny": _tiny, "shared": _shared, "new": _new}[table.data]
    paths = (folder / f"part-{number:06}-0123456789abcdef.parquet" for number in range(table.files))
    return write(table, paths)


def _nothing(_table: ManyFiles, paths: Iterator[Path]) -> Iterator[Written]:
    for path in paths:
        yield Written(str(path), 100_000_000)


def _tiny(table: ManyFiles, paths: Iterator[Path]) -> Iterator[Written]:
    made: dict[tuple[int, int], tuple[bytes, Written]] = {}
    for number, path in enumerate(paths):
        key = table.version_of(number), table.partition_of(number)
        if table.rows > _RENUMBERED_ROWS:
            yield _written(tiny_file(table, *key, table.first_of(number)), path)
            continue
        if key not in made:
            file = tiny_file(table, *key, _STAND_IN)
            made[key] = file, _written(file, path)
        file, known = made[key]
        path.write_bytes(_renumbered(file, table.rows, table.first_of(number)))
        yield replace(known, path=str(path))


def _shared(table: ManyFiles, paths: Iterator[Path]) -> Iterator[Written]:
    made: dict[tuple[int, int], tuple[Written, int]] = {}
    for number, path in enumerate(paths):
        key = table.version_of(number), table.partition_of(number)
        known, links = made.get(key, (None, 0))
        if known is None or links == LINKS_OF_ONE_FILE:
            known, links = _written(tiny_file(table, *key), path), 0
        else:
            os.link(known.path, path)
        made[key] = known, links + 1
        yield replace(known, path=str(path))


def _new(table: ManyFiles, paths: Iterator[Path]) -> Iterator[Written]:
    for number, path in enumerate(paths):
        where = table.version_of(number), table.partition_of(number), table.first_of(number)
        yield _written(tiny_file(table, *where, mark=f"_{number:06}"), path)


def _written(file: bytes, path: Path) -> Written:
    path.write_bytes(file)
    footer = pq.read_metadata(io.BytesIO(file))
    groups = [footer.row_group(i) for i in range(footer.num_row_groups)]
    chunks = [[group.column(i) for group in groups] for i in range(footer.num_columns)]
    sizes = [sum(chunk.total_compressed_size for chunk in each) for each in chunks]
    starts = [c.dictionary_page_offset if c.has_dictionary_page else c.data_page_offset for c in chunks[0]]
    return Written(str(path), len(file), tuple(sizes), tuple(starts))


def data_file(table: ManyFiles, number: int, file: Written) -> Json:
    """Return the manifest entry of a data file, with bounds in the types of its schema version."""
    leaves = _leaves(table, table.version_of(number))
    part, start, last = table.partition_of(number), table.first_of(number), table.rows - 1
    low, high, sizes = [], [], []
    for place, (i, kind) in enumerate(leaves):
        spread = (number * i % 997, 1000) if table.data == "none" else (0, last)
        first, beyond = {1: (part, 0), 2: (start, last)}.get(i, spread)
        low.append({"key": i, "value": _bound(first, kind)})
        high.append({"key": i, "value": _bound(first + beyond, kind)})
        sizes.append({"key": i, "value": file.column_sizes[place] if file.column_sizes else 100 + i * number % 9999})
    return {
        "content": 0,
        "file_path": f"file://{file.path}",
        "file_format": "PARQUET",
        "partition": {"c1": part} if table.partitions else {},
        "record_count": table.rows,
        "file_size_in_bytes": file.size,
        "column_sizes": sizes,
        "value_counts": [{"key": i, "value": table.rows} for i, _ in leaves],
        "null_value_counts": [{"key": i, "value": 0} for i, _ in leaves],
        "lower_bounds": low,
        "upper_bounds": high,
        "split_offsets": list(file.split_offsets),
    }


@lru_cache
def _leaves(table: ManyFiles, version: int) -> list[tuple[int, str]]:
    """Return the ids and types of the columns with statistics."""
    return [_leaf(column) for column in fields(table, version)][: table.statistics]


def _leaf(column: Json) -> tuple[int, str]:
    """Return the id and type of the leaf of a column."""
    kind = column["type"]
    return (column["id"], kind) if isinstance(kind, str) else _leaf(kind["fields"][0])


def _bound(number: int, kind: str) -> bytes:
    if kind == "string":
        return _text(number).encode()
    return eight(number) if kind == "long" else number.to_bytes(4, "little", signed=True)


def write_table(table: ManyFiles, folder: Path) -> str:
    """Write a table, and return the path of its metadata file."""
    spec = [{"source-id": 1, "field-id": 1000, "name": "c1", "transform": "identity"}] if table.partitions else []
    writer = TableFiles(folder.absolute(), spec)
    batch: list[Json] = []
    version = 0
    writer.evolve(fields(table, 0))
    for number, file in enumerate(write_data(table, folder.absolute() / "data")):
        if table.version_of(number) != version:
            writer.append(batch)
            version, batch = table.version_of(number), []
            writer.evolve(fields(table, version))
        batch.append(data_file(table, number, file))
    writer.append(batch)
    if table.deletes:
        writer.append([_delete_file(table, n, folder.absolute()) for n in range(table.deletes)], content=1)
    return writer.finish()


def _delete_file(table: ManyFiles, number: int, folder: Path) -> Json:
    about = number * table.files // table.deletes
    target = f"file://{folder}/data/part-{about:06}-0123456789abcdef.parquet"
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
        "partition": {"c1": table.partition_of(about)} if table.partitions else {},
        "record_count": 1,
        "file_size_in_bytes": path.stat().st_size,
        "lower_bounds": [{"key": 2147483546, "value": bound}],
        "upper_bounds": [{"key": 2147483546, "value": bound}],
    }
