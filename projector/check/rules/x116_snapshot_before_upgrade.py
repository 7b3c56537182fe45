"""X116 snapshot-before-upgrade.

What it does:
    Finds a table of format version 2 or higher whose current snapshot was written under version 1.

Why it matters:
    Manifest lists of version 1 have no sequence numbers, which read as 0. A reader in use takes the list for one of
    the table's version, and fails on every read.

Evidence:
    The snapshot, and what readers do.

Example:
    ALTER TABLE orders SET TBLPROPERTIES ('format-version' = '2')

Instead:
    Commit a snapshot right after the upgrade (append, or rewrite the manifests): it lists all manifests in the new
    format. Older snapshots stay unreadable for that reader.

Reference:
    Spec, Appendix E: Version 2, reading v1 metadata.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Evidence, Finding


def check(state: TableState) -> Iterator[Finding]:
    """One finding, if the sequence number says that version 1 wrote the current snapshot."""
    snapshot = state.metadata.current_snapshot
    if state.metadata.format_version < 2 or snapshot is None or snapshot.sequence_number > 0:
        return
    finding = readers_disagree(
        "snapshot-before-upgrade",
        state.engines,
        f"format version {state.metadata.format_version}, but the current snapshot was written under version 1",
        evidence=Evidence(facts=(f"snapshot {snapshot.snapshot_id} has no sequence number",)),
        help="commit a snapshot right after the upgrade: append, or rewrite the manifests",
    )
    if finding is not None:
        yield finding


RULE = Rule(
    "X116",
    "snapshot-before-upgrade",
    "Finds upgraded tables whose current snapshot is of version 1, which a reader fails on.",
    Level.SCHEMA,
    "Appendix E",
    on_state=check,
)
