"""Find the leaf columns of a Parquet file that have bloom filters, in the metadata of its first row group."""

from __future__ import annotations

from projector.files.parquet import thrift
from projector.files.parquet.footer import Footer

_ROW_GROUPS, _COLUMNS, _META_DATA, _BLOOM_FILTER_OFFSET = 4, 1, 3, 14


def leaves_with_bloom_filters(footer: Footer) -> frozenset[int]:
    """Return the indexes of the leaf columns whose chunks in the first row group have a bloom filter.

    Writers create them for the same columns in every row group. Raises `CorruptFileError`.
    """
    data = footer.data
    groups = _field(data, 0, _ROW_GROUPS)
    if groups is None:
        return frozenset()
    _, count, at = thrift.read_list_header(data, groups)
    columns = _field(data, at, _COLUMNS) if count else None
    if columns is None:
        return frozenset()
    kind, count, at = thrift.read_list_header(data, columns)
    found = set()
    for leaf in range(count):
        chunk = _field(data, at, _META_DATA)
        if chunk is not None and _field(data, chunk, _BLOOM_FILTER_OFFSET) is not None:
            found.add(leaf)
        at = thrift.skip_value(data, at, kind)
    return frozenset(found)


def _field(data: bytes, at: int, field_id: int) -> int | None:
    """Return the offset of a field of the struct at an offset; None if it has no such field."""
    spans, _ = thrift.struct_spans(data, at)
    return next((span.start for span in spans if span.field_id == field_id), None)
