"""Resolving reserved columns (spec: Reserved Field IDs, Row Lineage): the file's own column, if it can be read."""

from __future__ import annotations

from projector.files.parquet.file_schema import FileColumn, FileKind, FileLeaf, FileSchema
from projector.projection.plan import Cast, Fail, FailCode, MetadataColumn, PlanNode
from projector.projection.resolve import resolve
from projector.schema import reserved
from projector.schema.schema import Schema
from projector.schema.types import LongType, NestedField

ROW_ID = Schema((NestedField(reserved.ROW_ID, "_row_id", LongType()),))


def node(*columns: FileColumn) -> PlanNode:
    (found,) = resolve(ROW_ID, FileSchema(columns)).fields
    return found


def stored(leaf: FileLeaf) -> FileColumn:
    return FileColumn("_row_id", leaf, field_id=reserved.ROW_ID)


def test_a_file_without_row_ids_inherits_them() -> None:
    assert isinstance(node(), MetadataColumn)
    assert node().place is None


def test_stored_row_ids_are_cast_like_any_column() -> None:
    for bits, cast in ((64, Cast.NONE), (32, Cast.WIDEN_INTEGER)):
        found = node(stored(FileLeaf(FileKind.INTEGER, f"int{bits}", bits=bits)))
        assert isinstance(found, MetadataColumn)
        assert (found.place, found.cast) == ((0,), cast)


def test_stored_row_ids_that_are_all_null_are_inherited() -> None:
    found = node(stored(FileLeaf(FileKind.NULL, "int32")))
    assert isinstance(found, MetadataColumn)
    assert found.place is None


def test_stored_row_ids_of_another_type_fail() -> None:
    found = node(stored(FileLeaf(FileKind.STRING, "byte_array")))
    assert isinstance(found, Fail)
    assert (found.code, found.place) == (FailCode.TYPE, (0,))
    assert found.message == "the file's column '_row_id' is string, which cannot be read as long"
