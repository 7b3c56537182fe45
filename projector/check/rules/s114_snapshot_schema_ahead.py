"""S114 snapshot-schema-ahead.

What it does:
    Finds a snapshot whose schema-id is above current-schema-id, as after a change that was taken back.

Why it matters:
    Legal. Readers that take a higher id for the newer schema, or refuse the table, go wrong.

Evidence:
    The snapshots.

Example:
    A column is added, rows are written, and the schema before is made current again.

Instead:
    Nothing; or make the change again as a new schema.

Reference:
    Spec, Table Metadata Fields: ids say nothing about order.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """One finding, for all such snapshots."""
    current = state.metadata.current_schema_id
    ahead = [s for s in state.metadata.snapshots if s.schema_id is not None and s.schema_id > current]
    if ahead:
        yield Finding(
            f"{len(ahead)} snapshots were written with a schema above the current one, {current};"
            f" the first is {ahead[0].snapshot_id} with schema {ahead[0].schema_id}",
            Direction.ADVICE,
            help="nothing, unless a reader takes the highest schema id for the current one",
        )


RULE = Rule(
    "S114",
    "snapshot-schema-ahead",
    "Finds snapshots written with a schema whose id is above the current one.",
    Level.SCHEMA,
    "Point in Time Reads",
    on_state=check,
)
