"""S102 name-exists.

What it does:
    Finds an added, renamed or proposed column whose name a column of the same struct has.

Why it matters:
    Names are unique in a struct: the commit would be refused.

Evidence:
    The column that has the name.

Example:
    ALTER TABLE orders RENAME COLUMN price TO total, where there is a total

Instead:
    Take another name; or drop or rename the other column in a statement before. A swap takes three renames.

Reference:
    Spec, Schemas and Data Types.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Finding

SAID = ("name already exists", "multiple fields for name", "Cannot build lower case index")


def check(change: Change) -> Iterator[Finding]:
    """Every refusal for a name that is taken."""
    for refusal in change.refusals:
        if any(part in refusal.error.message for part in SAID):
            yield change.refused(
                refusal,
                refusal.error.message,
                help="take another name, or drop or rename the other column in a statement before",
            )


RULE = Rule(
    "S102",
    "name-exists",
    "Finds columns that are to get a name that another has.",
    Level.SCHEMA,
    "Schemas and Data Types",
    on_change=check,
)
