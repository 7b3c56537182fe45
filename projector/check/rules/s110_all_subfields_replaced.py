"""S110 all-subfields-replaced.

What it does:
    Finds a struct that live files have, but with none of the fields that it has in the schema.

Why it matters:
    Its nulls are all that such a file can give. Readers mix up a null struct with a struct of nulls. Inside a list or
    map it is an error: a reader in use gives the whole list as null, and fails on the map.

Evidence:
    The live files with nothing but other fields in the struct, and what readers do.

Example:
    ALTER TABLE orders DROP COLUMN buyer.name, the last one that old files have

Instead:
    Keep one of the old fields, or rewrite these files.

Reference:
    Spec, Column Projection; Nested Types.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.field_paths import in_collection
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Direction, Finding
from projector.projection.plan import ListOf, MapOf, PlanNode, Read, StructOf, children


def check(state: TableState) -> Iterator[Finding]:
    """Every struct of which some shape of file has only fields that the schema does not."""
    for field_id in state.schema.fields_by_id:
        evidence = state.evidence_where(field_id, lambda _, node: isinstance(node, StructOf) and not _reads(node))
        if not evidence.files:
            continue
        inside = in_collection(state.schema, field_id)
        finding = readers_disagree(
            "element-all-replaced" if inside else "struct-all-replaced",
            state.engines,
            "live files have this struct, but none of its fields",
            evidence=evidence,
            help="keep one of the fields that these files have, or rewrite them",
            path=state.dotted(field_id),
            field_id=field_id,
            direction=Direction.OLD_VALUES_CHANGE if inside else Direction.OLD_DATA_AT_RISK,
        )
        if finding is not None:
            yield finding


def _reads(node: PlanNode) -> bool:
    """Whether something below a node comes from the file."""
    return any(isinstance(child, (Read, StructOf, ListOf, MapOf)) for child in children(node))


RULE = Rule(
    "S110",
    "all-subfields-replaced",
    "Finds structs none of whose fields some live file has.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
)
