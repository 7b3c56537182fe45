"""T103 decimal-scale-change.

What it does:
    Finds a decimal column whose scale is to change.

Why it matters:
    Files store unscaled integers and keep the old scale for ever: a reader that takes the new one shows values that
    are off by powers of ten, one that looks refuses the files.

Evidence:
    The live files that store the column, and the decimals they store it as.

Example:
    ALTER TABLE orders ALTER COLUMN amount TYPE decimal(12, 3)

Instead:
    Widen the precision and keep the scale; or add a column of the new scale, fill it, and drop the old one.

Reference:
    Spec, Schema Evolution: only a wider precision is a promotion.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.kit.type_changes import decimal_scale_differs, files_under_type, refused_type_changes
from projector.check.level import Level
from projector.check.report.findings import Finding
from projector.schema.types import DecimalType


def check(change: Change) -> Iterator[Finding]:
    """Every refused change from decimal to decimal of another scale."""
    for refused in refused_type_changes(change):
        old, new = refused.old, refused.new
        if not decimal_scale_differs(old, new) or not isinstance(old, DecimalType) or not isinstance(new, DecimalType):
            continue
        digits = max(old.precision, min(38, new.precision - new.scale + old.scale))
        kept = f"decimal({digits}, {old.scale}) is safe, or " if digits > old.precision else ""
        yield change.refused(
            refused.refusal,
            f"{old} -> {new} changes the scale",
            evidence=files_under_type(change.before, refused.refusal.field_id, new),
            help=f"{kept}add a column of type {new} and backfill it",
        )


RULE = Rule(
    "T103",
    "decimal-scale-change",
    "Finds decimals that are to change their scale.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
