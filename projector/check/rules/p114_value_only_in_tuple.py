"""P114 value-only-in-tuple.

What it does:
    Finds a column that live files lack and whose value is that of their identity partition field.

Why it matters:
    By the spec the tuple gives the value, but readers that go by names or by the footers alone show null, and
    filters on the column find nothing there.

Evidence:
    The live files without the column.

Example:
    Files of a Hive table, which keep the partition column in the folder's name

Instead:
    Nothing for readers that follow the spec; otherwise rewrite the files with the column in them.

Reference:
    Spec, Column Projection, rule 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.projection.plan import PartitionValue


def check(state: TableState) -> Iterator[Finding]:
    """Every column that some file has in its partition tuple only."""
    for field_id in {i for spec in state.metadata.specs.values() for i in spec.identity_source_ids}:
        evidence = state.evidence_where(field_id, lambda _, node: isinstance(node, PartitionValue))
        if evidence.files:
            yield Finding(
                "live files lack it; its value there is that of the partition",
                Direction.ADVICE,
                state.dotted(field_id),
                field_id,
                evidence=evidence,
            )


RULE = Rule(
    "P114",
    "value-only-in-tuple",
    "Finds columns whose value only the partition tuple has.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
)
