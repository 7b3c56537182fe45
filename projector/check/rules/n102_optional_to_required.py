"""N102 optional-to-required.

What it does:
    Finds a column, list element or map value that is to become required, and says whether it is proven that no live
    row is null there.

Why it matters:
    Nulls in files written before stay there: readers fail on them, or give nulls where none may be. Iceberg refuses
    the change unless it is told to allow incompatible ones.

Evidence:
    The live files that lack the column or may hold nulls in it, by their footers and the null counts of manifests. At
    level `values` files that these do not clear are read, with their deletes applied, so that the answer is certain.

Example:
    ALTER TABLE orders ALTER COLUMN customer SET NOT NULL

Instead:
    Keep it optional and check for nulls where rows are written; or add a required column with a default and move
    over. Where it is proven that no row is null, allow the incompatible change.

Reference:
    Spec, Schema Evolution: optional to required is no evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.nullness import null_evidence
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import RequireColumn


def check(change: Change) -> Iterator[Finding]:
    """Every field that becomes required; one that is proven to hold no null is a note, where it is allowed. Also every
    operation that a commit refuses, although a later one takes it back."""
    said: set[int] = set()
    for difference in change.changes("made_required"):
        field_id = difference.field_id or 0
        said.add(field_id)
        nulls = null_evidence(change.before, change.after, field_id)
        if change.incompatible_allowed and not change.before.may_have_data:
            continue
        direction = Direction.OLD_DATA_UNREADABLE if nulls.present else Direction.OLD_DATA_AT_RISK
        if nulls.proven:
            direction = Direction.ADVICE
        message = "becomes required"
        if not change.incompatible_allowed:
            direction = Direction.CANNOT_APPLY
            message = f"Cannot change column nullability: {'.'.join(difference.path)}: optional -> required"
        yield Finding(
            message,
            direction,
            change.after.dotted(field_id),
            field_id,
            evidence=nulls.evidence,
            help=_help(change, nulls.proven),
            source=change.source(field_id, RequireColumn),
        )
    for refusal in change.trial.incompatible:
        if isinstance(refusal.operation, RequireColumn) and refusal.field_id not in said:
            yield change.refused(refusal, refusal.error.message, help="keep it optional")


def _help(change: Change, proven: bool) -> str:
    if not proven:
        return "keep it optional and look for nulls where rows are written"
    if change.incompatible_allowed:
        return "see that no writer adds a null before the commit"
    return "no live row is null: allow the change (--allow-incompatible-changes) if writers give a value from now on"


RULE = Rule(
    "N102",
    "optional-to-required",
    "Finds columns that become required though old rows may be null.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
