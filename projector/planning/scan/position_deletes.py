"""The columns of a position delete file that are read (spec: Position Delete Files)."""

from __future__ import annotations

from projector.schema.name_mapping import MappedField, NameMapping
from projector.schema.reserved import DELETE_FILE_PATH, DELETE_FILE_POS
from projector.schema.schema import Schema
from projector.schema.types import LongType, NestedField, StringType

POSITION_DELETE_SCHEMA = Schema(
    (
        NestedField(DELETE_FILE_PATH, "file_path", StringType(), required=True),
        NestedField(DELETE_FILE_POS, "pos", LongType(), required=True),
    )
)
"""The path of a data file, and the position of a deleted row in it."""

POSITION_DELETE_NAMES = NameMapping(
    (MappedField(("file_path",), DELETE_FILE_PATH), MappedField(("pos",), DELETE_FILE_POS))
)
"""The name mapping for position delete files whose writer omitted the reserved ids."""
