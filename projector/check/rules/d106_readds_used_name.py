"""D106 readds-used-name.

What it does:
    Finds an added column with a name that another column of the same level had, dropped or renamed since.

Why it matters:
    The new column has a new id and is null, or its default, in old files. Who meant to bring the old column back does
    not get it. A reader that goes by names shows the other column's values; none that Iceberg has in use does so for
    plain columns, which is why this is only a note. X109 finds the ones inside lists and maps.

Evidence:
    The live files that hold the other column, and whether they do so under this name. The rule is silent if none does.

Example:
    ALTER TABLE orders ADD COLUMN note string, where a column `note` was dropped last year

Instead:
    Take a name that is new. To bring a dropped column back with its values, undelete it.

Reference:
    Spec, Column Projection; Schema Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.kit.used_names import level_of
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import AddColumn


def check(change: Change) -> Iterator[Finding]:
    """Every added field whose name had another owner."""
    if not change.before.may_have_data:
        return
    owners = change.before.owners
    for field in change.added_tops():
        had = owners.get((level_of(change.after.schema, field.field_id), field.name), ())
        for owner in reversed([owner for owner in had if owner != field.field_id]):
            groups = change.before.groups_with(owner)
            if not groups and change.before.level >= Level.FOOTERS:
                continue
            dropped = owner not in change.after.schema.fields_by_id
            named = sum(len(group.files) for group in change.before.groups_with(owner, field.name))
            what = "dropped" if dropped else f"now {change.after.schema.name_of(owner)}"
            restore = "; to bring the old column back undelete it (--undelete)" if dropped else ""
            finding = Finding(
                f"the name was that of another column (id {owner}), {what}; a reader that goes by names mixes them up",
                Direction.ADVICE,
                change.after.dotted(field.field_id),
                field.field_id,
                evidence=change.before.footers.evidence(
                    groups, f"these files hold the column with id {owner}, {named} of them under this name"
                ),
                help=f"take another name{restore}",
            )
            yield change.place(finding, AddColumn)
            break


RULE = Rule(
    "D106",
    "readds-used-name",
    "Finds added columns with the name of a column that was dropped or renamed.",
    Level.SCHEMA,
    "Column Projection",
    on_change=check,
)
