"""T107 promotes-equality-delete-key.

What it does:
    Finds a promoted column that live equality delete files compare rows by.

Why it matters:
    The delete files keep keys of the old type. Readers that cast the data to the type of the keys, not the keys to
    the column's, delete other rows or fail.

Evidence:
    The live equality delete files that name the column.

Example:
    ALTER TABLE orders ALTER COLUMN order_id TYPE bigint, with upserts from a streaming writer

Instead:
    Rewrite the data files that the deletes apply to first, so that the delete files are gone.

Reference:
    Spec, Equality Delete Files; Schema Evolution.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.change.change import Change
from projector.check.kit.rule import Rule
from projector.check.kit.type_changes import applied_type_changes
from projector.check.level import Level
from projector.check.report.findings import Direction, Evidence, Finding
from projector.evolution.operations.schema import UpdateColumnType


def check(change: Change) -> Iterator[Finding]:
    """Every promoted field in the equality ids of a live delete file."""
    for promoted in applied_type_changes(change):
        field_id = promoted.before.field_id
        deletes = change.before.files.equality_ids.get(field_id, ())
        if not deletes:
            continue
        finding = Finding(
            f"{promoted.before.field_type} -> {promoted.after.field_type}: equality deletes compare rows by it",
            Direction.OLD_DATA_AT_RISK,
            change.after.dotted(field_id),
            field_id,
            evidence=Evidence(
                files=len(deletes),
                of_files=len(change.before.files.live.deletes),
                rows=sum(file.data_file.record_count for file in deletes),
                first_file=deletes[0].path,
                facts=("these are delete files",),
            ),
            help="rewrite the data files that these deletes apply to first",
        )
        yield change.place(finding, UpdateColumnType)


RULE = Rule(
    "T107",
    "promotes-equality-delete-key",
    "Finds promoted columns that live equality deletes compare.",
    Level.FOOTERS,
    "Equality Delete Files",
    on_change=check,
)
