"""The operations of a partition spec update: recorded as data, and applied later."""

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
        The name of the partition field. By default it is derived from the column and the transform.
    """

    column: FieldPath
    transform: str = "identity"
    name: str | None = None


@dataclass(frozen=True, slots=True)
class RemovePartitionField(Operation):
    """Stop partitioning new files by the partition field of a name."""

    name: str


@dataclass(frozen=True, slots=True)
class RemovePartitionTerm(Operation):
    """Stop partitioning new files by a column under a transform.

    With `or_name`, a column that the schema does not have is taken for the name of a partition field, as in Spark.
    """

    column: FieldPath
    transform: str = "identity"
    or_name: bool = False


@dataclass(frozen=True, slots=True)
class RenamePartitionField(Operation):
    """Rename a partition field, in this spec and later ones."""

    name: str
    new_name: str


SpecOperation = AddPartitionField | RemovePartitionField | RemovePartitionTerm | RenamePartitionField
