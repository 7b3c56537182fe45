"""P104 column-named-like-partition-field.

What it does:
    Finds a column with the name of a partition field that is not its own identity: one made from a column that is gone,
    or by another transform.

Why it matters:
    Several readers refuse the table, or fail in the metadata tables, where partition fields are columns. A spec like
    that cannot be made any more, so the next change of the partitioning may fail.

Evidence:
    The partition field, and the live files of its spec. A spec that is not current and has no live file is passed over.

Example:
    ALTER TABLE orders ADD COLUMN region string, where `region` was dropped and old files are partitioned by it

Instead:
    Take another name, or rewrite the files of the old spec.

Reference:
    Spec, Partitioning; Partition Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """Every such column, once for each spec."""
    live, metadata = state.files.by_spec, state.metadata
    for spec in metadata.specs.values():
        files = live.get(spec.spec_id, ())
        if not files and spec.spec_id != metadata.default_spec_id and state.level >= Level.FOOTERS:
            continue
        for field in spec.fields:
            column = next((f for f in state.schema.fields if f.name == field.name), None)
            if column is None or field.is_void or (field.is_identity and column.field_id == field.source_id):
                continue
            yield Finding(
                f"has the name of a partition field of spec {spec.spec_id}: {field.transform} of"
                f" {'this column' if column.field_id in field.source_ids else f'column id {field.source_id}'}",
                Direction.READERS_DISAGREE,
                column.name,
                column.field_id,
                evidence=manifest_evidence(files, len(state.files.live.all)),
                help="take another name for the column",
                key=str(spec.spec_id),
            )


RULE = Rule(
    "P104",
    "column-named-like-partition-field",
    "Finds columns with the name of a partition field that is not their identity.",
    Level.SCHEMA,
    "Partitioning",
    on_state=check,
    absorbed_by=("P103",),
)
