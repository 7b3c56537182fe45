"""F109 foreign-physical-type.

What it does:
    Finds columns that files store in a Parquet type which Iceberg does not write for their type: milliseconds,
    nanoseconds or int96 for timestamps, another UTC flag, integers of 8 or 16 bits or without sign, half floats,
    byte arrays for decimals or without annotation for strings, plain 16 bytes for a uuid.

Why it matters:
    Readers rescale, refuse or misread such values, each in its own way.

Evidence:
    The files that store the column so.

Example:
    A pandas file with timestamp[ns] that was added to a table with timestamp

Instead:
    Write these files again with the types that Iceberg has.

Reference:
    Spec, Appendix A: Parquet.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.footers import LiveGroup
from projector.check.evidence.state import TableState
from projector.check.kit.foreign_types import Foreign, foreign_type
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import ALL_ENGINES, readers_disagree
from projector.check.report.findings import Direction, Finding
from projector.files.parquet.file_schema import FileLeaf
from projector.projection.plan import Read


def check(state: TableState) -> Iterator[Finding]:
    """Every field that some file stores so, once for each stored type."""
    help_ = "write these files again with the types that Iceberg has"
    for field_id, field in state.schema.fields_by_id.items():
        ways: dict[Foreign, list[LiveGroup]] = {}
        for group, node in state.nodes(field_id):
            column = group.column(node) if isinstance(node, Read) else None
            if column is not None and isinstance(column.type, FileLeaf):
                foreign = foreign_type(column.type, field.field_type)
                if foreign is not None:
                    ways.setdefault(foreign, []).append(group)
        for way, groups in ways.items():
            what, path = f"stored as {way.stored} under {field.field_type}", state.dotted(field_id)
            evidence = state.footers.evidence(groups, *way.facts)
            finding: Finding | None = Finding(
                what,
                Direction.READERS_DISAGREE if way.matters else Direction.ADVICE,
                path,
                field_id,
                evidence,
                help_,
                key=way.stored,
            )
            if way.feature is not None:
                finding = readers_disagree(
                    way.feature,
                    ALL_ENGINES,
                    what,
                    evidence=evidence,
                    help=help_,
                    path=path,
                    field_id=field_id,
                    key=way.stored,
                )
            if finding is not None:
                yield finding


RULE = Rule(
    "F109",
    "foreign-physical-type",
    "Finds columns in Parquet types that Iceberg does not write for them.",
    Level.FOOTERS,
    "Appendix A",
    on_state=check,
)
