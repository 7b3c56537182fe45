"""What a scan is asked for, in the one form that every executor takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from projector.files.storage import Storage
from projector.planning.expressions import TRUE, Expression
from projector.planning.probes import Probe, with_probes
from projector.schema.name_mapping import NameMapping
from projector.schema.reserved import DELETED
from projector.schema.schema import Schema


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
    """

    schema: Schema
    storage: Storage = field(repr=False, default_factory=Storage)
    row_filter: Expression = TRUE
    probes: tuple[Probe, ...] = ()
    name_mapping: NameMapping | None = field(default=None, repr=False)

    @property
    def wide_schema(self) -> Schema:
        """The schema that files are projected under: the columns given out, then the probes."""
        return with_probes(self.schema, self.probes)

    @cached_property
    def deleted_column(self) -> int | None:
        """Place of `_deleted` among the columns; where it is selected, deleted rows are given out and marked."""
        return next((i for i, f in enumerate(self.schema.fields) if f.field_id == DELETED), None)
