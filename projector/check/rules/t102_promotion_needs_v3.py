"""T102 promotion-needs-v3.

What it does:
    Finds date to timestamp, date to timestamp_ns and unknown to another type on a table of format version 1 or 2.

Why it matters:
    These promotions came with format version 3. Readers of older versions do not know that bounds and files of the
    old type are still about.

Evidence:
    The table's format version, and the live files that store the column.

Example:
    ALTER TABLE orders ALTER COLUMN day TYPE timestamp_ntz

Instead:
    Upgrade the table to format version 3 first, or add a column of the new type. Nothing leads from date to
    timestamptz in any version.

Reference:
    Spec, Schema Evolution; Appendix E.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.kit.type_changes import refused_type_changes
from projector.check.level import Level
from projector.check.report.findings import Finding
from projector.schema.promotions import promotion


def check(change: Change) -> Iterator[Finding]:
    """Every refused type change that version 3 allows."""
    version = change.before.metadata.format_version
    for refused in refused_type_changes(change):
        row = promotion(refused.old, refused.new, 3)
        if row is None or row.since_format_version <= version:
            continue
        yield change.refused(
            refused.refusal,
            f"{refused.old} -> {refused.new} needs format version {row.since_format_version}; the table has {version}",
            evidence=change.before.stored(refused.refusal.field_id or 0),
            help=f"upgrade the table to format version {row.since_format_version}, or add a column of the new type",
        )


RULE = Rule(
    "T102",
    "promotion-needs-v3",
    "Finds type changes that are legal from format version 3 on only.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
