"""N106 required-with-null-default.

What it does:
    Finds a required field that has an initial default but a null write default.

Why it matters:
    When a required field is added the spec asks for both defaults, not null. Writers that give no value for the
    field fail from then on.

Evidence:
    The two defaults.

Example:
    ALTER TABLE orders ALTER COLUMN channel DROP DEFAULT, where channel is NOT NULL

Instead:
    Leave the write default, or set another one; or make the column optional.

Reference:
    Spec, Default values; Schema Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.schema.single_values import format_value


def check(state: TableState) -> Iterator[Finding]:
    """Every required field with an initial default and no write default."""
    for field in state.schema.fields_by_id.values():
        if field.required and field.initial_default is not None and field.write_default is None:
            shown = format_value(field.initial_default, field.field_type)
            yield Finding(
                f"required, with initial default {shown} but no write default: writers that leave it out fail",
                Direction.NEXT_CHANGE_AT_RISK,
                state.dotted(field.field_id),
                field.field_id,
                help="set a write default",
            )


RULE = Rule(
    "N106",
    "required-with-null-default",
    "Finds required columns whose write default is taken away or that have one default only.",
    Level.SCHEMA,
    "Default values",
    on_state=check,
)
