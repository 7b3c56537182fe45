"""Tables that DuckDB joins for what differs between the files of a group: constants, deleted positions, deleted keys.

Because of them a group's SQL grows only by its list of paths.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from projector.engines.arrow.constants import file_value, partition_value
from projector.engines.arrow.delete_files import DeleteReader
from projector.engines.duckdb.convert import duckdb_batch
from projector.engines.duckdb.groups import FileGroup
from projector.engines.plain_rows import from_plain_rows
from projector.projection.plan import MetadataColumn, PartitionValue
from projector.schema import reserved
from projector.schema.schema import Schema
from projector.schema.types import LongType, NestedField

MOST_REPEATED_KEYS = 4_000_000
"""Most keys of equality deletes in a group's table. Each distinct set of deletes repeats the keys that it shares."""


class TooManyKeysError(Exception):
    """A group's equality deletes would be repeated too often."""


@dataclass
class Constants:
    """The columns of a group that have one value per file, as columns of the table `alias`."""

    group: FileGroup
    file_table: str
    alias: str
    nodes: dict[str, PartitionValue | MetadataColumn] = field(default_factory=dict)

    def bind(self, node: PartitionValue | MetadataColumn, own: str | None) -> str:
        """Return the SQL of a node. `own` is the file's stored metadata column; its nulls inherit the file's value."""
        if isinstance(node, MetadataColumn) and node.field.field_id == reserved.POS:
            return f"{self.file_table}.file_row_number"
        inherited = self._column(node)
        if isinstance(node, MetadataColumn) and node.field.field_id == reserved.ROW_ID:
            inherited = f"({inherited} + {self.file_table}.file_row_number)"
        return inherited if own is None else f"coalesce({own}, {inherited})"

    def _column(self, node: PartitionValue | MetadataColumn) -> str:
        for name, known in self.nodes.items():
            if known.field == node.field and type(known) is type(node):
                return f"{self.alias}.{name}"
        name = f"c{len(self.nodes)}"
        self.nodes[name] = node
        return f"{self.alias}.{name}"

    def table(self, sets: list[int] | None) -> pa.Table:
        """Return a table with a row per file: `file_index`, its constants, and `key_set` if equality deletes apply."""
        files = self.group.files
        columns: dict[str, Any] = {"file_index": pa.array(range(len(files)), pa.uint64())}
        if sets is not None:
            columns["key_set"] = pa.array(sets, pa.int64())
        for name, node in self.nodes.items():
            if isinstance(node, PartitionValue):
                values = [partition_value(node, file.binding) for file in files]
                kind = node.field.field_type
            elif node.field.field_id == reserved.ROW_ID:
                values, kind = [file.binding.first_row_id for file in files], LongType()
            else:
                values, kind = [file_value(node, file.binding) for file in files], node.field.field_type
            schema = Schema((NestedField(1, name, kind),))
            columns[name] = duckdb_batch(from_plain_rows([{name: v} for v in values], schema), schema).column(0)
        return pa.table(columns)


def position_table(group: FileGroup, deletes: DeleteReader) -> pa.Table:
    """Return the deleted positions of a group's files, as columns `file_index` and `pos`."""
    indexes, found = [], []
    for i, file in enumerate(group.files):
        positions = deletes.deleted_positions(file.task, file.row_count)
        if positions is not None:
            found.append(positions.positions)
            indexes.append(pa.repeat(pa.scalar(i, pa.uint64()), len(positions.positions)))
    return pa.table(
        {
            "file_index": pa.chunked_array(indexes, pa.uint64()),
            "pos": pa.chunked_array(found, pa.int64()),
        }
    )


@dataclass(frozen=True)
class KeyTables:
    """The equality deletes of a group.

    Parameters
    ----------
    tables:
        Tables by the ids of the compared fields: the column `key_set`, then one column per field.
    sets:
        For every file of the group, the number of the set of keys that applies to it.
    """

    tables: dict[tuple[int, ...], pa.Table]
    sets: list[int]


def key_tables(group: FileGroup, deletes: DeleteReader) -> KeyTables:
    """Return the deleted keys of a group's files. Raises `TooManyKeysError` if there are too many."""
    numbers: dict[tuple[Any, ...], int] = {}
    parts: dict[tuple[int, ...], list[pa.Table]] = {}
    sets, total = [], 0
    for file in group.files:
        applied = file.task.equality_deletes
        number = numbers.get(applied)
        if number is None:
            number = numbers[applied] = len(numbers)
            for ids, keys in deletes.deleted_keys(file.task):
                total += keys.num_rows
                if total > MOST_REPEATED_KEYS:
                    raise TooManyKeysError
                numbered = keys.rename_columns([f"k{i}" for i in range(len(ids))])
                parts.setdefault(ids, []).append(
                    numbered.add_column(0, "key_set", pa.repeat(pa.scalar(number, pa.int64()), keys.num_rows))
                )
        sets.append(number)
    return KeyTables({ids: pa.concat_tables(found) for ids, found in parts.items()}, sets)
