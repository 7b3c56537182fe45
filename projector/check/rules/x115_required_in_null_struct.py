"""X115 required-in-null-struct.

What it does:
    Finds required fields inside optional structs that live files lack, or may hold as null.

Why it matters:
    The field is null where a struct around it is. A reader in use takes "required" for "never null": `IS NULL` on the
    field finds no row.

Evidence:
    The live files without the struct, and what readers do.

Example:
    ALTER TABLE orders ADD COLUMN buyer struct<id: int NOT NULL>

Instead:
    Make the field optional, or ask whether the struct is null.

Reference:
    Spec, Schemas and Data Types: a required field of an optional struct.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import ALL_ENGINES, readers_disagree
from projector.check.report.findings import NO_EVIDENCE, Direction, Evidence, Finding
from projector.projection.plan import Null
from projector.schema.types import StructType


def check(state: TableState) -> Iterator[Finding]:
    """Every such field; worth a warning if files lack the struct, or the readers that matter were named."""
    if not state.may_have_data:
        return
    for field_id, field in state.schema.fields_by_id.items():
        outer = _optional_struct_around(state, field_id) if field.required else None
        if outer is None:
            continue
        lacks, holds = _lacks_struct(state, outer), NO_EVIDENCE
        if not lacks.files and state.level >= Level.FOOTERS:
            holds = _may_hold_null(state, outer)
            if not holds.files:
                continue
        certain = bool(lacks.files) or state.engines != ALL_ENGINES
        finding = readers_disagree(
            "required-in-null-struct",
            state.engines,
            f"required, and null where {state.dotted(outer)} is",
            evidence=lacks if lacks.files else holds,
            help=f"make it optional, or filter by whether {state.dotted(outer)} is null",
            path=state.dotted(field_id),
            field_id=field_id,
            direction=Direction.READERS_DISAGREE if certain else Direction.ADVICE,
        )
        if finding is not None:
            yield finding


def _optional_struct_around(state: TableState, field_id: int) -> int | None:
    """The outermost optional struct around a field; None if there is none, or a list or map, which no filter enters."""
    found = None
    above = state.schema.parents_by_id.get(field_id)
    while above is not None:
        outer = state.schema.fields_by_id[above]
        if not isinstance(outer.field_type, StructType):
            return None
        found = above if outer.optional else found
        above = state.schema.parents_by_id.get(above)
    return found


def _lacks_struct(state: TableState, struct_id: int) -> Evidence:
    return state.evidence_where(struct_id, lambda _, node: isinstance(node, Null))


def _may_hold_null(state: TableState, struct_id: int) -> Evidence:
    return state.evidence_where(struct_id, lambda g, node: (c := g.column(node)) is not None and c.optional)


RULE = Rule(
    "X115",
    "required-in-null-struct",
    "Finds required fields of structs that old files have as null, which a reader's filters miss.",
    Level.SCHEMA,
    "Schemas and Data Types",
    on_state=check,
)
