"""R107 renamed-to-used-name.

What it does:
    Finds a column that is renamed to the name which another column of the same level has or had: two that exchange
    names, a name passed on, the name of a dropped column.

Why it matters:
    A reader that goes by names reads the other column's values from old files, silently if the types agree. By field
    ids all is well, and no reader of Iceberg in use goes by names for plain columns, which is why this is only a note.
    X109 finds the ones inside lists and maps.

Evidence:
    The live files that hold the other column under the new name. The rule is silent if none does.

Example:
    ALTER TABLE orders RENAME COLUMN a TO b, where `b` becomes `a` in the same change

Instead:
    Take names that are new; or make sure that every reader goes by field ids.

Reference:
    Spec, Column Projection.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.kit.used_names import level_of
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import RenameColumn


def check(change: Change) -> Iterator[Finding]:
    """Every renamed field whose new name had another owner."""
    if not change.before.may_have_data:
        return
    owners = change.before.owners
    for difference in change.changes("renamed"):
        field_id, name = difference.field_id or 0, difference.path[-1]
        had = owners.get((level_of(change.after.schema, field_id), name), ())
        for owner in reversed(had):
            if owner == field_id:
                continue
            groups = change.before.groups_with(owner, name)
            if not groups and change.before.level >= Level.FOOTERS:
                continue
            finding = Finding(
                f"renamed from {difference.before} to a name that {_whose(change, owner, difference.before)};"
                " readers that go by names mix them up",
                Direction.ADVICE,
                ".".join(difference.path),
                field_id,
                evidence=change.before.footers.evidence(
                    groups, f"these files hold the column with id {owner} under this name"
                ),
                help="take a name that no column has had, or make sure that every reader goes by field ids",
            )
            yield change.place(finding, RenameColumn)
            break


def _whose(change: Change, owner: int, old_name: str) -> str:
    after = change.after.schema.fields_by_id.get(owner)
    if after is None:
        return f"a dropped column (id {owner}) had"
    if after.name == old_name:
        return f"it exchanges with another column (id {owner})"
    return f"{change.after.schema.name_of(owner)} (id {owner}) had"


RULE = Rule(
    "R107",
    "renamed-to-used-name",
    "Finds columns renamed to a name that another column has or had.",
    Level.SCHEMA,
    "Column Projection",
    on_change=check,
)
