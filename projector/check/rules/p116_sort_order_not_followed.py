"""P116 sort-order-not-followed.

What it does:
    Finds a table with a sort order that no file of the current snapshot says it was written in.

Why it matters:
    The order is there to make bounds narrow and scans short, and files that say nothing of it are taken for
    unsorted.

Evidence:
    The data files of the current snapshot, and the orders that they name.

Example:
    WRITE ORDERED BY was set, and the writers do not sort

Instead:
    Have the writers sort and say so, or rewrite the files; or remove the order.

Reference:
    Spec, Sorting; Data File Fields: sort_order_id.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """One finding, for the current order."""
    metadata = state.metadata
    order_id, current = metadata.default_sort_order_id, metadata.current_snapshot_id
    order = metadata.sort_orders[order_id]
    if order.is_unsorted or current is None:
        return
    files = [file for file in state.files.live.data if current in file.snapshots]
    if not files or any(file.kind.sort_order_id == order_id for file in files):
        return
    said = sorted({str(file.kind.sort_order_id or "none") for file in files})
    yield Finding(
        f"no file of the current snapshot was written in sort order {order_id}",
        Direction.ADVICE,
        evidence=manifest_evidence(files, len(files), f"they name sort order {', '.join(said)}"),
        help="have the writers sort, or remove the order",
    )


RULE = Rule(
    "P116",
    "sort-order-not-followed",
    "Finds sort orders that no file follows.",
    Level.FOOTERS,
    "Sorting",
    on_state=check,
)
