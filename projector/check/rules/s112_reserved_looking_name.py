"""S112 reserved-looking-name.

What it does:
    Finds a top-level column called _file, _pos, _deleted, _spec_id, _partition, _row_id,
    _last_updated_sequence_number, _change_type, file_path or pos, or whose name begins with an underscore and is
    one of them in another case.

Why it matters:
    Engines show metadata columns under these names: selecting one gives the metadata column, or an error.

Evidence:
    The name.

Example:
    ALTER TABLE events ADD COLUMN _file string

Instead:
    Take another name.

Reference:
    Spec, Reserved Field IDs.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.report.findings import Direction, Finding

NAMES = (
    "_file",
    "_pos",
    "_deleted",
    "_spec_id",
    "_partition",
    "_row_id",
    "_last_updated_sequence_number",
    "_change_type",
    "_change_ordinal",
    "_commit_snapshot_id",
    "file_path",
    "pos",
)
"""The names of metadata columns, and of the columns of position delete files."""


def check(state: TableState) -> Iterator[Finding]:
    """Every top-level column with such a name."""
    for field in state.schema.fields:
        if field.name.lower() in NAMES:
            yield Finding(
                "engines have a metadata column of this name",
                Direction.READERS_DISAGREE,
                field.name,
                field.field_id,
                help="give it another name",
            )


RULE = Rule(
    "S112",
    "reserved-looking-name",
    "Finds columns with names that readers give to metadata columns.",
    Level.SCHEMA,
    "Reserved Field IDs",
    on_state=check,
)
