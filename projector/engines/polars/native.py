"""Polars' own projection by field id: one scan for files of any number of shapes.

`scan_parquet` has private arguments for the ids, names and types of the requested columns. They are used when they pay,
for many shapes and for filters that prune better through them, and only on Polars versions that return the right rows
(`native_choice`, `probe`). `frame` is the documented way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from projector.engines.polars.support import is_pattern
from projector.engines.polars.types import plain_series, polars_schema
from projector.files.parquet.file_schema import FileKind, FileLeaf
from projector.planning.scan.request import ScanRequest
from projector.projection.plan import (
    Cast,
    Constant,
    ListOf,
    MetadataColumn,
    NewStruct,
    Null,
    Origin,
    PartitionValue,
    Plan,
    PlanNode,
    Read,
    StructOf,
    children,
)
from projector.schema.arrow_schema import arrow_schema
from projector.schema.reserved import METADATA_COLUMNS
from projector.schema.schema import Schema
from projector.schema.types import NestedField, StructType, UnknownType, UUIDType, walk

WantsNative = Callable[[Sequence[Plan], ScanRequest], bool]
"""Decides whether files of some plans are read the native way, given that it is exact for them."""


def native_files(plan: Plan) -> bool:
    """Return whether the native way is known to be exact for files of a plan that Polars reads."""
    if plan.notes or not plan.file_schema.has_field_ids:
        return False
    return all(_native(node, plan) for node in plan.fields)


def _native(node: PlanNode, plan: Plan) -> bool:
    match node:
        case Read(place=place, cast=cast):
            leaf = plan.file_schema.at(place).type
            assert isinstance(leaf, FileLeaf)
            own = cast is Cast.NONE and not isinstance(node.field.field_type, UUIDType)
            wider = (
                (cast is Cast.WIDEN_INTEGER and leaf.signed and leaf.bits == 32)
                or (cast is Cast.WIDEN_FLOAT and leaf.kind is FileKind.FLOAT)
                or cast is Cast.WIDEN_DECIMAL
            )
            return own or wider
        case StructOf() | ListOf():
            return all(_native(child, plan) for child in children(node))
        case MetadataColumn(place=place):
            return place is None
        case Null(field=field, origin=origin):
            return origin is Origin.NULL and not any(
                isinstance(f.field_type, UnknownType) for _, f in walk(StructType((field,)))
            )
        case Constant() | PartitionValue():
            return True
        case NewStruct():
            return False
    return False


@dataclass(frozen=True)
class NativeColumns:
    """The columns to request of Polars, `schema`, and where each field of the wide schema is found in them.

    `places` holds paths of names from the top of `schema`, None for a value that is bound per file.
    """

    schema: Schema
    places: tuple[tuple[str, ...] | None, ...]


def native_columns(plan: Plan, request: ScanRequest) -> NativeColumns | None:
    """Return the columns to request, no id twice; None if a probe reads an unselected child of a selected struct."""
    width = len(request.schema.fields)
    asked: dict[int, NestedField] = {}
    places: list[tuple[str, ...] | None] = []
    for field, node in zip(request.schema.fields, plan.fields, strict=False):
        if isinstance(node, PartitionValue | MetadataColumn):
            places.append(None)
            continue
        asked[field.field_id] = field
        places.append((field.name,))
    names = {field.name for field in request.schema.fields}
    for probe, node in zip(request.probes, plan.fields[width:], strict=True):
        if isinstance(node, PartitionValue | MetadataColumn):
            places.append(None)
            continue
        name = f"probe {probe.field_id}"  # names pass through C strings, so the helper names hold no NUL
        while name in names:
            name += "_"
        have = asked.setdefault(probe.column.field_id, replace(probe.column, name=name))
        path = _path_in(have, probe.column)
        if path is None:
            return None
        places.append(path)
    schema = Schema(tuple(asked.values()))
    if any(is_pattern(f.name) or "\0" in f.name for _, f in walk(StructType(schema.fields))):
        return None
    return NativeColumns(schema, tuple(places))


def _path_in(have: NestedField, wanted: NestedField) -> tuple[str, ...] | None:
    """Return the path of names to the only leaf of `wanted` in a field with the same id."""
    match have.field_type, wanted.field_type:
        case StructType(fields), StructType((child,)):
            below = next((f for f in fields if f.field_id == child.field_id), None)
            rest = None if below is None else _path_in(below, child)
            return None if rest is None else (have.name, *rest)
        case _:
            return (have.name,)


def native_scan(
    paths: list[str], columns: NativeColumns, row_index: str | None, path_column: str | None, options: Any
) -> pl.LazyFrame:
    """Return one scan over files of any shapes, projected by Polars."""
    from polars.io.scan_options.cast_options import ScanCastOptions

    schema = columns.schema
    return pl.scan_parquet(
        paths,
        schema=polars_schema(schema),
        glob=False,
        hive_partitioning=False,
        include_file_paths=path_column,
        row_index_name=row_index,
        storage_options=options,
        missing_columns="insert",
        extra_columns="ignore",
        cast_options=ScanCastOptions._default_iceberg(),
        _column_mapping=("iceberg-column-mapping", arrow_schema(schema), None),
        _default_values=("iceberg", ({}, _defaults(schema), {})),
    )


def _defaults(schema: Schema) -> dict[int, pl.Series]:
    return {
        f.field_id: plain_series("", [f.initial_default], f.field_type)
        for _, f in walk(StructType(schema.fields))
        if f.initial_default is not None and f.field_id not in METADATA_COLUMNS and f.field_type.is_primitive
    }
