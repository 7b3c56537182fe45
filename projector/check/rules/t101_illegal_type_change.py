"""T101 illegal-type-change.

What it does:
    Finds a column whose type is to become one that the table of promotions does not lead to.

Why it matters:
    Old files keep the old type for ever, and no reader knows how to make the new one of it. Column bounds in manifests
    keep the old form too, so even a reader that casts would skip the wrong files.

Evidence:
    The live files that store the column, and how many of them could not be read under the new type.

Example:
    ALTER TABLE orders ALTER COLUMN quantity TYPE string

Instead:
    Add a column of the new type, fill it, move the readers over, and drop the old column. The promotions that there
    are: int to long, float to double, decimal to a higher precision of the same scale; from format version 3 date to
    timestamp or timestamp_ns, and unknown to any type.

Reference:
    Spec, Schema Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.kit.type_changes import decimal_scale_differs, files_under_type, refused_type_changes, ways_out
from projector.check.level import Level
from projector.check.report.findings import Finding
from projector.schema.promotions import is_promotion_allowed


def check(change: Change) -> Iterator[Finding]:
    """Every type change that no format version allows, but for decimals of another scale."""
    for refused in refused_type_changes(change):
        if not (refused.old.is_primitive and refused.new.is_primitive):
            continue
        if is_promotion_allowed(refused.old, refused.new, 3) or decimal_scale_differs(refused.old, refused.new):
            continue
        yield change.refused(
            refused.refusal,
            f"{refused.old} -> {refused.new} is not a promotion",
            evidence=files_under_type(change.before, refused.refusal.field_id, refused.new),
            help=ways_out(refused.old, change.before.metadata.format_version),
        )


RULE = Rule(
    "T101",
    "illegal-type-change",
    "Finds type changes that are not in the table of promotions.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
