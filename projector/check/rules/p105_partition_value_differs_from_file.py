"""P105 partition-value-differs-from-file.

What it does:
    Finds a file whose partition value cannot be that of all its rows, by the bounds which the manifest keeps of the
    column.

Why it matters:
    Filters on the column prune by the partition value, and rows of the file that match are not found. Readers show the
    file's value, or the tuple's.

Evidence:
    The live files, and the value and bounds of the first.

Example:
    A file with rows of 2024-01-01 and 2024-01-02 that was added to the partition of one day

Instead:
    Rewrite these files, or take them out and add them to their own partitions.

Reference:
    Spec, Partitioning; Column Projection.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """One finding for each partition field of each spec."""
    for (spec_id, part_id), tally in state.files.manifest_facts.partition_differs.items():
        field = state.metadata.specs[spec_id].fields_by_id[part_id]
        yield Finding(
            f"partition field {field.name} = {field.transform} of spec {spec_id} is not what the rows of files have",
            Direction.METADATA_INVALID,
            state.dotted(field.source_id) or field.name,
            field.source_id,
            evidence=tally.evidence(state.files.manifest_facts.bounds_of),
            help="rewrite these files, or add them again to their own partitions",
            key=f"{spec_id}:{part_id}",
        )


RULE = Rule(
    "P105",
    "partition-value-differs-from-file",
    "Finds files whose partition value is not that of their rows.",
    Level.FOOTERS,
    "Partitioning",
    on_state=check,
)
