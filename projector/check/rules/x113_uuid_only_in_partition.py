"""X113 uuid-only-in-partition.

What it does:
    Finds uuid columns whose value some files leave to their partition tuple.

Why it matters:
    A reader in use gives such a value with its bytes in reverse.

Evidence:
    The live files that lack the column and have it in their partition.

Example:
    A table partitioned by identity(tenant), a uuid, with files that do not store tenant.

Instead:
    Write the column into the files as well.

Reference:
    Spec, Column Projection: identity partition values; Appendix D.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Finding
from projector.projection.plan import PartitionValue
from projector.schema.types import UUIDType


def check(state: TableState) -> Iterator[Finding]:
    """Every such column."""
    for field_id, field in state.schema.fields_by_id.items():
        if not isinstance(field.field_type, UUIDType):
            continue
        evidence = state.evidence_where(field_id, lambda _, node: isinstance(node, PartitionValue))
        if not evidence.files:
            continue
        finding = readers_disagree(
            "uuid-only-in-partition",
            state.engines,
            "a uuid that files leave to their partition tuple",
            evidence=evidence,
            help="write these files again with the column in them",
            path=state.dotted(field_id),
            field_id=field_id,
        )
        if finding is not None:
            yield finding


RULE = Rule(
    "X113",
    "uuid-only-in-partition",
    "Finds uuids that only the partition tuple holds, which a reader gets wrong.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
)
