"""S103 map-key-change.

What it does:
    Finds a field that is added to, dropped from or promoted in the key of a map, or a key that is made optional.

Why it matters:
    Two keys that were different could become equal, and equal ones different: values would be found under other
    keys, or not at all. Iceberg refuses such changes.

Evidence:
    The map.

Example:
    ALTER TABLE orders ALTER COLUMN prices.key TYPE bigint

Instead:
    Add a map with the new key and fill it.

Reference:
    Iceberg's Java implementation, UpdateSchema; Spec, Schema Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.field_paths import in_map_key
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(change: Change) -> Iterator[Finding]:
    """Every refused operation on a map key; and every type or field in one that changes without being refused."""
    instead = "add a map with the new key and fill it"
    for refusal in change.refusals:
        inside = refusal.field_id is not None and in_map_key(refusal.schema, refusal.field_id)
        if inside or "map keys" in refusal.error.message:
            yield change.refused(refusal, refusal.error.message, help=instead)
    for difference in change.changes("type", "added", "dropped", "made_optional"):
        field_id = difference.field_id or 0
        held = change.before.schema if difference.kind == "dropped" else change.after.schema
        above = held.parents_by_id.get(field_id, 0)
        known = above if difference.kind in ("added", "dropped") else field_id
        both = (change.before.schema, change.after.schema)
        if all(known in schema.fields_by_id and in_map_key(schema, known) for schema in both):
            yield Finding(
                f"{difference.kind.replace('_', ' ')} inside the key of a map",
                Direction.OLD_VALUES_CHANGE,
                ".".join(difference.path),
                field_id,
                source=change.source(field_id),
                help=instead,
            )


RULE = Rule(
    "S103",
    "map-key-change",
    "Finds changes inside the key of a map.",
    Level.SCHEMA,
    "Schema Evolution",
    on_change=check,
)
