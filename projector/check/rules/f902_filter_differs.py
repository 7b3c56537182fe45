"""F902 filter-differs.

What it does:
    Tries filters on every leaf involved: null and not null, its default, values that are there, and the edges of
    the type it had; pushed down into manifests, row groups and the engine, and on the rows of a full read. Some
    files of each way to read a leaf are filtered; of every file that is read it is seen whether bounds hide it.

Why it matters:
    Rows that a filter loses are lost without an error, and a plain read shows nothing of it.

Evidence:
    The filters, the engines that pushed them down, and the numbers of rows.

Example:
    WHERE quantity < 3000000000 on files that hold quantity as int

Instead:
    Do not filter on the column in that engine until it is mended; rewriting the files helps where old bounds or
    types are the cause.

Reference:
    Spec, Scan Planning; Schema Evolution: bounds.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.kit.value_findings import value_findings
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.check.values.values_of import values_of


def check(state: TableState) -> Iterator[Finding]:
    """Every engine in which some filter gives other rows."""
    values = values_of(state)
    if values is not None:
        for finding in value_findings(values.filter_differences, state.footers.file_count):
            yield finding.filled(
                direction=Direction.READERS_DISAGREE,
                message=f"a filter that is pushed down gives other rows: {finding.message}",
            )


RULE = Rule(
    "F902",
    "filter-differs",
    "Finds filters that give other rows pushed down than after a full read.",
    Level.VALUES,
    "Scan Planning",
    on_state=check,
)
