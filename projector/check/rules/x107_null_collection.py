"""X107 null-collection.

What it does:
    Finds optional lists and maps with structs, lists or maps inside, of which live files may hold nulls.

Why it matters:
    A null list is not an empty one. A reader in use gives the empty one, and writes it back where it rewrites a file.

Evidence:
    The live files that store the column as optional.

Example:
    A column `items list<struct<...>>` with rows where it is null.

Instead:
    Do not read or rewrite such rows with that reader; count with `IS NULL` elsewhere.

Reference:
    Spec, Nested Types.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import ALL_ENGINES, readers_disagree
from projector.check.report.findings import Direction, Finding
from projector.schema.types import ListType, MapType


def check(state: TableState) -> Iterator[Finding]:
    """Every such column; worth a warning only where the readers that matter were named."""
    for field_id, field in state.schema.fields_by_id.items():
        match field.field_type:
            case ListType(element_type=inner) | MapType(value_type=inner) if not inner.is_primitive and field.optional:
                pass
            case _:
                continue
        evidence = state.evidence_where(
            field_id, lambda group, node: (column := group.column(node)) is not None and column.optional
        )
        if not evidence.files:
            continue
        finding = readers_disagree(
            "null-collection",
            state.engines,
            f"a {'list' if isinstance(field.field_type, ListType) else 'map'} with nested elements that may be null",
            evidence=evidence,
            help="read and rewrite rows where it is null with another reader",
            path=state.dotted(field_id),
            field_id=field_id,
            direction=Direction.ADVICE if state.engines == ALL_ENGINES else Direction.READERS_DISAGREE,
        )
        if finding is not None:
            yield finding


RULE = Rule(
    "X107",
    "null-collection",
    "Finds lists and maps whose nulls a reader turns into empty ones.",
    Level.FOOTERS,
    "Nested Types",
    on_state=check,
)
