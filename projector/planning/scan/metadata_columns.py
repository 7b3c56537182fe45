"""Metadata columns: fields with reserved ids that no file needs to have (spec: Reserved Field IDs, Row Lineage)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from projector.metadata.manifests.read import DataFile
from projector.planning.filters.expressions import BoundTerm
from projector.planning.pruning.facts import Facts, constant
from projector.schema import reserved
from projector.schema.schema import Schema
from projector.schema.selection import ALL, select
from projector.schema.types import BooleanType, IntegerType, LongType, NestedField, StringType, StructType

METADATA_FIELDS = {
    f.field_id: f
    for f in (
        NestedField(reserved.FILE, "_file", StringType(), True, "Path of the file in which a row is stored"),
        NestedField(reserved.POS, "_pos", LongType(), True, "Ordinal position of a row in its data file, from 0"),
        NestedField(reserved.DELETED, "_deleted", BooleanType(), True, "Whether the row has been deleted"),
        NestedField(reserved.SPEC_ID, "_spec_id", IntegerType(), False, "Partition spec of the row's file"),
        NestedField(reserved.ROW_ID, "_row_id", LongType(), False, "Id of the row, unique in its table"),
        NestedField(
            reserved.LAST_UPDATED_SEQUENCE_NUMBER,
            "_last_updated_sequence_number",
            LongType(),
            False,
            "Sequence number of the commit that last updated the row",
        ),
    )
}
"""The metadata columns except `_partition`, whose type depends on the table's specs."""


_SHIFT = 2_000_000_000
"""Added to the ids of partition fields if a column has one of them: partition fields are numbered from 1000."""


def partition_field(fields: Iterable[NestedField], schema: Schema) -> NestedField:
    """Return the column `_partition` over the partition fields of all specs of a table.

    Its children have the ids of the partition fields, or ids above all columns if `schema` has one of those.
    """
    children = tuple(fields)
    if any(f.field_id in schema.fields_by_id for f in children):
        children = tuple(replace(f, field_id=f.field_id + _SHIFT) for f in children)
    return NestedField(
        reserved.PARTITION, "_partition", StructType(children), False, "Partition to which the row belongs"
    )


def partition_values(partition: Mapping[int, Any]) -> Mapping[int, Any]:
    """Return a partition tuple by the ids that the children of `_partition` can have."""
    return {**partition, **{field_id + _SHIFT: value for field_id, value in partition.items()}}


def file_column_facts(term: BoundTerm, file: DataFile, partition: Mapping[int, Any]) -> Facts | None:
    """Return what a manifest says of a metadata column in the rows of a file; None for other columns.

    `partition` is the file's tuple in the types of `_partition`.
    """
    if term.field_id == reserved.FILE:
        return constant(file.file_path)
    if term.field_id == reserved.SPEC_ID:
        return constant(file.spec_id)
    if term.parent_ids == (reserved.PARTITION,):
        return constant(partition_values(partition).get(term.field_id))
    return None


def metadata_columns(schema: Schema, ids: Collection[int], partition: NestedField | None = None) -> Schema:
    """Return a schema and the requested metadata columns after it; a column of the schema wins over one of its name."""
    known = METADATA_FIELDS if partition is None else {**METADATA_FIELDS, partition.field_id: partition}
    have, names = {f.field_id for f in schema.fields}, {f.name for f in schema.fields}
    added = tuple(f for i, f in known.items() if i in ids and i not in have and f.name not in names)
    return replace(schema, fields=(*schema.fields, *added)) if added else schema


def select_columns(
    known: Schema, schema: Schema, selected_fields: Sequence[str | tuple[str, ...]], case_sensitive: bool
) -> Schema:
    """Return the selected columns of a schema and of the metadata columns; `*` is the schema alone.

    Parameters
    ----------
    known:
        The schema with every metadata column whose name is free.
    """
    if isinstance(selected_fields, str):
        selected_fields = (selected_fields,)
    if tuple(selected_fields) == (ALL,):
        return schema
    named: list[str | tuple[str, ...]] = []
    for name in selected_fields:
        named += [(f.name,) for f in schema.fields] if name == ALL else [name]
    return select(known, named, case_sensitive)
