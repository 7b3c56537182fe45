"""What the support tables of Polars and DuckDB share."""

from __future__ import annotations

from projector.files.parquet.file_schema import FileKind, FileList, FileType
from projector.schema import reserved

ODD_KINDS = frozenset(
    {FileKind.ENUM, FileKind.JSON, FileKind.BSON, FileKind.INTERVAL, FileKind.GEOMETRY, FileKind.GEOGRAPHY}
)
"""Annotations that neither reader gives as the plain value below them."""

COMPUTED_METADATA = reserved.METADATA_COLUMNS - {reserved.DELETED}
"""Ids of the metadata columns that an engine can compute beside its own reader."""


class NotLowered(Exception):
    """A plan has no expression in the engine's own terms: the engine sees a type that the plan does not expect."""


def is_three_level(file_type: FileType) -> bool:
    """Return whether a column is stored as a list of the standard three-level layout."""
    return isinstance(file_type, FileList) and file_type.layout == "three-level"
