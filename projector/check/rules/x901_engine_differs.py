"""X901 engine-differs.

What it does:
    Reads the columns involved with every engine and compares each value with that of the row oracle, before and
    after the change, so that a fault that is there in both does not hide.

Why it matters:
    Two engines that read one table differently cannot both be right.

Evidence:
    The file, the row and the two values; or what the engine said when it failed.

Example:
    A null list that an engine gives as an empty one.

Instead:
    Use another engine for this table until the fault is mended, and report it.

Reference:
    Spec, Column Projection; Nested Types.
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
    """Every column that an engine gives other values of."""
    values = values_of(state)
    if values is not None:
        for finding in value_findings(values.engine_differences, state.footers.file_count):
            yield finding.filled(direction=Direction.READERS_DISAGREE, message=f"an engine differs: {finding.message}")


RULE = Rule(
    "X901",
    "engine-differs",
    "Finds engines that read other rows than the row oracle.",
    Level.VALUES,
    "Column Projection",
    on_state=check,
)
