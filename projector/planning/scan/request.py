"""What a scan is asked for, in the one form that every executor takes."""

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
"""Rows in a batch at most, unless the caller says otherwise."""


@dataclass(frozen=True)
class ScanRequest:
    """Columns, rows and how to reach the files.

    Parameters
    ----------
    schema:
        The schema of the rows that are given out.
    row_filter:
        A bound filter. Rows for which it is true are given out.
    probes:
        What decides about rows: every column that the filter or an equality delete of the scan reads.
    storage:
        What opens files.
    name_mapping:
        For files without field ids.
    reads_ahead:
        Whether files are read before their turn comes; not so for a scan that may not come to the next file at all.
    data_files:
        Canonical paths of the scan's files, where it has position deletes: a delete for one of them is for no other.
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
        """The schema that files are projected under: the columns given out, then the probes."""
        return with_probes(self.schema, self.probes)

    @cached_property
    def deleted_column(self) -> int | None:
        """Place of `_deleted` among the columns."""
        return next((i for i, f in enumerate(self.schema.fields) if f.field_id == DELETED), None)

    @cached_property
    def marks_deleted(self) -> bool:
        """Whether deleted rows are given out, marked: where `_deleted` is selected, or in the filter."""
        return self.deleted_column is not None or DELETED in bound_terms(self.row_filter)
