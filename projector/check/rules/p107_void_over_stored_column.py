"""P107 void-over-stored-column.

What it does:
    Finds a void partition field of live files: one that was dropped in a table of version 1.

Why it matters:
    Its null in the tuple says nothing of the column, and readers that take it for an identity value show null
    instead of what the files hold.

Evidence:
    The live files of the spec.

Example:
    A version 1 table after ALTER TABLE orders DROP PARTITION FIELD region

Instead:
    Nothing; or, in version 2, drop the field from the spec and rewrite the files.

Reference:
    Spec, Partition Transforms; Partition Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding


def check(state: TableState) -> Iterator[Finding]:
    """Every void field of a spec with live files whose source is a column."""
    for spec_id, files in state.files.by_spec.items():
        spec = state.metadata.specs.get(spec_id)
        for field in () if spec is None else spec.fields:
            if field.is_void and field.source_id in state.schema.fields_by_id:
                yield Finding(
                    f"partition field {field.name} of spec {spec_id} is void: its null is not the column's value",
                    Direction.ADVICE,
                    state.dotted(field.source_id),
                    field.source_id,
                    evidence=manifest_evidence(files, len(state.files.live.all)),
                    key=str(spec_id),
                )


RULE = Rule(
    "P107",
    "void-over-stored-column",
    "Finds void partition fields of live files.",
    Level.FOOTERS,
    "Partition Transforms",
    on_state=check,
)
