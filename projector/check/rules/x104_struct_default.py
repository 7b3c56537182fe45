"""X104 struct-default.

What it does:
    Finds structs with the initial or write default {}.

Why it matters:
    The spec has this default since version 3, and readers cannot parse it: they refuse the whole table.

Evidence:
    The columns, and what readers do.

Example:
    A schema file with `"initial-default": {}` on a struct.

Instead:
    Leave the struct without a default; give defaults to nothing inside it.

Reference:
    Spec, Default values: a struct's default is {} or null.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Evidence, Finding
from projector.schema.types import NestedField, StructType


def check(state: TableState) -> Iterator[Finding]:
    """Every struct with a default that is not null."""
    for field_id, field in state.schema.fields_by_id.items():
        if isinstance(field.field_type, StructType) and _has_default(field):
            finding = readers_disagree(
                "struct-default",
                state.engines,
                "the struct default {}",
                evidence=Evidence(),
                help="leave the struct without a default",
                path=state.dotted(field_id),
                field_id=field_id,
            )
            if finding is not None:
                yield finding


def _has_default(field: NestedField) -> bool:
    return field.initial_default is not None or field.write_default is not None


RULE = Rule(
    "X104",
    "struct-default",
    "Finds structs with the default {}, which readers cannot parse.",
    Level.SCHEMA,
    "Default values",
    on_state=check,
)
