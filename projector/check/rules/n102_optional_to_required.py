"""N102 optional-to-required.

What it does:
    Finds a column, list element or map value that is to become required.

Why it matters:
    Nulls in files written before stay there: readers fail on them, or give nulls where none may be. Iceberg refuses
    the change unless it is told to allow incompatible ones.

Evidence:
    The live files that lack the column or may hold nulls in it, by their footers; nulls that manifests count.

Example:
    ALTER TABLE orders ALTER COLUMN customer SET NOT NULL

Instead:
    Keep it optional and check for nulls where rows are written; or add a required column with a default and move
    over.

Reference:
    Spec, Schema Evolution: optional to required is no evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change import Change
from projector.check.findings import Direction, Finding
from projector.check.nullness import nulls_of
from projector.check.rule import Level, Rule
from projector.evolution.operations import RequireColumn


def check(change: Change) -> Iterator[Finding]:
    """Every field that becomes required; forced ones only where nulls are there or cannot be excluded."""
    for difference in change.changes("made_required"):
        field_id = difference.field_id or 0
        nulls = nulls_of(change.after, field_id)
        if change.incompatible_allowed and (nulls.excluded or not change.before.may_have_data):
            continue
        unsure = Direction.OLD_DATA_UNREADABLE if nulls.counted else Direction.OLD_DATA_AT_RISK
        yield Finding(
            f"Cannot change column nullability: {'.'.join(difference.path)}: optional -> required",
            unsure if change.incompatible_allowed else Direction.CANNOT_APPLY,
            change.after.dotted(field_id),
            field_id,
            evidence=nulls.evidence,
            help="keep it optional and look for nulls where rows are written",
            source=change.source(field_id, RequireColumn),
        )


RULE = Rule(
    "N102",
    "optional-to-required",
    "Finds columns that become required though old rows may be null.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
