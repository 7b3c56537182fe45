"""S130 base-moved.

What it does:
    Finds a proposed schema, given with ids, that was made from an earlier schema of the table and lacks everything that
    was added since.

Why it matters:
    Applied as it is, it drops the columns that somebody else has added in the meantime.

Evidence:
    The schema that the proposal names as its own, and the columns added after it.

Example:
    A schema file with schema-id 3 and one more column, for a table that is at schema 5

Instead:
    Make the change again on the current schema, or propose the difference as SQL.

Reference:
    Spec, Commit Conflict Resolution and Retry.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(change: Change) -> Iterator[Finding]:
    """One finding, for a proposal with something new on top of an earlier schema and nothing of what came after."""
    wanted, now = change.proposal.wanted, change.before.schema
    if wanted is None or wanted.schema_id == change.before.metadata.current_schema_id:
        return
    base = change.before.history.get(wanted.schema_id)
    if base is None or base.same_columns(wanted):
        return
    since = {i: field for i, field in now.fields_by_id.items() if i not in base.fields_by_id}
    proposed = wanted.fields_by_id
    # A schema without an id of its own has 0, so that schema 0 as a base needs more than an id given twice.
    taken = [i for i in since if i in proposed and wanted.schema_id != 0 and proposed[i].name != since[i].name]
    gone = [i for i in since if i not in proposed]
    news = taken or (proposed.keys() - base.fields_by_id.keys())
    has_base = all(i in proposed for i in base.fields_by_id if i in now.fields_by_id)
    if not since or not news or not has_base or len(taken) + len(gone) < len(since):
        return
    names = ", ".join(now.name_of(field_id) for field_id in sorted(since))
    bases = f"schema {wanted.schema_id}, but the table is at schema {now.schema_id}"
    yield Finding(
        f"made from {bases}, and lacks what came since: {names}",
        Direction.NEXT_CHANGE_AT_RISK,
        help="make the change again on the current schema, or propose the difference as SQL",
    )


RULE = Rule(
    "S130",
    "base-moved",
    "Finds proposed schemas that lack what was added since they were made.",
    Level.SCHEMA,
    "Commit Conflict Resolution and Retry",
    on_change=check,
)
