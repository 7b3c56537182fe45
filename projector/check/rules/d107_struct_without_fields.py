"""D107 struct-without-fields.

What it does:
    Finds a struct, or a schema, that has no field left.

Why it matters:
    Parquet cannot store a group without columns. Writers fail, or leave the struct out, and then its nulls are lost.
    A reader in use fails on every old file that has the struct with fields.

Evidence:
    The schema, the live files that hold the struct, and what readers do.

Example:
    ALTER TABLE orders DROP COLUMN buyer.name, the only field of `buyer`

Instead:
    Drop the struct itself, or add its new fields in the same change.

Reference:
    Spec, Nested Types; Parquet format: a group has at least one field.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Direction, Finding
from projector.schema.types import StructType


def check(state: TableState) -> Iterator[Finding]:
    """Every struct without fields, and the table where it has none."""
    help_ = "drop the struct itself, or keep one of its fields"
    for field_id, field in state.schema.fields_by_id.items():
        if isinstance(field.field_type, StructType) and not field.field_type.fields:
            fails = readers_disagree(
                "struct-without-fields",
                state.engines,
                "a struct without fields, which old files have with fields",
                path=state.dotted(field_id),
                field_id=field_id,
                evidence=state.stored(field_id),
                help=help_,
                direction=Direction.OLD_DATA_UNREADABLE,
            )
            yield (
                fails
                if fails is not None and fails.evidence.files
                else Finding(
                    "a struct without fields cannot be written to Parquet",
                    Direction.NEXT_CHANGE_AT_RISK,
                    state.dotted(field_id),
                    field_id,
                    help=help_,
                )
            )
    if not state.schema.fields and len(state.history) > 1:
        yield Finding("the table has no columns left", Direction.NEXT_CHANGE_AT_RISK, help="keep one column")


RULE = Rule(
    "D107",
    "struct-without-fields",
    "Finds structs and schemas that have no field left.",
    Level.SCHEMA,
    "Nested Types",
    on_state=check,
)
