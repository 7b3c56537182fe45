"""D101 drops-stored-column.

What it does:
    Finds a dropped column whose values live files hold.

Why it matters:
    The values stay in the files, but no reader shows them any more, and adding the name again does not bring them back:
    the new column has a new id. Readers that still use the old schema get nulls from files that are written later.

Evidence:
    The live files that store the column.

Example:
    ALTER TABLE orders DROP COLUMN note

Instead:
    Nothing, if that is what you want. To keep the values within reach, tag the current snapshot before the drop (`ALTER
    TABLE orders CREATE TAG before_drop`): a tag is read with its own schema. Or make the column optional and stop
    writing it.

Reference:
    Spec, Schema Evolution; Column Projection.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import DeleteColumn


def check(change: Change) -> Iterator[Finding]:
    """Every field that is dropped by itself."""
    for difference in change.changes("dropped"):
        if not change.before.may_have_data:
            return
        finding = Finding(
            f"dropped; its values ({difference.before.field_type}) are hidden from every reader from now on",
            Direction.OLD_READERS_BREAK,
            ".".join(difference.path),
            difference.field_id,
            evidence=change.before.stored(difference.field_id or 0),
            help="to keep the values within reach, tag the current snapshot first: a tag is read with its own schema",
        )
        yield change.place(finding, DeleteColumn)


RULE = Rule(
    "D101",
    "drops-stored-column",
    "Finds dropped columns whose values live files hold.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
