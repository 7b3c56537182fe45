"""P111 bounds-contradict.

What it does:
    Finds a lower bound above the upper one, or NaN as a bound.

Why it matters:
    Such a range is empty: readers that trust it skip the file, and its rows are not found.

Evidence:
    The live files, and the bounds of the first.

Example:
    A writer that compares decimals as unsigned bytes

Instead:
    Rewrite the manifests with bounds from the files' footers, or without any.

Reference:
    Spec, Data File Fields; Scan Planning.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.manifest_facts import FactCount
from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """Every column with such bounds."""
    facts = state.files.manifest_facts
    for field_id, tally in facts.inverted.items():
        yield _finding(state, field_id, tally, "manifests have lower bounds of it above the upper ones")
    for field_id, tally in facts.not_a_number.items():
        yield _finding(state, field_id, tally, "manifests have NaN as a bound of it")


def _finding(state: TableState, field_id: int, tally: FactCount, message: str) -> Finding:
    return Finding(
        message,
        Direction.METADATA_INVALID,
        state.dotted(field_id) or f"id {field_id}",
        field_id,
        evidence=tally.evidence(state.files.manifest_facts.bounds_of),
        help="rewrite the manifests with bounds from the footers, or without bounds of this column",
        key=message,
    )


RULE = Rule(
    "P111",
    "bounds-contradict",
    "Finds lower bounds above upper ones, and NaN as a bound.",
    Level.FOOTERS,
    "Data File Fields",
    on_state=check,
)
