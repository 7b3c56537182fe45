"""P112 bounds-of-narrower-type.

What it does:
    Finds bounds of 4 bytes of a column whose type takes 8, as after a promotion.

Why it matters:
    It is legal, as the length tells the type that a bound was written with, and readers that decode by the current
    type fail in planning.

Evidence:
    The live files with such bounds.

Example:
    ALTER TABLE orders ALTER COLUMN quantity TYPE bigint

Instead:
    Nothing; or rewrite the manifests, so that the bounds are of the new type.

Reference:
    Spec, Schema Evolution: bounds of promoted columns.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.schema.types import DoubleType, LongType, TimestampNanoType, TimestampType

WIDE = (LongType, DoubleType, TimestampType, TimestampNanoType)


def check(state: TableState) -> Iterator[Finding]:
    """Every such column."""
    for field_id, tally in state.files.manifest_facts.four_bytes.items():
        field = state.schema.fields_by_id.get(field_id)
        if field is None or not isinstance(field.field_type, WIDE):
            continue
        yield Finding(
            "manifests have bounds of 4 bytes of it, those of a narrower type",
            Direction.ADVICE,
            state.dotted(field_id),
            field_id,
            evidence=tally.evidence(state.files.manifest_facts.bounds_of),
            help="rewrite the manifests, where a reader fails on them",
        )


RULE = Rule(
    "P112",
    "bounds-of-narrower-type",
    "Finds bounds that were written before a promotion.",
    Level.FOOTERS,
    "Schema Evolution",
    on_state=check,
)
