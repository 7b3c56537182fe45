"""N104 default-not-allowed.

What it does:
    Finds a struct default other than null or {}; a default that is not null for a variant, geometry, geography or
    unknown column; and one for a list or a map.

Why it matters:
    The spec keeps the defaults of a struct's fields with the fields; for the next four types it allows none; and
    Iceberg's Java implementation does not read the metadata of a table with a default for a list or map.

Evidence:
    The type.

Example:
    ALTER TABLE orders ADD COLUMN point struct<x: int> DEFAULT named_struct('x', 1)

Instead:
    Give the fields of the struct their defaults, and the struct {} or null. Leave out the default of the other
    types.

Reference:
    Spec, Default values.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.schema.types import ListType, MapType

KINDS = ("list", "map", "struct", "variant", "geometry", "geography", "unknown")
"""What the types are called for which the spec, or Java, allows no default, or none but {}."""


def check(change: Change) -> Iterator[Finding]:
    """Every refused default of such a type, and every accepted one that Java refuses."""
    for refusal in change.refusals:
        message = refusal.error.message
        if message.startswith(("Invalid default value", *(f"Cannot cast default value to {kind}" for kind in KINDS))):
            said = (refusal.error.hint or "").partition("; at line")[0]
            yield change.refused(refusal, message, help=said or "leave the default out")
    for field in change.added_fields():
        if field.initial_default is not None and isinstance(field.field_type, (ListType, MapType)):
            yield Finding(
                f"a default for {str(field.field_type).partition('<')[0]}: Java readers refuse the whole table",
                Direction.READERS_DISAGREE,
                change.after.dotted(field.field_id),
                field.field_id,
                help="leave the default out",
                source=change.source(field.field_id),
            )


RULE = Rule(
    "N104",
    "default-not-allowed",
    "Finds defaults of types that may not have one.",
    Level.SCHEMA,
    "Default values",
    on_change=check,
)
