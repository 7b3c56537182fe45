"""The units of a scan: one task per live data file, with everything that the manifests say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """A delete file, or one deletion vector in a Puffin file, that applies to a data file.

    Parameters
    ----------
    file, location:
        The path as the manifest spells it, and where it is read from.
    content:
        `position` or `equality`. A deletion vector is a position delete of format `puffin`.
    file_format:
        In lower case: `parquet`, `puffin`, ...
    data_sequence_number:
        Decides which data files it applies to (spec: Scan Planning).
    equality_ids:
        Field ids that rows are compared on; empty for position deletes.
    content_offset, content_size:
        Where the deletion vector's blob lies in its Puffin file, in bytes.
    """

    file: str
    location: str
    content: str
    file_format: str
    data_sequence_number: int
    record_count: int = 0
    equality_ids: tuple[int, ...] = ()
    referenced_data_file: str | None = None
    content_offset: int | None = None
    content_size: int | None = None

    @property
    def vector_range(self) -> tuple[int, int]:
        """Offset and size of a deletion vector's blob. The delete index accepts none without them."""
        return self.content_offset or 0, self.content_size or 0

    @property
    def is_vector(self) -> bool:
        """Whether it is a deletion vector."""
        return self.file_format == "puffin"


@dataclass(frozen=True, slots=True)
class FileTask:
    """A data file to read.

    Parameters
    ----------
    file, location:
        The path as the manifest spells it, and where it is read from (a moved table, a path map).
    record_count, file_size:
        What the manifest says; None where nothing does. Never relied upon to read the file.
    spec_id:
        The partition spec it was written under.
    partition:
        The partition tuple: {partition field id: plain value}.
    identity_partition:
        Values that the spec's identity transforms give: {source field id: plain value}, None for a null that is
        present.
    data_sequence_number, first_row_id:
        For deletes and row lineage.
    position_deletes, equality_deletes:
        Delete files that apply to it; a deletion vector is among the former. Files of one partition and age share one
        tuple of the latter.
    all_match:
        Whether the manifest proves that every row of it passes the scan's filter.
    expected_count:
        Rows that the scan is expected to give out of it (see `projector.planning.pruning.estimates`), or None.
    """

    file: str
    location: str
    record_count: int | None = None
    file_size: int | None = None
    spec_id: int | None = None
    partition: Mapping[int, Any] = field(default_factory=dict)
    identity_partition: Mapping[int, Any] = field(default_factory=dict)
    data_sequence_number: int | None = None
    first_row_id: int | None = None
    position_deletes: tuple[DeleteFile, ...] = ()
    equality_deletes: tuple[DeleteFile, ...] = ()
    all_match: bool = True
    expected_count: float | None = None

    @property
    def deletes(self) -> tuple[DeleteFile, ...]:
        """All delete files that apply to it."""
        return (*self.position_deletes, *self.equality_deletes)
