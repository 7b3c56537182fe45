"""Where projector is held to something else than Java's rows, and why. Keys are labels of expectations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from projector.errors import ProjectionError, ProjectorError, UnsupportedError


@dataclass(frozen=True)
class Refused:
    """The read is refused with this error, whose one line says this (a regular expression)."""

    error: type[ProjectorError]
    says: str
    reason: str


@dataclass(frozen=True)
class Rows:
    """The read gives these rows, in any order."""

    rows: tuple[tuple[Any, ...], ...]
    reason: str
    warns: str | None = None


NO_MAPPING = "a file without ids and a table without name mapping: every column is its default or null (the spec)"

RULINGS: Mapping[str, Refused | Rows] = {
    "add_files_two_level/current": Rows(
        ((1, [1, 2]), (2, []), (3, None), (4, [5000000000])),
        "the Parquet format allows two-level lists; Java cannot read them, other Parquet readers can",
    ),
    "no_ids_no_mapping/current": Rows(((None, None, None),) * 4, NO_MAPPING + "; Java guesses by position", "mapping"),
    "no_ids_no_mapping_nested/current": Rows(
        ((None, None, None),) * 2, NO_MAPPING + "; Java guesses by position", "mapping"
    ),
    "mapping_removed/current": Rows(
        ((None, None), (None, None), (3, "c")), NO_MAPPING + "; Java guesses by position", "mapping"
    ),
    "required_without_default/current": Refused(
        ProjectionError, r"must", "a required field that ends in null is an error, not a null (the spec)"
    ),
    "avro_data/current": Refused(UnsupportedError, r"(?i)avro", "Avro data files are refused by name"),
    "orc_data/current": Refused(UnsupportedError, r"(?i)orc", "ORC data files are refused by name"),
    "eq_delete_formats/current": Refused(
        UnsupportedError, r"(?i)avro|orc", "Avro and ORC delete files are refused by name"
    ),
    "variant/current": Refused(
        UnsupportedError, r"(?i)payload.*variant|variant.*payload", "selecting a variant column is refused by name"
    ),
}

MOVED_BESIDE: Mapping[str, str] = {"add_files_outside": "import"}
"""Folders beside `table/` whose files the table lists: they need a `path_map`."""

WRITTEN_AT = "file:/tmp/iceberg-corpus"
"""The prefix under which the tables were written, `WRITTEN_AT/<case>/table`."""
