"""N105 default-needs-v3.

What it does:
    Finds a column that is added with a default to a table of format version 1 or 2.

Why it matters:
    Initial defaults came with version 3. Readers of older versions would show null in old rows, so the commit is
    refused.

Evidence:
    The table's format version.

Example:
    ALTER TABLE orders ADD COLUMN channel string DEFAULT 'till', on version 2

Instead:
    Add it without a default, and fill it in where it is read; or upgrade the table first.

Reference:
    Spec, Default values; Appendix E.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Finding
from projector.evolution.operations.schema import AddColumn


def check(change: Change) -> Iterator[Finding]:
    """Every refused initial default."""
    version = change.before.metadata.format_version
    for refusal in change.refusals:
        if isinstance(refusal.operation, AddColumn) and "Invalid initial default" in refusal.error.message:
            yield change.refused(
                refusal,
                f"a default needs format version 3; the table has {version}",
                help="add the column without a default, or upgrade the table first",
            )


RULE = Rule(
    "N105",
    "default-needs-v3",
    "Finds defaults that the format version of the table does not have.",
    Level.SCHEMA,
    "Default values; Appendix E",
    on_change=check,
)
