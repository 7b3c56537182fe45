"""S104 regroup.

What it does:
    Finds a field that a proposed schema has under another parent, and a column that is to become a struct, list or
    map, or to stop being one.

Why it matters:
    Grouping fields is no evolution: the files have the fields where they were, so every old row would be null.

Evidence:
    The place before and after; the live files that store the column.

Example:
    A schema in which `zip` (id 7) has moved from the top into `address`.

Instead:
    Add the fields at the new place, fill them, move the readers over, and drop the old ones.

Reference:
    Spec, Schema Evolution: grouping a subset of a struct's fields into a nested struct is not allowed.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.kit.type_changes import refused_type_changes
from projector.check.level import Level
from projector.check.report.findings import Finding


def check(change: Change) -> Iterator[Finding]:
    """Every refused move between structs, and every refused change from or to a nested type."""
    instead = "add the fields at the new place, fill them, and drop the old ones"
    for refusal in change.refusals:
        moved = refusal.error.message
        if refusal.operation is None and moved.startswith("Cannot move ") and moved.endswith("another struct"):
            evidence = change.before.stored(refusal.field_id or 0)
            yield change.refused(refusal, moved, evidence=evidence, help=instead)
        elif "to a different struct" in moved:
            yield change.refused(refusal, moved, help=instead)
    for refused in refused_type_changes(change):
        if not (refused.old.is_primitive and refused.new.is_primitive):
            evidence = change.before.stored(refused.refusal.field_id or 0)
            message = f"{refused.old.short_name} -> {refused.new.short_name}: not an evolution"
            yield change.refused(refused.refusal, message, evidence=evidence, help=instead)


RULE = Rule(
    "S104",
    "regroup",
    "Finds fields that are to move to another struct, and structs that are to become something else.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
