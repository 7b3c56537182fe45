"""S101 missing-column.

What it does:
    Finds an operation on a column, or on a parent, that the schema does not have at that point of the script.

Why it matters:
    The commit would be refused; often the name is only misspelt, or has been changed by a migration before.

Evidence:
    The schema at that statement, and names in it that look like the one that was written.

Example:
    ALTER TABLE orders RENAME COLUMN quantitiy TO qty

Instead:
    Use a name that is there; `projector inspect TABLE` lists them.

Reference:
    Spec, Schema Evolution; the messages are those of Iceberg's Java implementation.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Finding
from projector.evolution.operations.schema import AddColumn, dotted

SAID = (" missing column: ", "Cannot find parent struct: ")


def check(change: Change) -> Iterator[Finding]:
    """Every refusal for a name that is not found."""
    for refusal in change.refusals:
        if not any(part in refusal.error.message for part in SAID):
            continue
        missing = refusal.error.message.rpartition(": ")[2]
        hint = (refusal.error.hint or "").partition("at line")[0].strip("; ")
        if isinstance(refusal.operation, AddColumn) and refusal.operation.parent is not None:
            missing = dotted(refusal.operation.parent)
        yield change.refused(
            refusal, refusal.error.message, help=hint or refusal.schema.suggestion(missing), path=refusal.path
        )


RULE = Rule(
    "S101",
    "missing-column",
    "Finds operations on columns that are not there.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
