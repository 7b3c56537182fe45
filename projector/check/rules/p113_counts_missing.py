"""P113 counts-missing.

What it does:
    Finds files with rows whose manifest entry has neither value counts nor null counts.

Why it matters:
    Absent means unknown, and readers that take it for zero leave rows out for IS NULL and IS NOT NULL. Nobody can
    skip these files.

Evidence:
    The live files.

Example:
    Files that were added with metrics mode `none`

Instead:
    Nothing; or rewrite the manifests with the counts of the footers.

Reference:
    Spec, Data File Fields: optional counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """One finding, for all such files."""
    tally = state.files.manifest_facts.without_counts
    if tally.files:
        yield Finding(
            "manifests have neither value counts nor null counts of live files",
            Direction.ADVICE,
            evidence=tally.evidence(len(state.files.live.data)),
            help="write them with metrics, where filters are slow or a reader counts wrong",
        )


RULE = Rule(
    "P113",
    "counts-missing",
    "Finds files without value and null counts.",
    Level.FOOTERS,
    "Data File Fields",
    on_state=check,
)
