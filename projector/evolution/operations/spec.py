"""The operations that an update of a partition spec is made of: recorded as data, applied later."""

from __future__ import annotations

from dataclasses import dataclass

from projector.evolution.operations.schema import FieldPath, Operation


@dataclass(frozen=True, slots=True)
class AddPartitionField(Operation):
    """Partition new files by a column.

    Parameters
    ----------
    column:
        The source column.
    transform:
        The transform as metadata spells it: `identity`, `bucket[16]`, `truncate[10]`, `year`, `month`, `day`, `hour`.
    name:
        Name of the partition field; made from the column and the transform unless given.
    """

    column: FieldPath
    transform: str = "identity"
    name: str | None = None


@dataclass(frozen=True, slots=True)
class RemovePartitionField(Operation):
    """Partition new files by a field no longer; the field is named."""

    name: str


@dataclass(frozen=True, slots=True)
class RemovePartitionTerm(Operation):
    """Partition new files by a column under a transform no longer.

    With `or_name` a column that the schema does not have is the name of a partition field, as in Spark.
    """

    column: FieldPath
    transform: str = "identity"
    or_name: bool = False


@dataclass(frozen=True, slots=True)
class RenamePartitionField(Operation):
    """Give a partition field another name, in this spec and those after it."""

    name: str
    new_name: str


SpecOperation = AddPartitionField | RemovePartitionField | RemovePartitionTerm | RenamePartitionField
