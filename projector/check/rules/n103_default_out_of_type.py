"""N103 default-out-of-type.

What it does:
    Finds a default that cannot be converted to the column's type exactly: out of range, too long, of another scale,
    not of the form that the type is written in.

Why it matters:
    A default is stored as text in the metadata. One that does not fit is read by some readers as another value, and
    by others not at all.

Evidence:
    The type, and what is wrong with the value.

Example:
    ALTER TABLE orders ADD COLUMN discount decimal(5, 2) DEFAULT 0.125

Instead:
    A value of the type; or a type that holds the value.

Reference:
    Spec, Default values; Appendix D.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Finding
from projector.check.rules.n104_default_not_allowed import KINDS


def check(change: Change) -> Iterator[Finding]:
    """Every operation that was refused because its default cannot be cast."""
    for refusal in change.refusals:
        cannot, _, kind = refusal.error.message.partition(" default value to ")
        if cannot == "Cannot cast" and not kind.startswith(KINDS):
            why = (refusal.error.hint or "").partition("; at line")[0]
            yield change.refused(
                refusal, f"{refusal.error.message}{f' ({why})' if why else ''}", help="give a value of the type"
            )


RULE = Rule(
    "N103",
    "default-out-of-type",
    "Finds defaults that do not fit the type of their column.",
    Level.SCHEMA,
    "Default values; JSON single-value serialization",
    on_change=check,
)
