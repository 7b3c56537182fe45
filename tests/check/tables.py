"""Small tables for the tests of the check, from short texts.

orders = table("1 id int!, 2 qty int, 3 buyer {4 name string}", [{"id": 1, "qty": 2, "buyer": None}])
orders(folder)          # -> Table
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from projector.api.table import Table
from projector.schema.schema import Schema
from projector.schema.types import IcebergType, ListType, MapType, NestedField, StructType, parse_primitive
from tests.planning.tables import TableBuilder

Maker = Callable[[Path], Table]
Row = dict[str, Any]


def schema(text: str, schema_id: int = 0, identifiers: Sequence[int] = ()) -> Schema:
    """A schema from `id name type`, with `!` for required.

    A struct is `{...}`, a list `[id type]`, a map `<id type, id type>`: `3 tags [4 string!]`.
    """
    reader = _Reader(text)
    fields = reader.fields("")
    return Schema(fields, schema_id, tuple(identifiers))


class _Reader:
    """Takes a schema's text apart."""

    def __init__(self, text: str) -> None:
        self.tokens = re.findall(r"\d+(?= )|\w+(?:\([^)]*\)|\[\d+\](?!\w))?|[{}\[\]<>,!]", text)
        self.at = 0

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def fields(self, end: str) -> tuple[NestedField, ...]:
        found = []
        while self.peek() != end:
            field_id, name = int(self.next()), self.next()
            kind, required = self.type()
            found.append(NestedField(field_id, name, kind, required))
            if self.peek() == ",":
                self.next()
        if end:
            self.next()
        return tuple(found)

    def type(self) -> tuple[IcebergType, bool]:
        kind = self._bare()
        if self.peek() == "!":
            self.next()
            return kind, True
        return kind, False

    def _bare(self) -> IcebergType:
        token = self.next()
        if token == "{":
            return StructType(self.fields("}"))
        if token == "[":
            field_id = int(self.next())
            element, required = self.type()
            assert self.next() == "]"
            return ListType(field_id, element, required)
        if token == "<":
            key_id = int(self.next())
            key, _ = self.type()
            assert self.next() == ","
            value_id = int(self.next())
            value, required = self.type()
            assert self.next() == ">"
            return MapType(key_id, key, value_id, value, required)
        return parse_primitive(token)


Step = Callable[[TableBuilder], None]


def table(text: str | Schema, *steps: Sequence[Row] | Step, version: int = 2, load: Mapping[str, Any] | None = None,
          **how: Any) -> Maker:  # fmt: skip
    """A maker of a table. Steps are rows, which become a file and a snapshot, or functions of the builder.

    `how` goes to `TableBuilder` (`spec`, `properties`); `load` replaces keys of the metadata.
    """
    first = schema(text) if isinstance(text, str) else text

    def make(folder: Path) -> Table:
        builder = TableBuilder(folder, first, version, **how)
        for step in steps:
            if callable(step):
                step(builder)
            else:
                builder.append(step)
        return builder.load(**(load or {}))

    return make


def evolve(text: str | Schema) -> Step:
    """Make another schema the current one."""
    return lambda builder: builder.evolve(schema(text) if isinstance(text, str) else text)


def foreign(columns: Mapping[str, pa.Array], partition: Mapping[str, Any] | None = None, **fields: int) -> Step:
    """Append a file that another writer made: columns as they are, with the field ids given by name, if any."""

    def step(builder: TableBuilder) -> None:
        made = [
            pa.field(name, array.type, metadata={"PARQUET:field_id": str(fields[name])} if name in fields else None)
            for name, array in columns.items()
        ]
        sink = io.BytesIO()
        pq.write_table(pa.Table.from_arrays(list(columns.values()), schema=pa.schema(made)), sink)
        rows = len(next(iter(columns.values())))
        foreign_bytes(sink.getvalue(), partition, rows)(builder)

    return step


def foreign_bytes(content: bytes, partition: Mapping[str, Any] | None = None, rows: int = 1) -> Step:
    """Append a Parquet file as it is."""

    def step(builder: TableBuilder) -> None:
        record = builder.data_file([{}] * rows, partition, content=content, bounds=False)
        builder.commit(0, [record])

    return step


def without_rows(text: str | Schema, **how: Any) -> Maker:
    """A table that has never held a row."""
    return table(text, **how)
