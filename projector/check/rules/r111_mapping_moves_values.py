"""R111 mapping-moves-values.

What it does:
    Finds fields that a new or changed name mapping reads from another column of files without field ids, or from
    none.

Why it matters:
    Old rows show other values, or none, though nothing was written. The files are right and the mapping is not.

Evidence:
    The live files without field ids whose column for the field changes.

Example:
    ALTER TABLE imported SET TBLPROPERTIES ('schema.name-mapping.default' = '...'), where the text has a name under
    another id than before

Instead:
    Set a mapping that lists every name where it was: `--name-mapping repair` proposes one.

Reference:
    Spec, Column Projection; Name Mapping Serialization.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(change: Change) -> Iterator[Finding]:
    """Every such field; without any mapping, or a readable one, other rules say what is lost."""
    if change.after.name_mapping is None or not change.trial.others:
        return
    for lost, effects in ((False, change.mapping_effects.moved), (True, change.mapping_effects.lost)):
        for field_id, groups in effects.items():
            what = "no longer reads its column" if lost else "reads another column"
            finding = Finding(
                f"with this name mapping it {what} of files without field ids",
                Direction.OLD_VALUES_CHANGE,
                change.after.dotted(field_id),
                field_id,
                evidence=change.before.footers.evidence(groups, "these files have no field ids"),
                help="list the column's name under its field's id; --name-mapping repair proposes a mapping",
            )
            yield change.place(finding)


RULE = Rule(
    "R111",
    "mapping-moves-values",
    "Finds fields that a changed name mapping reads from another column, or from none.",
    Level.FOOTERS,
    "Column Projection",
    on_change=check,
)
