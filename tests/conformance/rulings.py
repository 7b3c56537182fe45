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

NEEDS_DELETES = frozenset(
    {
        "deletion_vectors/3380417807683510748",
        "deletion_vectors/current",
        "eq_and_position_deletes/current",
        "eq_delete_added_column/2488510424473294173",
        "eq_delete_added_column/current",
        "eq_delete_dropped/164917115118119336.spec",
        "eq_delete_dropped/current.spec",
        "eq_delete_dropped_readded/current.spec",
        "eq_delete_nested/current",
        "eq_delete_nested/current.spec",
        "eq_delete_null_and_pairs/3445586664647082786",
        "eq_delete_null_and_pairs/current",
        "eq_delete_plain/7191923201234249890",
        "eq_delete_plain/current",
        "eq_delete_promoted/current",
        "eq_delete_promoted_decimal/current",
        "eq_delete_renamed/current",
        "position_deletes/6202983320505912627",
        "position_deletes/current",
        "row_lineage_mor/current",
        "upgraded_v1_v2_v3/4143840320266345073",
        "upgraded_v1_v2_v3/current",
    }
)
"""Reads of snapshots with delete files: refused by name until they are applied, then taken off this list."""

NEEDS_METADATA_COLUMNS = frozenset(
    {"metadata_columns/metadata-columns", "row_lineage/lineage", "row_lineage_mor/lineage"}
)
"""Reads of reserved columns (`_file`, `_pos`, `_row_id`, ...): to be taken off this list when scans can select them."""

MOVED_BESIDE: Mapping[str, str] = {"add_files_outside": "import"}
"""Folders beside `table/` whose files the table lists: they need a `path_map`."""

WRITTEN_AT = "file:/tmp/iceberg-corpus"
"""The prefix under which the tables were written, `WRITTEN_AT/<case>/table`."""
