"""`UpdateSpec`: records changes of the partition spec, and applies them to the spec that is current at the commit."""

from __future__ import annotations

from typing import Any

from projector.evolution.operations.schema import FieldPath
from projector.evolution.operations.spec import (
    AddPartitionField,
    RemovePartitionField,
    RemovePartitionTerm,
    RenamePartitionField,
    SpecOperation,
)
from projector.evolution.operations.terms import transform_text
from projector.evolution.updates.update_schema import Names


class UpdateSpec:
    """Records changes of the partition spec (spec: Partition Evolution).

    Every method records one operation and returns the update itself; errors are reported on application.

    Parameters
    ----------
    case_sensitive:
        Whether column names must match in case.
    set_as_default:
        Whether new files are written with the spec. False only adds it to the table.
    """

    def __init__(self, *, case_sensitive: bool = True, set_as_default: bool = True) -> None:
        self.case_sensitive = case_sensitive
        self.set_as_default = set_as_default
        self._operations: list[SpecOperation] = []

    @property
    def operations(self) -> tuple[SpecOperation, ...]:
        """The recorded operations, in order."""
        return tuple(self._operations)

    def is_empty(self) -> bool:
        """Return whether nothing has been recorded."""
        return not self._operations

    def record(self, *operations: SpecOperation) -> UpdateSpec:
        """Record operations that were made elsewhere, for example by a parser."""
        self._operations.extend(operations)
        return self

    def add_field(self, column: Names, transform: Any = None, name: str | None = None) -> UpdateSpec:
        """Partition new files by a column.

        Parameters
        ----------
        column:
            A dotted name, or a sequence of literal names.
        transform:
            `"bucket[16]"`, `"truncate[10]"`, `"year"`, `"month"`, `"day"`, `"hour"`, a transform object of this package
            or of
            pyiceberg; None is the column's value itself.
        name:
            The name of the partition field. By default the column's name, followed by the transform if there is one:
            `ts_day`, `id_bucket_16`, `name_trunc_10`.
        """
        return self.record(AddPartitionField(_column(column), transform_text(transform), name))

    def add_identity(self, column: Names) -> UpdateSpec:
        """Partition new files by the values of a column."""
        return self.add_field(column)

    def remove_field(self, field: str | tuple[Names, Any]) -> UpdateSpec:
        """Stop partitioning new files by a field.

        Parameters
        ----------
        field:
            The partition field's name, or a pair of its column and transform.
        """
        if isinstance(field, str):
            return self.record(RemovePartitionField(field))
        column, transform = field
        return self.record(RemovePartitionTerm(_column(column), transform_text(transform)))

    def rename_field(self, name: str, new_name: str) -> UpdateSpec:
        """Rename a partition field."""
        return self.record(RenamePartitionField(name, new_name))

    def __repr__(self) -> str:
        return f"UpdateSpec(operations=[{', '.join(map(str, self._operations))}])"


def _column(column: Names) -> FieldPath:
    return column if isinstance(column, str) else tuple(column)
