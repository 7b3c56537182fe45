"""R102 idless-files-without-mapping.

What it does:
    Finds live files without field ids in a table without a name mapping.

Why it matters:
    By the spec none of their columns can be found: every value is null or a default. Iceberg's Java readers guess by
    position, some engines fail, some say nothing and give nulls.

Evidence:
    The live files that have columns and no field id at any depth.

Example:
    Files of another tool that were added without setting `schema.name-mapping.default`

Instead:
    Set the table property `schema.name-mapping.default` to a mapping made from the names in the files.

Reference:
    Spec, Column Projection; Name Mapping Serialization.
"""

from __future__ import annotations

from collections.abc import Iterator

from projector.check.evidence.state import TableState
from projector.check.kit.rule import Rule
from projector.check.level import Level
from projector.check.portability import FEATURES
from projector.check.report.findings import Direction, Finding
from projector.schema.name_mapping import NAME_MAPPING_PROPERTY


def check(state: TableState) -> Iterator[Finding]:
    """One finding, for all such files."""
    groups = tuple(state.idless_groups())
    if not groups or NAME_MAPPING_PROPERTY in state.metadata.properties:
        return
    readers = FEATURES["idless-without-mapping"].among(state.files.engines)
    yield Finding(
        "live files have no field ids and the table has no name mapping: all their columns are null or defaults",
        Direction.OLD_DATA_UNREADABLE,
        evidence=state.footers.evidence(groups, "these files have no field ids", *map(str, readers)),
        help=f"set the table property {NAME_MAPPING_PROPERTY} to a mapping of the names in these files",
    )


RULE = Rule(
    "R102",
    "idless-files-without-mapping",
    "Finds files without field ids in a table without name mapping.",
    Level.FOOTERS,
    "Column Projection",
    on_state=check,
)
