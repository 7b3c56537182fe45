"""What pyarrow's reader says of a file, compared with a `FileSchema`: the judge of every layout."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from projector.files.parquet.file_schema import (
    FileColumn,
    FileKind,
    FileLeaf,
    FileList,
    FileMap,
    FileSchema,
    FileStruct,
    FileVariant,
)
from projector.files.parquet.footer import Footer
from projector.files.parquet.schema import read_schema


class Bytes:
    """A file in memory that counts how it is read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.reads: list[tuple[int, int]] = []

    def size(self) -> int:
        return len(self.data)

    def read_at(self, offset: int, length: int) -> bytes:
        assert offset >= 0
        self.reads.append((offset, length))
        return self.data[offset : offset + length]


def file_schema(footer: Footer) -> FileSchema:
    """The columns of the file that a footer is of."""
    return read_schema(footer.data, footer.schema_at, footer.path)[0]


def differences(schema: FileSchema, data: bytes) -> list[str]:
    """Where pyarrow's view of a file without an `ARROW:schema` differs from `schema`, by place; [] where it agrees."""
    file = pq.ParquetFile(io.BytesIO(data))
    arrow = file.schema_arrow
    found = [] if len(arrow) == len(schema.columns) else [f"{len(arrow)} columns, not {len(schema.columns)}"]
    for i, (column, field) in enumerate(zip(schema.columns, arrow, strict=False)):
        found += _differences(column, field, (i,))
    leaves = [column for _, column in schema.walk() if isinstance(column.type, FileLeaf)]
    if not any(isinstance(column.type, FileVariant) for _, column in schema.walk()):
        found += [] if len(leaves) == len(file.schema) else ["leaf count"]
        for i, column in enumerate(leaves):
            theirs = file.schema.column(i)
            if theirs.physical_type.lower() != column.type.physical:
                found.append(f"leaf {i} is {theirs.physical_type}")
            if column.type.length is not None and theirs.length != column.type.length:
                found.append(f"leaf {i} has length {theirs.length}")
    found += [
        f"first leaf of {place}: {schema.first_leaf(place)}, path {file.schema.column(schema.first_leaf(place)).path}"
        for place, column in schema.walk()
        if not file.schema.column(schema.first_leaf(place)).path.startswith(schema.columns[place[0]].name)
    ]
    return found


def _differences(column: FileColumn, field: Any, place: tuple[int, ...]) -> list[str]:
    found = []
    if field.name != column.name:
        found.append(f"{place}: named {field.name!r}, not {column.name!r}")
    if field.nullable != column.optional:
        found.append(f"{place}: nullable is {field.nullable}")
    text = (field.metadata or {}).get(b"PARQUET:field_id")
    if (None if text is None else int(text)) != column.field_id:
        found.append(f"{place}: field id {text!r}, not {column.field_id}")
    type_ = field.type
    children: list[Any] = []
    match column.type:
        case FileStruct(fields):
            if not pa.types.is_struct(type_) or type_.num_fields != len(fields):
                return [*found, f"{place}: {type_}, not a struct of {len(fields)}"]
            children = [type_.field(i) for i in range(type_.num_fields)]
        case FileList():
            if not pa.types.is_list(type_):
                return [*found, f"{place}: {type_}, not a list"]
            children = [type_.value_field]
        case FileMap():
            if not pa.types.is_map(type_):
                return [*found, f"{place}: {type_}, not a map"]
            children = [type_.key_field, type_.item_field]
        case FileLeaf():
            if type_ not in (expected := arrow_types(column.type)):
                found.append(f"{place}: {type_}, not one of {expected}")
        case FileVariant():
            if not pa.types.is_struct(type_) and "variant" not in str(type_):
                found.append(f"{place}: {type_}, not a variant")
    for i, (child, theirs) in enumerate(zip(column.children, children, strict=True)):
        found += _differences(child, theirs, (*place, i))
    return found


def arrow_types(leaf: FileLeaf) -> tuple[Any, ...]:
    """The Arrow types as which pyarrow may read a leaf."""
    match leaf.kind:
        case FileKind.BOOLEAN:
            return (pa.bool_(),)
        case FileKind.INTEGER:
            return (getattr(pa, f"{'' if leaf.signed else 'u'}int{leaf.bits}")(),)
        case FileKind.FLOAT16:
            return (pa.float16(),)
        case FileKind.FLOAT:
            return (pa.float32(),)
        case FileKind.DOUBLE:
            return (pa.float64(),)
        case FileKind.DECIMAL:
            make = pa.decimal128 if leaf.precision <= 38 else pa.decimal256
            return (make(leaf.precision, leaf.scale),)
        case FileKind.DATE:
            return (pa.date32(),)
        case FileKind.TIME:
            return ((pa.time32 if leaf.unit == "ms" else pa.time64)(str(leaf.unit)),)
        case FileKind.TIMESTAMP:
            return (pa.timestamp(str(leaf.unit), "UTC" if leaf.utc else None),)
        case FileKind.INT96:
            return (pa.timestamp("ns"),)
        case FileKind.STRING:
            return (pa.string(),)
        case FileKind.JSON:
            return (pa.string(), pa.json_(pa.string()))
        case FileKind.UUID:
            return (pa.uuid(), pa.binary(16))
        case FileKind.INTERVAL | FileKind.FIXED:
            return (pa.binary(leaf.length),)
        case FileKind.NULL:
            return (pa.null(),)
        case _:
            return (pa.binary(),)
