"""P115 unused-spec.

What it does:
    Finds partition specs, other than the current one, that no live file of any snapshot has.

Why it matters:
    They cost nothing to read, but they forbid promotions of their source columns, and names for new columns.

Evidence:
    The specs.

Example:
    A table that was partitioned by month until all its files were rewritten by day

Instead:
    Remove them with a tool that can, before a change which they forbid.

Reference:
    Spec, Partition Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """One finding, for all such specs, where every snapshot has been looked at."""
    metadata, live = state.metadata, state.files.live
    if live.unreadable or len(state.files.snapshots) < len(metadata.snapshot_ids) or not live.snapshots:
        return
    used = state.files.by_spec.keys() | {metadata.default_spec_id}
    unused = [spec for i, spec in metadata.specs.items() if i not in used and spec.fields]
    if unused:
        names = "; ".join(f"{s.spec_id} ({', '.join(f'{f.transform} {f.name}' for f in s.fields)})" for s in unused)
        yield Finding(
            f"no live file has partition spec {names}",
            Direction.ADVICE,
            help="remove it, where it is in the way of a change",
        )


RULE = Rule(
    "P115",
    "unused-spec",
    "Finds partition specs that no live file has.",
    Level.FOOTERS,
    "Partition Evolution",
    on_state=check,
)
