"""The request of a scan, in the one form that every executor takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from projector.files.storage.storage import Storage
from projector.planning.filters.expressions import TRUE, Expression, bound_terms
from projector.planning.scan.probes import Probe, with_probes
from projector.schema.name_mapping import NameMapping
from projector.schema.reserved import DELETED
from projector.schema.schema import Schema

DEFAULT_BATCH_SIZE = 131_072
"""The default for the most rows in a batch."""


@dataclass(frozen=True)
class ScanRequest:
    """The columns and rows to return, and how to reach the files.

    Parameters
    ----------
    schema:
        The schema of the returned rows.
    row_filter:
        A bound filter. Rows for which it is true are returned.
    probes:
        The columns that decide about rows: all that the filter or an equality delete of the scan reads.
    storage:
        Opens files.
    name_mapping:
        The mapping for files without field ids.
    reads_ahead:
        Whether files are read ahead; False for a scan that may never reach the next file.
    data_files:
        Canonical paths of the scan's files, if it has position deletes: a delete for one of them applies to no other.
    """

    schema: Schema
    storage: Storage = field(repr=False, default_factory=Storage)
    row_filter: Expression = TRUE
    probes: tuple[Probe, ...] = ()
    name_mapping: NameMapping | None = field(default=None, repr=False)
    reads_ahead: bool = True
    data_files: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def wide_schema(self) -> Schema:
        """The schema under which files are projected: the returned columns, then the probes."""
        return with_probes(self.schema, self.probes)

    @cached_property
    def deleted_column(self) -> int | None:
        """The place of `_deleted` among the columns."""
        return next((i for i, f in enumerate(self.schema.fields) if f.field_id == DELETED), None)

    @cached_property
    def marks_deleted(self) -> bool:
        """Whether deleted rows are returned, marked: if `_deleted` is selected, or in the filter."""
        return self.deleted_column is not None or DELETED in bound_terms(self.row_filter)
