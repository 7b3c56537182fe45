"""F901 projection-differs.

What it does:
    Reads the columns involved before and after the change with the row oracle, and compares every value with what
    the value before leads to: promoted, by field id, with defaults for what is new.

Why it matters:
    A schema change must not move, lose or alter a value that is there. This finds whatever no other rule has
    thought of.

Evidence:
    The rows of all files, or of a sample that covers every shape; values before and after.

Example:
    ALTER TABLE imported ADD COLUMN buyer string, where a name mapping still gives files without ids that name for
    another column

Instead:
    Depends on what the other findings say of the column.

Reference:
    Spec, Column Projection; Default values; Schema Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.kit.value_findings import value_findings
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(change: Change) -> Iterator[Finding]:
    """Every column with a row that differs, and what can no longer be read."""
    if change.values is not None:
        for finding in value_findings(change.values.differences, change.after.footers.file_count):
            broken = finding.key == "failure"
            direction = Direction.OLD_DATA_UNREADABLE if broken else Direction.OLD_VALUES_CHANGE
            message = "can no longer be read" if broken else "old rows do not read as the change makes of them"
            yield change.place(finding.filled(direction=direction, message=f"{message}: {finding.message}"))


RULE = Rule(
    "F901",
    "projection-differs",
    "Finds old rows that read otherwise after the change than the spec makes of them.",
    Level.VALUES,
    "Column Projection; Schema Evolution",
    on_change=check,
)
