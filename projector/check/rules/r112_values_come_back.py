"""R112 values-come-back.

What it does:
    Finds fields whose old values are seen again: columns brought back under their old id, and columns of files without
    field ids that the name mapping now names.

Why it matters:
    It is what such a change is for, and every reader sees it at once: rows that had null there have values.

Evidence:
    The live files that hold the column.

Example:
    projector check orders --undelete note

Instead:
    To get a column of the name without the old values, add it as a new one.

Reference:
    Spec, Schema Evolution; Column Projection.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(change: Change) -> Iterator[Finding]:
    """Every such field, the topmost of those that come back together."""
    parents = change.after.schema.parents_by_id
    back = {i: change.after.stored(i) for i in sorted(change.undeleted)}
    for field_id, groups in change.mapping_effects.gained.items():
        back[field_id] = change.after.footers.evidence(groups, "these files have no field ids")
    for field_id, evidence in back.items():
        if not evidence or parents.get(field_id) in back:
            continue
        finding = Finding(
            "old values are seen again",
            Direction.ADVICE,
            change.after.dotted(field_id),
            field_id,
            evidence=evidence,
            help="nothing, if that is meant",
        )
        yield change.place(finding)


RULE = Rule(
    "R112",
    "values-come-back",
    "Finds columns whose old values are seen again.",
    Level.FOOTERS,
    "Schema Evolution",
    on_change=check,
)
