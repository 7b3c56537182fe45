"""X114 nested-change-invisible.

What it does:
    Finds a change that touches fields inside structs, lists or maps only, and no column of the table itself.

Why it matters:
    Tools that compare top-level columns by name see no change: they do not pass it on, or leave the new fields out.

Evidence:
    The fields that change.

Example:
    ALTER TABLE orders ADD COLUMN items.element.gift boolean

Instead:
    Tell those who build on the table; see that their tools compare nested fields.

Reference:
    Spec, Schema Evolution: evolution applies to nested structs.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.file_columns import listed
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding


def check(change: Change) -> Iterator[Finding]:
    """One finding, on the first top-level column with changes inside."""
    changes = [c for c in change.diff.changes if c.field_id is not None]
    parents = {**change.before.schema.parents_by_id, **change.after.schema.parents_by_id}
    if not changes or any(c.field_id not in parents for c in changes):
        return
    first = changes[0]
    names = listed(f"{'.'.join(c.path)} ({c.kind})" for c in changes)
    yield Finding(
        "only fields inside it change: tools that compare top-level columns see nothing",
        Direction.ADVICE,
        first.path[0],
        evidence=Evidence(facts=(f"changed: {names}",)),
        help="see that the tools that build on the table compare nested fields",
        source=change.source(first.field_id),
    )


RULE = Rule(
    "X114",
    "nested-change-invisible",
    "Finds changes that touch nested fields only.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
