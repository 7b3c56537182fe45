"""T108 old-schema-cannot-read-promoted.

What it does:
    Finds a promoted column: files written afterwards hold the wider type.

Why it matters:
    A reader that still uses the schema before the change cannot narrow the new files' values: it fails, or casts
    and overflows.

Evidence:
    None: it is about files that are written later.

Example:
    ALTER TABLE orders ALTER COLUMN quantity TYPE bigint, with a job pinned to the old schema

Instead:
    Move those readers to the new schema before new files are written.

Reference:
    Spec, Schema Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.kit.type_changes import applied_type_changes
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import UpdateColumnType


def check(change: Change) -> Iterator[Finding]:
    """Every promotion."""
    for promoted in applied_type_changes(change):
        field_id = promoted.before.field_id
        finding = Finding(
            f"{promoted.before.field_type} -> {promoted.after.field_type}: the schema before cannot read what is"
            " written from now on",
            Direction.OLD_READERS_BREAK,
            change.after.dotted(field_id),
            field_id,
            help="move readers that pin the old schema before new files are written",
        )
        yield change.place(finding, UpdateColumnType)


RULE = Rule(
    "T108",
    "old-schema-cannot-read-promoted",
    "Finds promotions, which readers with the schema before cannot follow.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
