"""S108 case-duplicate.

What it does:
    Finds two fields of one struct whose names are equal without regard to case.

Why it matters:
    Spark, Trino, Hive and DuckDB match names without regard to case: they refuse the table or take one of the two
    columns.

Evidence:
    The two names.

Example:
    ALTER TABLE orders ADD COLUMN Total int, where there is a total, through a client that looks at case

Instead:
    Rename one of the two.

Reference:
    Iceberg keeps names as they are; which readers ignore case is their own affair.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.schema.types import NestedField, StructType, children


def check(state: TableState) -> Iterator[Finding]:
    """Every field that has a sibling of a lower id and the same name in another case."""
    structs = {0: state.schema.as_struct()}
    structs |= {i: f.field_type for i, f in state.schema.fields_by_id.items() if isinstance(f.field_type, StructType)}
    for struct_id, struct in structs.items():
        seen: dict[str, NestedField] = {}
        for field in sorted(children(struct), key=lambda f: f.field_id):
            first = seen.setdefault(field.name.lower(), field)
            if first is not field and first.name != field.name:
                yield Finding(
                    f"differs from {first.name} (id {first.field_id}) only in case",
                    Direction.READERS_DISAGREE,
                    state.dotted(field.field_id),
                    field.field_id,
                    help=f"rename {field.name} or {first.name}",
                    troubles=frozenset({f"{struct_id}.{field.name.lower()}"}),
                )


RULE = Rule(
    "S108",
    "case-duplicate",
    "Finds sibling columns whose names differ only in case.",
    Level.SCHEMA,
    "Schemas and Data Types",
    on_state=check,
)
