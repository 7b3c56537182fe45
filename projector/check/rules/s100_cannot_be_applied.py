"""S100 cannot-be-applied.

What it does:
    Finds an operation that cannot be applied to the table and that no other rule explains.

Why it matters:
    The commit would be refused. Iceberg's own sentence says why.

Evidence:
    The schema that the operation was tried on.

Example:
    ALTER TABLE orders ADD COLUMN id bigint, where there is an `id` already

Instead:
    What the message says; names are those of the table as it is at that statement.

Reference:
    Spec, Schema Evolution; the messages are those of Iceberg's Java implementation where it has one.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Finding


def check(change: Change) -> Iterator[Finding]:
    """Every refusal; the runner leaves out those that another rule has explained."""
    for refusal in change.refusals:
        hint = refusal.error.hint or ""
        useful = "; ".join(part for part in hint.split("; ") if not part.startswith("at line"))
        yield change.refused(refusal, refusal.error.message, help=useful or None)


RULE = Rule(
    "S100",
    "cannot-be-applied",
    "Finds operations that cannot be applied and that no other rule explains.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
