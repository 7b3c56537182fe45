"""D104 equality-delete-key-gone.

What it does:
    Finds live equality delete files that compare rows by a column which the schema lacks.

Why it matters:
    The deletes still apply, by the values that the files keep, but some readers fail on such a table and some
    ignore the deletes, so that deleted rows come back.

Evidence:
    The live equality delete files that name the column.

Example:
    ALTER TABLE orders DROP COLUMN order_key, with upserts from a streaming writer

Instead:
    Rewrite the data files that the deletes apply to first, so that the delete files are gone.

Reference:
    Spec, Equality Delete Files.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.manifest_evidence import manifest_evidence
from projector.check.kit.rule import Rule
from projector.check.kit.used_names import last_path
from projector.check.level import Level
from projector.check.portability import readers_disagree
from projector.check.report.findings import Finding


def check(state: TableState) -> Iterator[Finding]:
    """Every id that live equality deletes compare and that the schema does not have."""
    for field_id, deletes in state.files.equality_ids.items():
        if field_id in state.schema.fields_by_id:
            continue
        finding = readers_disagree(
            "equality-delete-dropped-key",
            state.files.engines,
            "not in the schema, but live equality deletes compare rows by it",
            path=last_path(state, field_id) or f"id {field_id}",
            field_id=field_id,
            evidence=manifest_evidence(deletes, len(state.files.live.deletes), "these are delete files"),
            help="rewrite the data files that these deletes apply to before the column goes",
        )
        if finding is not None:
            yield finding


RULE = Rule(
    "D104",
    "equality-delete-key-gone",
    "Finds dropped columns that live equality deletes compare.",
    Level.FOOTERS,
    "Equality Delete Files",
    on_state=check,
)
