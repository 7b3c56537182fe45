"""X108 float-promotion.

What it does:
    Finds doubles that live files store as float. Those inside lists and maps, which filters do not reach, do not count.

Why it matters:
    Readers that round the literal of a filter to float find other rows than those that widen the value.

Evidence:
    The live files that store a float, and what readers do.

Example:
    A column that was promoted from float to double, and `WHERE level > 0.1`.

Instead:
    Filter with ranges, not with equality, or rewrite the old files.

Reference:
    Spec, Schema Evolution: float to double.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.state import TableState
from projector.check.kit.field_paths import in_collection
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Finding
from projector.files.parquet.file_schema import FileKind, FileLeaf
from projector.projection.plan import PlanNode
from projector.schema.types import DoubleType


def check(state: TableState) -> Iterator[Finding]:
    """Every such double that a filter can name: none in a list or map."""
    for field_id, field in state.schema.fields_by_id.items():
        if not isinstance(field.field_type, DoubleType) or in_collection(state.schema, field_id):
            continue
        evidence = state.evidence_where(field_id, _stores_float)
        if not evidence.files:
            continue
        finding = readers_disagree(
            "float-promotion",
            state.engines,
            "floats in old files, and filters with literals that no float equals, such as 0.1",
            evidence=evidence,
            help="filter with ranges, or rewrite these files",
            path=state.dotted(field_id),
            field_id=field_id,
        )
        if finding is not None:
            yield finding


def _stores_float(group: LiveGroup, node: PlanNode) -> bool:
    column = group.column(node)
    return column is not None and isinstance(column.type, FileLeaf) and column.type.kind is FileKind.FLOAT


RULE = Rule(
    "X108",
    "float-promotion",
    "Finds doubles that old files hold as floats, where readers' filters differ.",
    Level.FOOTERS,
    "Schema Evolution",
    on_state=check,
    absorbed_by=("T105",),
)
