"""P112 bounds-of-narrower-type.

What it does:
    Finds bounds of 4 bytes of a column whose type takes 8, as after a promotion.

Why it matters:
    It is legal: the length tells the type that a bound was written with. Readers that decode by the current type fail
    in planning, above all on dates that have become timestamps.

Evidence:
    The live files with such bounds.

Example:
    ALTER TABLE events ALTER COLUMN day TYPE timestamp

Instead:
    Nothing; or rewrite the manifests, so that the bounds are of the new type.

Reference:
    Spec, Schema Evolution: bounds of promoted columns.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.findings import Direction, Finding
from projector.check.rule import Level, Rule
from projector.check.state import TableState
from projector.schema.types import DoubleType, LongType, TimestampNanoType, TimestampType


def check(state: TableState) -> Iterator[Finding]:
    """Every such column; of int and float, which the readers in use know, as advice."""
    for field_id, tally in state.files.manifest_facts.four_bytes.items():
        field = state.schema.fields_by_id.get(field_id)
        match None if field is None else field.field_type:
            case LongType() | DoubleType():
                direction = Direction.ADVICE
            case TimestampType() | TimestampNanoType():
                direction = Direction.READERS_DISAGREE
            case _:
                continue
        yield Finding(
            "manifests have bounds of 4 bytes of it, those of a narrower type",
            direction,
            state.dotted(field_id),
            field_id,
            evidence=tally.evidence(len(state.files.live.data)),
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
