"""T105 float-promotion-filter.

What it does:
    Finds a float column that becomes a double while live files store floats. Fields inside lists and maps, which
    filters do not reach, do not count.

Why it matters:
    After it 0.1 is compared as a double with values such as 0.10000000149 in old files. Readers that round the
    literal to float find rows that others do not.

Evidence:
    The live files that store the column as float.

Example:
    ALTER TABLE readings ALTER COLUMN level TYPE double

Instead:
    Filter with ranges, not with equality, or rewrite the old files after the change.

Reference:
    Spec, Schema Evolution: float to double.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.evidence.footers import LiveGroup
from projector.check.kit.field_paths import in_collection
from projector.check.kit.rule import Rule
from projector.check.kit.type_changes import applied_type_changes
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding
from projector.evolution.operations.schema import UpdateColumnType
from projector.files.parquet.file_schema import FileKind, FileLeaf
from projector.projection.plan import PlanNode
from projector.schema.types import FloatType


def check(change: Change) -> Iterator[Finding]:
    """Every promoted float of which there may be values, and that a filter can name: none in a list or map."""
    for promoted in applied_type_changes(change):
        if not isinstance(promoted.before.field_type, FloatType) or not change.before.may_have_data:
            continue
        field_id = promoted.before.field_id
        if in_collection(change.before.schema, field_id):
            continue
        evidence = change.before.evidence_where(field_id, _stores_float)
        if change.before.level >= Level.FOOTERS and not evidence.files:
            continue
        finding = Finding(
            "float -> double: filters with literals that no float equals, such as 0.1, differ between readers",
            Direction.READERS_DISAGREE,
            change.after.dotted(field_id),
            field_id,
            evidence=evidence,
            help="filter with ranges, or rewrite these files after the change",
        )
        yield change.place(finding, UpdateColumnType)


def _stores_float(group: LiveGroup, node: PlanNode) -> bool:
    column = group.column(node)
    return column is not None and isinstance(column.type, FileLeaf) and column.type.kind is FileKind.FLOAT


RULE = Rule(
    "T105",
    "float-promotion-filter",
    "Finds floats promoted to double, where filters differ between readers.",
    Level.SCHEMA,
    "Schema Evolution; Scan Planning",
    on_change=check,
)
