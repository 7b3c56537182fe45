"""S105 id-reuse.

What it does:
    Finds a field of a proposed schema whose id is not in the current schema but was given before: an earlier schema
    has it, or it is not above last-column-id.

Why it matters:
    Ids are for ever. A column under a used id shows the values of the dropped column that had it; a commit
    therefore gives new columns new ids, and the schema will not be the one proposed.

Evidence:
    The earlier schemas that have the id, and the live files that store a column under it.

Example:
    A schema file that adds `note` with id 5, which was `comment` until last year.

Instead:
    Number new fields above last-column-id, or leave numbering to the commit.

Reference:
    Spec, Schema Evolution: any new field must be assigned a new id.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(change: Change) -> Iterator[Finding]:
    """Every added field of the proposal with an id that is not new."""
    wanted, metadata = change.proposal.wanted, change.before.metadata
    if wanted is None:
        return
    for field_id, field in wanted.fields_by_id.items():
        if field_id in change.before.schema.fields_by_id or field_id > metadata.last_column_id:
            continue
        owners = {s.name_of(field_id) for s in change.before.history.values() if field_id in s.fields_by_id}
        was = f", which {' and '.join(sorted(owners))} had" if owners else ""
        groups = [g for g in change.before.footers.groups if any(c.field_id == field_id for _, c in g.schema.walk())]
        yield Finding(
            f"{field.name} is proposed with id {field_id}{was}, not above last-column-id {metadata.last_column_id}",
            Direction.OLD_VALUES_CHANGE,
            wanted.name_of(field_id),
            field_id,
            evidence=change.before.footers.evidence(groups),
            help=f"number new fields from {metadata.last_column_id + 1}",
        )


RULE = Rule(
    "S105",
    "id-reuse",
    "Finds proposed fields with an id that another field has had.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
