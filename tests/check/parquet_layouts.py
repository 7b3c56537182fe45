"""Parquet files that pyarrow does not write: legacy lists, and two columns of one name."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from tests.files import craft
from tests.files.craft import Element, group, leaf


def rewritten(array: pa.Array, name: str, *elements: Element, nullable: bool = True) -> bytes:
    """A file of one column whose footer describes it as other elements do."""
    out = io.BytesIO()
    pq.write_table(pa.table([array], pa.schema([pa.field(name, array.type, nullable)])), out)
    return craft.rewrite(out.getvalue(), list(elements))


def lists_of_two_levels(list_id: int | None, element_id: int | None) -> bytes:
    """A column `l` of lists whose repeated column is the element."""
    kind = pa.list_(pa.field("element", pa.int32(), nullable=False))
    element = leaf("array", "int32", "repeated", field_id=element_id)
    return rewritten(pa.array([[1, 2], []], kind), "l", group("l", element, converted=craft.LIST, field_id=list_id))


def lists_without_annotation(list_id: int | None) -> bytes:
    """A repeated column `l` with no list around it."""
    kind = pa.list_(pa.field("element", pa.int32(), nullable=False))
    return rewritten(
        pa.array([[1, 2], []], kind), "l", leaf("l", "int32", "repeated", field_id=list_id), nullable=False
    )


def named_element(name: str, list_id: int | None = None, element_id: int | None = None) -> bytes:
    """A column `l` of lists of three levels whose element has a name of its own."""
    bag = group("bag", leaf(name, "int32", field_id=element_id), repetition="repeated")
    return rewritten(
        pa.array([[1, None]], pa.list_(pa.int32())), "l", group("l", bag, converted=craft.LIST, field_id=list_id)
    )


def flat_columns(*columns: tuple[str, int | None]) -> bytes:
    """Columns of ints by name and id, whatever the names."""
    out = io.BytesIO()
    pq.write_table(pa.table({str(i): pa.array([1], pa.int32()) for i in range(len(columns))}), out)
    return craft.rewrite(out.getvalue(), [leaf(name, "int32", field_id=field_id) for name, field_id in columns])
